/**
 * The call of a client that the running fiber works for: what its handler needs beside the arguments, and what it leaves for
 * the answer.
 */
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import type { EscalationAnswer, EscalationRequest } from "effect-toolguard/services/Escalation"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export interface ClientCall {
  /** The `params` of `tools/call`, as they came. */
  readonly params: JsonObject
  /** Asks the person at the client; undefined where the client cannot. */
  readonly elicit: ((request: EscalationRequest) => Effect.Effect<EscalationAnswer | undefined>) | undefined
  /** Milliseconds that the server has had for this call, over all attempts. */
  spent: number
  /** What the server answered last, if it answered. */
  last: JsonObject | undefined
  /** An answer that is the client's business alone, such as a question to its user. It is passed on as it came. */
  passed: { readonly result: JsonObject } | { readonly error: JsonObject } | undefined
}

export const CurrentClientCall = Context.Reference<ClientCall | undefined>("effect-toolguard/mcp/CurrentClientCall", {
  defaultValue: () => undefined
})
