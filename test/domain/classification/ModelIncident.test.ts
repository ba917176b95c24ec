/** Tests how a failed request to the model is described to a person. */
import { assert, describe, it } from "@effect/vitest"
import { AiError } from "effect/ai"
import { codeOf } from "#domain/classification/ModelFailure"
import * as ModelIncident from "#domain/classification/ModelIncident"

const network = (reason: "TransportError" | "EncodeError") =>
  new AiError.NetworkError({ reason, method: "POST", url: "http://localhost" })

const rows: ReadonlyArray<readonly [reason: AiError.AiErrorReason, code: string, detail: string]> = [
  [
    new AiError.InvalidRequestError({ description: "prompt is too long" }),
    "context_limit",
    "The conversation is too long for the model."
  ],
  [
    new AiError.InvalidRequestError({ description: "no" }),
    "refused",
    "The model's provider permanently refuses the request (InvalidRequestError)."
  ],
  [
    new AiError.InvalidRequestError({}),
    "refused",
    "The model's provider permanently refuses the request (InvalidRequestError)."
  ],
  [
    new AiError.ContentPolicyError({ description: "no" }),
    "refused",
    "The model's provider permanently refuses the request (ContentPolicyError)."
  ],
  [
    new AiError.QuotaExhaustedError({}),
    "quota_exceeded",
    "The model's provider permanently refuses the request (QuotaExhaustedError)."
  ],
  [
    new AiError.AuthenticationError({ kind: "InvalidKey" }),
    "unauthorized",
    "The model's provider permanently refuses the request (AuthenticationError)."
  ],
  [
    new AiError.InvalidResponseError({ description: "no" }),
    "invalid_result",
    "The answer of the model's provider cannot be read (InvalidResponseError)."
  ],
  [
    new AiError.UnknownError({ description: "no" }),
    "tool_failed",
    "The request to the model failed for an unknown reason (UnknownError)."
  ],
  [
    network("TransportError"),
    "unavailable",
    "The model's provider is not available, after all retries and fallbacks (NetworkError)."
  ],
  [network("EncodeError"), "misconfigured", "The request to the model cannot be sent (NetworkError)."]
]

describe("ModelIncident", () => {
  for (const [reason, code, detail] of rows) {
    it(`11.3 a person reads "${detail}", and what to do`, () => {
      const error = AiError.make({ module: "test", method: "test", reason })
      const incident = ModelIncident.of(error)
      const isTooLong = code === "context_limit"
      assert.strictEqual(codeOf(error), code)
      assert.strictEqual(incident.failure.code, code)
      assert.strictEqual(incident.failure.detail, detail)
      assert.match(incident.failure.hint, /\brun again\b|^Run again\b/)
      assert.strictEqual(incident.reason, isTooLong ? "context_limit" : "provider_exhausted")
      assert.strictEqual(incident.event._tag, isTooLong ? "ContextLimitReached" : "ProviderExhausted")
    })
  }
})
