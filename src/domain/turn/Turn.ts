/**
 * Defines the scope of a call: its conversation, its turn, its tenant and its principal.
 *
 * Budgets, recall and denials apply to a turn. The loop detector keeps its state for a conversation. Idempotency keys
 * are separate for each tenant and principal. Two principals never share any of these, even if they use the same ids.
 */
import * as Schema from "effect/Schema"

/** Identifies a turn: from one message of the user to the model's final answer to it. */
export const Turn = Schema.Struct({
  /** The id of the conversation: unguessable, or chosen by the host, and never empty. */
  conversation: Schema.String,
  /** The id of the turn, unique within the conversation. */
  turn: Schema.String,
  /** The tenant. `default` if the host has only one tenant. */
  tenant: Schema.String,
  /**
   * The principal on whose behalf the call is made; absent if the host names no principal. The Authorizer and
   * handlers read it. Turns, results, keys, artifacts and approvals belong to it.
   */
  principal: Schema.optionalKey(Schema.String),
  /**
   * True for a session whose host sees no messages of the user, as over MCP: the counts of a call lapse after 60 seconds
   * without that call.
   */
  isSession: Schema.optionalKey(Schema.Boolean),
  /** True if the host named no conversation. `conversation` then says nothing about which turns belong together. */
  isAlone: Schema.optionalKey(Schema.Boolean)
})
export type Turn = typeof Turn.Type

/** The owner of stored data: a tenant, or a principal of the tenant, or a conversation or turn of either. */
export interface Owner {
  readonly tenant: string
  readonly principal?: string | undefined
  readonly conversation?: string | undefined
  /** A turn of the conversation. */
  readonly turn?: string | undefined
}

/**
 * Returns an owner as JSON values. As JSON text, the values of two different owners differ regardless of the characters
 * in their ids: the ids are texts in a fixed order, and the principal is an object. Without a principal, the values are
 * the same as in earlier versions, which had no principals.
 */
export const ownerValues = ({ conversation, principal, tenant, turn }: Owner): ReadonlyArray<string | object> => [
  tenant,
  ...(conversation === undefined ? [] : [conversation]),
  ...(conversation === undefined || turn === undefined ? [] : [turn]),
  ...(principal === undefined ? [] : [{ principal }])
]

const keys = new WeakMap<Turn, string>()

/** Returns the key of a turn. It is JSON, because ids may contain any characters. Each call of a turn asks for it. */
export const key = (turn: Turn): string => {
  const known = keys.get(turn)
  if (known !== undefined) return known
  const written = JSON.stringify(ownerValues(turn))
  keys.set(turn, written)
  return written
}

/** Returns the key of a conversation. Conversations of two principals have different keys. */
export const conversationKey = ({ conversation, principal, tenant }: Turn): string =>
  JSON.stringify(ownerValues({ tenant, principal, conversation }))
