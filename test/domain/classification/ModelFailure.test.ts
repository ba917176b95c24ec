import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import { AiError } from "effect/ai"
import * as ModelFailure from "#domain/classification/ModelFailure"

const of = (reason: AiError.AiErrorReason) => AiError.make({ module: "test", method: "test", reason })
const request = (fields: {
  readonly description?: string
  readonly constraint?: string
  readonly parameter?: string
}) => of(new AiError.InvalidRequestError(fields))
const network = (reason: "TransportError" | "EncodeError") =>
  of(new AiError.NetworkError({ reason, method: "POST", url: "http://localhost" }))
const provider = (metadata: AiError.ProviderMetadata = {}) =>
  of(new AiError.InternalProviderError({ description: "down", metadata }))

const rows: ReadonlyArray<
  readonly [name: string, error: AiError.AiError, isTransient: boolean, mayFallBack: boolean, isModelMistake: boolean]
> = [
  ["rate limit", of(new AiError.RateLimitError({})), true, true, false],
  ["provider failure", provider(), true, true, false],
  ["provider failure not to be retried", provider({ x: { should_retry: false } }), false, true, false],
  [
    "rate limit not to be retried",
    of(new AiError.RateLimitError({ metadata: { x: { should_retry: false } } })),
    false,
    true,
    false
  ],
  [
    "invalid request to be retried",
    of(new AiError.InvalidRequestError({ metadata: { x: { should_retry: true } } })),
    true,
    false,
    false
  ],
  ["broken connection", network("TransportError"), true, true, false],
  ["request that cannot be written", network("EncodeError"), false, false, false],
  ["exhausted quota", of(new AiError.QuotaExhaustedError({})), false, true, false],
  ["invalid key", of(new AiError.AuthenticationError({ kind: "InvalidKey" })), false, true, false],
  ["invalid response", of(new AiError.InvalidResponseError({ description: "x" })), false, true, false],
  ["unknown model", request({ parameter: "model" }), false, true, false],
  ["invalid request", request({ parameter: "temperature" }), false, false, false],
  [
    "conversation that is too long",
    request({ parameter: "messages", constraint: ModelFailure.contextLength }),
    false,
    false,
    false
  ],
  ["content policy", of(new AiError.ContentPolicyError({ description: "x" })), false, false, false],
  ["unknown tool", of(new AiError.ToolNotFoundError({ toolName: "x", availableTools: [] })), false, false, true],
  [
    "invalid arguments",
    of(new AiError.ToolParameterValidationError({ toolName: "x", description: "x" })),
    false,
    false,
    true
  ],
  [
    "output without its form",
    of(new AiError.StructuredOutputError({ description: "x", responseText: "x" })),
    false,
    false,
    true
  ],
  ["broken output", of(new AiError.InvalidOutputError({ description: "x" })), false, false, true]
]

describe("ModelFailure", () => {
  for (const [name, error, isTransient, mayFallBack, isModelMistake] of rows) {
    it(`11.3 decides whether to retry, to fall back and to blame the model: ${name}`, () => {
      assert.deepStrictEqual(
        [ModelFailure.isTransient(error), ModelFailure.mayFallBack(error), ModelFailure.isModelMistake(error)],
        [isTransient, mayFallBack, isModelMistake]
      )
    })
  }

  it("11.3 recognises the messages with which servers refuse a conversation that is too long", () => {
    for (const description of [
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
      "the request exceeds the available context size. try increasing the context size or enable context shift",
      "prompt is too long: 210000 tokens > 200000 maximum",
      "Please reduce the length of the messages or completion.",
      "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      "Range of input length should be [1, 30720]",
      "Prompt contains 40000 tokens, too large for model with 32768 maximum context length"
    ]) {
      assert.isTrue(ModelFailure.isContextLimit(request({ description })), description)
    }
    assert.isTrue(ModelFailure.isContextLimit(request({ constraint: ModelFailure.contextLength })))
  })

  it("11.3 does not mistake other failures for a conversation that is too long", () => {
    for (const description of [
      "Invalid value for 'content'",
      "max_tokens is too large: 200000",
      "the file is too long"
    ]) {
      assert.isFalse(ModelFailure.isContextLimit(request({ description })), description)
    }
    assert.isFalse(ModelFailure.isContextLimit(of(new AiError.UnknownError({ description: "maximum context length" }))))
  })

  it("11.3 returns the delay that a provider asked for", () => {
    const after = (error: AiError.AiError) => {
      const wait = ModelFailure.retryAfter(error)
      return wait === undefined ? undefined : Duration.toMillis(wait)
    }
    assert.strictEqual(after(of(new AiError.RateLimitError({ retryAfter: Duration.seconds(7) }))), 7000)
    assert.strictEqual(after(provider({ openai: { retry_after_ms: 1500 } })), 1500)
    assert.strictEqual(after(provider({ openai: { retry_after_ms: 0 } })), 0)
    assert.strictEqual(after(provider({ openai: { retry_after_ms: -1 } })), undefined)
    assert.strictEqual(after(provider({ openai: null, other: { status: 500 } })), undefined)
    assert.strictEqual(after(of(new AiError.RateLimitError({}))), undefined)
    assert.strictEqual(after(of(new AiError.QuotaExhaustedError({}))), undefined)
  })
})
