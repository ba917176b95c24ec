/** Tests of how a provider's layer classifies failures, and of the content of its errors. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { ask, type ExpectedFailure, requestsTo } from "../../support/modelRequests.ts"
import { cutBody, hang, json, raw } from "../../support/ScriptedServer.ts"
import { type FailureKind, refusing, type Subject } from "./Subject.ts"

/** The expected classification of each kind of failure. */
export const failing: { readonly [Kind in FailureKind]: ExpectedFailure } = {
  "rate limit": { reason: "RateLimitError", retryable: true },
  overload: { reason: "InternalProviderError", retryable: true },
  "server error": { reason: "InternalProviderError", retryable: true },
  "exhausted quota": { reason: "QuotaExhaustedError", retryable: false },
  "refused key": { reason: "AuthenticationError", retryable: false },
  "wrong request": { reason: "InvalidRequestError", retryable: false },
  "context limit": { reason: "InvalidRequestError", retryable: false, contextLimit: true }
}

export const kinds = Object.keys(failing) as ReadonlyArray<FailureKind>

const secret = "sk-secret-1234"

export const failureContract = <Body>(subject: Subject<Body>): void => {
  const { both, fails, served } = requestsTo(subject.serve, subject.layer)

  describe(`${subject.name}: failures`, () => {
    for (const kind of kinds) {
      fails(`11.3 classifies a failure: ${kind}`, refusing(subject, kind), failing[kind])
      fails(
        `11.3 classifies a failure inside a 200 by its content: ${kind}`,
        raw(200, subject.failure(kind, `The failure is: ${kind}`).body),
        failing[kind]
      )
    }

    for (const [form, header, retryAfterMillis] of [
      ["seconds", { "retry-after": "7" }, 7_000],
      ["parts of seconds", { "retry-after": "1.5" }, 1_500],
      ["milliseconds, which take precedence", { "retry-after-ms": "250", "retry-after": "7" }, 250],
      ["a date in the past", { "retry-after": "Sun, 06 Nov 1994 08:49:37 GMT" }, 0]
    ] as const) {
      for (const kind of ["rate limit", "overload"] as const)
        fails(`11.3 reads when to retry as ${form}: ${kind}`, refusing(subject, kind, header), {
          ...failing[kind],
          retryAfterMillis
        })
    }
    fails(
      "11.3 ignores an invalid time to retry",
      refusing(subject, "rate limit", { "retry-after": "soon" }),
      failing["rate limit"]
    )
    for (const [header, kind] of [
      ["false", "overload"],
      ["true", "wrong request"]
    ] as const) {
      fails(
        `11.3 the server's header x-should-retry: ${header} decides about retries`,
        refusing(subject, kind, { "x-should-retry": header }),
        { ...failing[kind], transient: !failing[kind].retryable }
      )
    }
    fails("11.3 a refusal can be plain text", raw(503, "busy", { "retry-after-ms": "1500" }), {
      ...failing.overload,
      retryAfterMillis: 1500
    })

    fails(
      "9.2 an HTML page with 200 is not a valid response",
      raw(200, "<html>hi</html>", { "content-type": "text/html" }),
      {
        reason: "InvalidResponseError",
        retryable: false
      }
    )
    fails("9.2 another JSON document is not a valid response", raw(200, { hello: "world" }), {
      reason: "InvalidResponseError",
      retryable: false
    })
    fails("9.2 an empty response is a transient failure", raw(200, ""), {
      reason: "InternalProviderError",
      retryable: true
    })
    fails("9.2 truncated JSON is a transient failure", raw(200, '{"id":"x","cho'), {
      reason: "InternalProviderError",
      retryable: true
    })
    fails("9.2 a body that ends too early is a transient failure", cutBody('{"id":"x","content":[{"type"'), {
      reason: "NetworkError",
      retryable: true
    })
    fails(
      "9.2 classifies an error with very deep nesting",
      raw(400, `{"error":${"[".repeat(20_000)}${"]".repeat(20_000)}}`),
      { reason: "InvalidRequestError", retryable: false }
    )

    both(
      "11.3 does not wait longer than its timeout",
      [hang],
      (streaming) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(ask(streaming))
          assert.strictEqual(error.reason._tag, "NetworkError")
          assert.isTrue(error.isRetryable)
          assert.include(error.message, "no answer in time")
        }),
      { timeout: "50 millis" }
    )

    both(
      "9.2 does not read a body past its limit",
      [
        () => ({
          status: 200,
          headers: json,
          pieces: [`{"x":"${"y".repeat(200_000)}`, { until: new Promise(() => {}) }]
        })
      ],
      (streaming) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(ask(streaming))
          assert.strictEqual(error.reason._tag, "InvalidResponseError")
          assert.include(error.message, "exceeds 100000 bytes")
        }),
      { maxBytes: 100_000 }
    )

    it.live("11.3 errors contain the details of a failure as plain data", () =>
      served([refusing(subject, "overload", { "request-id": "req_7", "retry-after": "2" })], () =>
        Effect.gen(function* () {
          const { reason } = yield* Effect.flip(ask(false))
          const metadata = "metadata" in reason ? reason.metadata : {}
          assert.deepStrictEqual(Object.keys(metadata), [subject.key])
          assert.deepInclude(metadata[subject.key] ?? {}, {
            status: subject.failure("overload", "").status,
            request_id: "req_7",
            retry_after_ms: 2000
          })
        })
      )
    )

    it.live("4.15 keeps the API key out of errors, even if the server repeats it", () =>
      served(
        [
          refusing(subject, "refused key", {}, `Incorrect API key provided: ${secret}.`),
          raw(
            400,
            { error: { message: "no", type: `t ${secret}`, code: `c ${secret}`, param: `p ${secret}` } },
            { ...json, "x-request-id": secret }
          )
        ],
        () =>
          Effect.forEach(["Incorrect API key provided: [api key].", "p [api key]"], (expected) =>
            Effect.gen(function* () {
              const error = yield* Effect.flip(ask(false))
              const text = JSON.stringify(error) + error.message + String(error.stack)
              assert.include(text, expected)
              assert.notInclude(text, secret)
            })
          ),
        { apiKey: Redacted.make(secret) }
      )
    )
  })
}
