/**
 * The scope of a call: its conversation, its turn, its tenant and its principal.
 *
 * Budgets, recall and denials apply to a turn. The loop detector keeps its state for a conversation. Idempotency keys
 * are separate for each tenant and principal.
 */
import * as Schema from "effect/Schema"

/** Identifies a turn: from one message of the user to the model's final answer to it. */
export const Turn = Schema.Struct({
  /** The id of the conversation: unguessable, or chosen by the host, and never empty. */
  conversation: Schema.String,
  /** The id of the turn, unique within the conversation. */
  turn: Schema.String,
  /** The tenant. Idempotency keys belong to a tenant and a principal. `default` if the host has only one tenant. */
  tenant: Schema.String,
  /** The principal on whose behalf the call is made, as named by the host. The Authorizer reads it. */
  principal: Schema.optionalKey(Schema.String),
  /**
   * True for a session whose host sees no messages of the user, as over MCP: the counts of a call lapse after 60 seconds
   * without that call.
   */
  isSession: Schema.optionalKey(Schema.Boolean)
})
export type Turn = typeof Turn.Type

/** Returns the key of a turn. It is JSON, because ids may contain any characters. */
export const key = (turn: Turn): string => JSON.stringify([turn.tenant, turn.conversation, turn.turn])

/** Returns the key of a conversation. */
export const conversationKey = (turn: Turn): string => JSON.stringify([turn.tenant, turn.conversation])
