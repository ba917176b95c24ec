/**
 * Describes a failed request to the model for the escalation policy, for people and for the end of the run. Only the
 * tag of the provider's error is shown, because its description may contain the request.
 */
import { codeOf } from "./ModelFailure.ts"
import * as Failure from "#domain/failure/Failure"
import type { EscalationEvent } from "#domain/tool/EscalationPolicy"
import type * as AiError from "effect/ai/AiError"

/** A failed request that the escalation policy decides on. */
interface ModelIncident {
  readonly event: EscalationEvent
  readonly reason: "context_limit" | "provider_exhausted"
  readonly failure: Failure.Failure
}

const refused = "The model's provider permanently refuses the request"

/** What a person reads, by code. Only the sentence for a decision of the provider says that the provider refuses. */
const sentences = {
  context_limit: "The conversation is too long for the model",
  unavailable: "The model's provider is not available, after all retries and fallbacks",
  unauthorized: refused,
  quota_exceeded: refused,
  refused,
  invalid_result: "The answer of the model's provider cannot be read",
  misconfigured: "The request to the model cannot be sent",
  tool_failed: "The request to the model failed for an unknown reason"
}

/** What a person must do before the run can continue, by code. */
const remedies = {
  context_limit: "Shorten the conversation or set `compaction`, then run again.",
  unavailable: "Run again when the provider is available.",
  unauthorized: "Correct the key of the provider, then run again.",
  quota_exceeded: "Raise the quota at the provider, then run again.",
  refused: "Correct the request or the model, then run again.",
  invalid_result: "Correct the address or the layer of the provider, then run again.",
  misconfigured: "Correct the request or the layer of the provider, then run again.",
  tool_failed: "Look up the reason in `error`, then run again."
}

/** Returns the incident of a failed request that is not a mistake of the model. */
export const of = (error: AiError.AiError): ModelIncident => {
  const code = codeOf(error)
  const isTooLong = code === "context_limit"
  const detail = isTooLong ? `${sentences[code]}.` : `${sentences[code]} (${error.reason._tag}).`
  return {
    event: { _tag: isTooLong ? "ContextLimitReached" : "ProviderExhausted" },
    reason: isTooLong ? "context_limit" : "provider_exhausted",
    failure: Failure.ofCode(code, { tool: "model", detail, hint: remedies[code] })
  }
}
