/** Tests how the statements of an error about itself, the user's rules and the evidence are combined. */
import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import {
  classify,
  classifyResponse,
  type ErrorClassification,
  type RuleVerdict,
  ruleOf
} from "#domain/classification/Classification"
import { StatedError } from "#domain/classification/DeclaredError"
import { QuotedError } from "#domain/classification/QuotedError"
import * as Failure from "#domain/failure/Failure"
import { nothingDone } from "#domain/failure/StatedEffect"

const message = "It is odd."

/** Returns the class, the code, the rule, and the fields that only stated errors have. */
const of = (error: unknown, access: "read" | "write" = "read") => {
  const {
    code,
    detail: _,
    ground: __,
    isAnswered: ___,
    rule,
    sideEffect: ____,
    tag,
    ...rest
  } = classify(error, { access })
  return [`${tag} ${code} ${rule}`, rest]
}

const rows: ReadonlyArray<readonly [error: unknown, decided: string, rest: Partial<ErrorClassification>]> = [
  [{ code: "X_1", message }, "Permanent tool_failed default", { ownCode: "x_1" }],
  [{ code: "X_1", message, retryable: true }, "Transient temporary_failure declared", { ownCode: "x_1" }],
  [{ code: "X_1", message, retryable: false }, "Permanent tool_failed default", { ownCode: "x_1" }],
  [
    { code: "X_1", message: "The order is locked by another process", retryable: false },
    "Permanent tool_failed declared",
    { ownCode: "x_1" }
  ],
  [
    { code: "X_1", message: "The order is locked by another process", retryable: true },
    "Transient lock_conflict transient:lock",
    {}
  ],
  [{ code: "X_1", message: "The order is locked by another process" }, "Transient lock_conflict transient:lock", {}],
  [
    { code: "X_1", message: "Customer C-1 not found", retryable: true },
    "ToolArgError unknown_reference missing:reference",
    {}
  ],
  [
    { code: "X_1", message: "Customer C-1 not found", retryable: false },
    "ToolArgError unknown_reference missing:reference",
    {}
  ],
  [
    { code: "X_1", message: "Customer C-1 not found", error_class: "permanent" },
    "Permanent tool_failed declared",
    { ownCode: "x_1" }
  ],
  [{ code: "X_1", message, error_class: "permanent" }, "Permanent tool_failed default", { ownCode: "x_1" }],
  [{ code: "X_1", message, error_class: "resource" }, "Resource limit_exceeded declared", { ownCode: "x_1" }],
  [
    { code: "X_1", message, error_class: "semantic_garbage" },
    "SemanticGarbage tool_failed declared",
    { ownCode: "x_1" }
  ],
  [{ code: "X_1", message, human_review: true }, "HumanReview review_requested declared", {}],
  [{ error_class: "transient", message }, "Transient temporary_failure declared", {}],
  [
    { code: "X_1", message, retry_after_ms: 2_000 },
    "Transient temporary_failure retry-after",
    { retryAfter: Duration.seconds(2) }
  ],
  [
    { code: "X_1", message, retryable: true, retry_after_ms: 2_000 },
    "Transient temporary_failure retry-after",
    { retryAfter: Duration.seconds(2) }
  ],
  [
    { code: "X_1", message, retryable: false, retry_after_ms: 2_000 },
    "Permanent tool_failed declared",
    { ownCode: "x_1" }
  ],
  [
    { code: "X_1", message, error_class: "resource", retry_after_ms: 2_000 },
    "Resource limit_exceeded declared",
    { ownCode: "x_1", retryAfter: Duration.seconds(2) }
  ],
  [
    { code: "X_1", message, fields: ["a"], hint: "Do it." },
    "Permanent tool_failed default",
    { ownCode: "x_1", fields: ["a"], hint: "Do it." }
  ]
]

describe("an error that states its class or its code", () => {
  for (const [error, decided, rest] of rows)
    it(`5.1 ${JSON.stringify(error)} is ${decided}`, () => assert.deepStrictEqual(of(error), [decided, rest]))

  it("3.3 evidence that the action was done outweighs a stated class", () => {
    const done = { code: "X_1", message, error_class: "transient", fields: ["a"], status: 204 }
    const error = { headers: {}, body: done, response: { status: 204 } }
    assert.deepStrictEqual(of(error, "write"), ["SchemaMismatch done_without_result declared", {}])
    assert.deepStrictEqual(of(error), ["Transient temporary_failure declared", { ownCode: "x_1", fields: ["a"] }])
  })

  it("5.1 the detail is the quote, or the words of the error if it has a hint or no quote", () => {
    const detailOf = (error: unknown) => classify(error, { access: "read" }).detail
    assert.strictEqual(detailOf({ code: "X_1", message }), message)
    const hinted = { code: "X_1", message, hint: "Do it." }
    assert.strictEqual(detailOf(new StatedError("Its words.", { code: "X_1", message })), "Its words.")
    assert.strictEqual(detailOf(new StatedError("Its words.", hinted)), message)
    assert.strictEqual(detailOf(new QuotedError("Its words.", { code: "X_1", message })), "Its words.")
    assert.strictEqual(
      detailOf({ error_class: "transient", retryable: true }),
      "The tool failed without an error message."
    )
  })
})

describe("the user's rules", () => {
  const byRule = (verdict: RuleVerdict, error: unknown = { message: "x" }, access: "read" | "write" = "write") => {
    const { code, detail, ground, rule, sideEffect, tag } = classify(error, {
      access,
      rules: [{ name: "mine", match: () => verdict }]
    })
    return [`${tag} ${code} ${rule}`, detail, sideEffect, ground]
  }

  it("3.1 an omitted class follows from the code, and an omitted code from the class", () => {
    assert.deepStrictEqual(byRule({}), ["Permanent tool_failed mine", "x", "unknown", "no evidence"])
    assert.strictEqual(byRule({ tag: "Resource" })[0], "Resource limit_exceeded mine")
    assert.strictEqual(byRule({ code: "rate_limited" })[0], "Transient rate_limited mine")
    assert.strictEqual(byRule({ code: "rate_limited", tag: "Permanent" })[0], "Permanent rate_limited mine")
    assert.strictEqual(byRule({ detail: "Odd." })[1], "Odd.")
  })

  it("3.3 the rule decides the side effect of a write, and no rule that of a read", () => {
    const verdict = { sideEffect: "committed" } as const
    assert.deepStrictEqual(byRule(verdict).slice(2), ["committed", "rule mine"])
    assert.deepStrictEqual(byRule(verdict, { message: "x" }, "read").slice(2), ["none", "it only reads"])
  })

  it("3.3 an answer that proves the action has its own code, unless the rule states the side effect", () => {
    const done = { response: { status: 204 } }
    assert.strictEqual(byRule({ tag: "Transient" }, done)[0], "SchemaMismatch done_without_result mine")
    assert.strictEqual(byRule({ tag: "Transient", sideEffect: "none" }, done)[0], "Transient temporary_failure mine")
  })

  it("4.11 the wait of the rule precedes that of the evidence, for transient failures and resources", () => {
    const waitOf = (verdict: RuleVerdict) => {
      const { retryAfter } = classify(
        { status: 503, headers: { "retry-after": "3" } },
        { access: "read", rules: [{ name: "mine", match: () => verdict }] }
      )
      return retryAfter && Duration.toSeconds(retryAfter)
    }
    const retryAfter = Duration.seconds(9)
    assert.strictEqual(waitOf({ tag: "Transient" }), 3)
    assert.strictEqual(waitOf({ tag: "Transient", retryAfter }), 9)
    assert.strictEqual(waitOf({ tag: "Resource", retryAfter }), 9)
    assert.isUndefined(waitOf({ tag: "Permanent", retryAfter }))
  })
})

describe("a failure of the guard", () => {
  const own = { tool: "t", hint: "h", traceId: "x", detail: "Wait 7 s: try again in 7s.", sideEffect: "none" } as const
  const seconds = (error: unknown) => {
    const { retryAfter } = classify(error, { access: "write" })
    return retryAfter && Duration.toSeconds(retryAfter)
  }

  it("4.11 has the wait that it states, and otherwise that of its words", () => {
    const retryAfter = Duration.seconds(3)
    assert.strictEqual(seconds(new Failure.Transient({ ...own, code: "busy", retryAfter })), 3)
    assert.strictEqual(seconds(new Failure.Resource({ ...own, code: "limit_exceeded", retryAfter })), 3)
    assert.strictEqual(seconds(new Failure.Transient({ ...own, code: "busy" })), 7)
    assert.strictEqual(seconds(new Failure.Resource({ ...own, code: "limit_exceeded" })), 7)
    assert.isUndefined(seconds(new Failure.Permanent({ ...own, code: "refused" })))
    assert.strictEqual(seconds(nothingDone(new Failure.Transient({ ...own, code: "busy", retryAfter }))), 3)
  })

  it("3.3 keeps its code, even if its cause proves that something was done", () => {
    const failure = new Failure.Permanent({ ...own, code: "refused", sideEffect: "committed" })
    const { code, rule } = classify(failure, { access: "write" })
    assert.deepStrictEqual([code, rule], ["refused", "own"])
  })

  it("3.3 of another tool proves nothing", () => {
    const failure = new Failure.Transient({ ...own, code: "busy", retryAfter: Duration.seconds(1) })
    assert.strictEqual(classify(failure, { access: "write", tool: "t" }).sideEffect, "none")
    assert.strictEqual(classify(failure, { access: "write", tool: "other" }).sideEffect, "unknown")
    const words = new Failure.Transient({ ...own, code: "busy" })
    assert.strictEqual(classify(words, { access: "write", tool: "other" }).sideEffect, "unknown")
  })
})

describe("the rule of a message", () => {
  it("3.1 is found without the grammar", () => {
    assert.strictEqual(ruleOf("Customer C-1 not found"), "missing:reference")
    assert.strictEqual(ruleOf("The order has an odd flux"), "default")
  })

  it("3.1 a response is classified unless its status is 2xx, and quoted if its body has words", () => {
    const of = (status: number, body?: string) =>
      classifyResponse({ status, headers: {}, ...(body === undefined ? {} : { body }) }, { access: "read" })
    assert.isUndefined(of(200))
    assert.isUndefined(of(299))
    assert.strictEqual(of(199)?.code, "tool_failed")
    assert.strictEqual(of(300)?.detail, "HTTP status 300")
    assert.strictEqual(of(404, "<p>No order</p>\nof that name")?.detail, "<p>No order</p> of that name")
    assert.strictEqual(of(404, " ")?.detail, "HTTP status 404")
  })
})
