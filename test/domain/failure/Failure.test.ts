import * as Failure from "#domain/failure/Failure"
import * as FailureCode from "#domain/failure/FailureCode"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Duration, Schema } from "effect"

const shared = {
  tool: "search_orders",
  detail: "No answer.",
  hint: "Wait.",
  sideEffect: "unknown",
  traceId: "tr_1",
  fields: ["orders[2].cents"]
} as const

const all: ReadonlyArray<Failure.Failure> = [
  new Failure.ToolArgError({ ...shared, code: "invalid_arguments" }),
  new Failure.SchemaMismatch({ ...shared, code: "invalid_result" }),
  new Failure.PartialData({ ...shared, code: "incomplete_result", data: { rows: [1] }, next: { page: 2 } }),
  new Failure.SemanticGarbage({ ...shared, code: "wrong_unit" }),
  new Failure.Transient({ ...shared, code: "unavailable", retryAfter: Duration.seconds(3) }),
  new Failure.Resource({ ...shared, code: "quota_exceeded", retryAfter: Duration.hours(1) }),
  new Failure.Permanent({ ...shared, code: "refused" }),
  new Failure.HumanReview({ ...shared, code: "requires_human_approval", approvalUrl: "https://approvals.example/1" })
]

const through = <A>(codec: Schema.Codec<A, unknown>, value: A): A => {
  const json = Schema.toCodecJson(codec)
  return Schema.decodeUnknownSync(json)(JSON.parse(JSON.stringify(Schema.encodeSync(json)(value))))
}

describe("Failure", () => {
  it("2.5 changing a field keeps the cause", () => {
    const cause = new Error("boom")
    const failure = Failure.make("Permanent", "tool_failed", { tool: "t", detail: "d", cause })
    assert.strictEqual(Failure.changed(failure, { hint: "Ask the user." }).cause, cause)
    assert.strictEqual(Failure.changed(failure, { cause: "other" }).cause, "other")
  })

  it("3 there are eight classes", () => {
    assert.deepStrictEqual(
      all.map(({ _tag }) => _tag),
      [
        "ToolArgError",
        "SchemaMismatch",
        "PartialData",
        "SemanticGarbage",
        "Transient",
        "Resource",
        "Permanent",
        "HumanReview"
      ]
    )
  })

  for (const failure of all) {
    it(`2.5 the message of ${failure._tag} names tool, detail and code, and is not stored as a field`, () => {
      assert.strictEqual(failure.message, `search_orders: No answer. (${failure.code})`)
      assert.include(Cause.pretty(Cause.fail(failure)), failure.message)
      assert.include(String(failure), failure.message)
      assert.notProperty(JSON.parse(JSON.stringify(failure)), "message")
    })

    it(`3.2 ${failure._tag} keeps its class and its fields when it is encoded and decoded`, () => {
      const back = through(Failure.Failure, failure)
      assert.strictEqual(back.message, failure.message)
      assert.strictEqual(back.constructor, failure.constructor)
      assert.deepStrictEqual({ ...back }, { ...failure })
    })
  }

  it("3.2 absent fields stay absent", () => {
    const failure = new Failure.Transient({ ...shared, code: "unavailable" })
    assert.deepStrictEqual(Object.keys(through(Failure.Failure, failure)).includes("retryAfter"), false)
  })

  it("3.2 a cause is restored as an error with the same name and message", () => {
    const failure = new Failure.Permanent({ ...shared, code: "tool_failed", cause: new TypeError("boom") })
    const { cause } = through(Failure.Failure, failure)
    assert.instanceOf(cause, Error)
    assert.deepStrictEqual([(cause as Error).name, (cause as Error).message], ["TypeError", "boom"])
  })

  it("3.2 a failure whose cause is not an error can be encoded, even if JSON cannot represent the cause", () => {
    const cyclic: Record<string, unknown> = { n: 1 }
    cyclic["self"] = cyclic
    for (const cause of ["text", 7, null, { status: 503 }, cyclic, 10n, Symbol("s"), () => 1]) {
      const failure = new Failure.Permanent({ ...shared, code: "tool_failed", cause })
      assert.strictEqual(through(Failure.Failure, failure).code, "tool_failed")
    }
  })

  it("3.2 a tool's codec encodes the data of a partial result as its success schema does", () => {
    const codec = Failure.codec(Schema.Struct({ at: Schema.Date }) as Schema.Codec<unknown, unknown>)
    const failure = new Failure.PartialData({ ...shared, code: "incomplete_result", data: { at: new Date(0) } })
    const back = through(codec, failure)
    assert.deepStrictEqual(back._tag === "PartialData" && back.data, { at: new Date(0) })
    assert.deepStrictEqual(
      all.filter(({ _tag }) => _tag !== "PartialData").map((other) => through(codec, other)._tag),
      all.filter(({ _tag }) => _tag !== "PartialData").map(({ _tag }) => _tag)
    )
  })

  it("3.2 a value that is not one of the eight failures is refused", () => {
    for (const value of [{}, { _tag: "Other" }, { ...all[0], _tag: "Transient", code: 7 }, null]) {
      assert.throws(() => Schema.decodeUnknownSync(Failure.Failure)(value))
      assert.isFalse(Failure.isFailure(value))
    }
    for (const failure of all) assert.isTrue(Failure.isFailure(failure))
  })

  it("3.2 a failure that is made from a code has the code's class and hint, and omits absent fields", () => {
    const failure = Failure.ofCode("timeout", { tool: "search", detail: "No answer.", fields: [], cause: undefined })
    assert.instanceOf(failure, Failure.Transient)
    assert.deepStrictEqual(
      { ...failure },
      {
        _tag: "Transient",
        tool: "search",
        code: "timeout",
        detail: "No answer.",
        hint: FailureCode.codes.timeout.hint,
        sideEffect: "none",
        traceId: ""
      }
    )
  })

  it("3.2 a failure that is made from a class takes an unknown code, and only the fields of the class", () => {
    const retryAfter = Duration.seconds(3)
    const details = { tool: "search", detail: "Odd.", retryAfter, approvalUrl: "https://a.example", data: [1], next: 2 }
    assert.deepStrictEqual(Failure.make("Transient", "odd", details).retryAfter, retryAfter)
    assert.notProperty(Failure.make("Permanent", "odd", details), "retryAfter")
    assert.strictEqual(Failure.make("HumanReview", "odd", details).approvalUrl, "https://a.example")
    const partial = Failure.make("PartialData", "odd", { ...details, hint: "Go on." })
    assert.deepStrictEqual([partial.data, partial.next, partial.hint], [[1], 2, "Go on."])
    assert.strictEqual(Failure.make("Permanent", "odd", details).hint, "")
  })

  it("3.2 fields, attempts and a refusal are kept, and absent fields are not keys of the failure", () => {
    const details = { tool: "search", detail: "Odd." }
    const keys = (failure: Failure.Failure) =>
      Object.getOwnPropertyNames(failure).filter((name) => !["stack", "name"].includes(name))
    const shared = ["_tag", "tool", "code", "detail", "hint", "sideEffect", "traceId"]
    for (const tag of ["Permanent", "Transient", "HumanReview", "SchemaMismatch"] as const)
      assert.sameMembers([...keys(Failure.make(tag, "odd", details))], shared)
    assert.sameMembers([...keys(Failure.make("PartialData", "odd", { ...details, data: 1 }))], [...shared, "data"])
    const full = { fields: ["a"], attempts: 3, refusal: { _tag: "OutOfStock" } }
    assert.deepInclude({ ...Failure.make("Permanent", "odd", { ...details, ...full }) }, full)
  })

  it("3.2 a change returns a new failure of the class with all other fields, or the same object if nothing changed", () => {
    const details = { tool: "search", detail: "Odd.", hint: "Wait.", attempts: 3, retryAfter: Duration.seconds(3) }
    const failure = Failure.make("Transient", "odd", details)
    assert.strictEqual(Failure.changed(failure, { hint: "Wait.", detail: "Odd." }), failure)
    assert.strictEqual(Failure.changed(failure, {}), failure)
    const changed = Failure.changed(failure, { hint: "Wait.", detail: "Even." })
    assert.instanceOf(changed, Failure.Transient)
    assert.deepStrictEqual({ ...changed }, { ...failure, detail: "Even." })
    assert.isFalse(Object.hasOwn(changed, "cause"))
    assert.notProperty({ ...Failure.changed(failure, { attempts: undefined }) }, "attempts")
  })

  it("2.5 a failure has no stack, and errors after it have one again", () => {
    const before = Error.stackTraceLimit
    const limit = 7
    Error.stackTraceLimit = limit
    const failure = Failure.make("Permanent", "odd", { tool: "search", detail: "Odd." })
    assert.notInclude(failure.stack ?? "", "    at ")
    assert.strictEqual(Error.stackTraceLimit, limit)
    assert.throws(() =>
      Failure.withoutStack(() => {
        throw new Error("no")
      })
    )
    assert.strictEqual(Error.stackTraceLimit, limit)
    Error.stackTraceLimit = before
  })

  it("3.5 a page is an incomplete result with a continuation, a refusal did nothing, and any other failure is an incident", () => {
    const details = { tool: "search", detail: "Odd.", data: 1 }
    const refused = { ...details, refusal: { _tag: "OutOfStock" } }
    const kinds: ReadonlyArray<readonly [failure: Failure.Failure, isPage: boolean, isRefusal: boolean]> = [
      [Failure.make("PartialData", "odd", { ...details, next: 2 }), true, false],
      [Failure.make("PartialData", "odd", details), false, false],
      [Failure.make("Permanent", "out_of_stock", refused), false, true],
      [Failure.make("ToolArgError", "out_of_stock", refused), false, true],
      [Failure.make("Permanent", "out_of_stock", { ...refused, sideEffect: "unknown" }), false, false],
      [Failure.make("Permanent", "odd", details), false, false],
      [Failure.make("Transient", "odd", details), false, false]
    ]
    for (const [failure, isPage, isRefusal] of kinds)
      assert.deepStrictEqual(
        [Failure.isPage(failure), Failure.isRefusal(failure), Failure.isIncident(failure)],
        [isPage, isRefusal, !isPage && !isRefusal],
        failure.message
      )
    const other = Object.assign(Failure.make("Transient", "odd", details), { refusal: { _tag: "Odd" }, next: 2 })
    assert.deepStrictEqual([Failure.refusalOf(other), Failure.isPage(other)], [undefined, false])
    assert.deepStrictEqual(Failure.refusalOf(Failure.make("Permanent", "odd", refused)), { _tag: "OutOfStock" })
  })
})
