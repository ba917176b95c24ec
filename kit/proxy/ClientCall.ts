/**
 * Holds the state of the client's call that the current fiber serves. The handler reads its inputs other than the
 * arguments from this state, and writes to it what the answer to the client needs.
 */
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import type { EscalationAnswer, EscalationRequest } from "effect-toolguard/services/Escalation"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** The state of one call of the client. */
export interface ClientCall {
  /** The `params` of `tools/call`, unchanged. */
  readonly params: JsonObject
  /** Asks the client's user. It is `undefined` if the client does not support elicitation. */
  readonly elicit: ((request: EscalationRequest) => Effect.Effect<EscalationAnswer | undefined>) | undefined
  /** Milliseconds that the server has used for this call, over all attempts. */
  spent: number
  /** The server's last answer, if any. */
  last: JsonObject | undefined
  /** An answer that is passed on to the client unchanged, such as a question to the client's user. */
  passed: { readonly result: JsonObject } | { readonly error: JsonObject } | undefined
}

/** The call that the current fiber serves. The default outside a call is `undefined`. */
export const CurrentClientCall = Context.Reference<ClientCall | undefined>("effect-toolguard/mcp/CurrentClientCall", {
  defaultValue: () => undefined
})

/** Converts a value to JSON. Returns `undefined` if the value is nested too deeply. */
export const textOf = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
