/**
 * The client's call that the current fiber serves: the inputs of its handler besides the arguments, and the handler's
 * outputs for the answer.
 */
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import type { EscalationAnswer, EscalationRequest } from "effect-toolguard/services/Escalation"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** The state of one call of the client. */
export interface ClientCall {
  /** The `params` of `tools/call`, unchanged. */
  readonly params: JsonObject
  /** Asks the client's user; undefined if the client does not support that. */
  readonly elicit: ((request: EscalationRequest) => Effect.Effect<EscalationAnswer | undefined>) | undefined
  /** Milliseconds that the server has used for this call, over all attempts. */
  spent: number
  /** The server's last answer, if there is one. */
  last: JsonObject | undefined
  /** An answer for the client itself, such as a question to its user, which is passed on unchanged. */
  passed: { readonly result: JsonObject } | { readonly error: JsonObject } | undefined
}

/** The call that the current fiber serves; undefined outside a call. */
export const CurrentClientCall = Context.Reference<ClientCall | undefined>("effect-toolguard/mcp/CurrentClientCall", {
  defaultValue: () => undefined
})
