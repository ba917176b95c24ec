/**
 * Where a call stands: which conversation, which turn of it, for which tenant and principal.
 *
 * Budgets, recall and denials are kept per turn; loops are seen per conversation; idempotency keys belong to a tenant.
 */
import * as Schema from "effect/Schema"

/** Identifies one turn: from one user message to the model's final answer to it. */
export const Turn = Schema.Struct({
  /** Unguessable or chosen by the host; never empty. */
  conversation: Schema.String,
  /** Unique within the conversation. */
  turn: Schema.String,
  /** Scope of idempotency keys. `default` where a host has but one tenant. */
  tenant: Schema.String,
  /** On whose behalf the call is made, as the host names it; the Authorizer reads it. */
  principal: Schema.optionalKey(Schema.String)
})
export type Turn = typeof Turn.Type

/** One string for a turn, for use as a key. Ids may hold any characters, so they are framed as JSON. */
export const key = (turn: Turn): string => JSON.stringify([turn.tenant, turn.conversation, turn.turn])

/** One string for a conversation. */
export const conversationKey = (turn: Turn): string => JSON.stringify([turn.tenant, turn.conversation])
