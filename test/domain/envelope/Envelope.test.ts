import * as Envelope from "#domain/envelope/Envelope"
import type * as EnvelopeError from "#domain/envelope/EnvelopeError"
import * as Failure from "#domain/failure/Failure"
import { codes } from "#domain/failure/FailureCode"
import { failed, success, type FailedOutcome, type Outcome } from "#domain/call/Outcome"
import * as Utf8 from "#domain/text/Utf8"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Schema } from "effect"

const read: Envelope.RenderOptions = { access: "read", encode: (value) => value }
const write: Envelope.RenderOptions = { ...read, access: "write" }

const common = { tool: "search_orders", detail: "It failed.", hint: "", sideEffect: "none", traceId: "t-1" } as const

type Fields = Omit<ConstructorParameters<typeof Failure.Permanent>[0], "_tag">

const classes: Record<Exclude<Failure.FailureTag, "PartialData">, new (fields: Fields) => Failure.Failure> = {
  ToolArgError: Failure.ToolArgError,
  SchemaMismatch: Failure.SchemaMismatch,
  SemanticGarbage: Failure.SemanticGarbage,
  Transient: Failure.Transient,
  Resource: Failure.Resource,
  Permanent: Failure.Permanent,
  HumanReview: Failure.HumanReview
}

const failureOf = (tag: Failure.FailureTag, fields: Fields): Failure.Failure =>
  tag === "PartialData" ? new Failure.PartialData({ ...fields, data: null }) : new classes[tag](fields)

const textOf = (outcome: Outcome, options: Envelope.RenderOptions): string => Envelope.render(outcome, options).text

/** Renders an outcome, checks that its text, value and kind agree, and returns the value. */
const rendered = (outcome: Outcome, options: Envelope.RenderOptions = read): Record<string, unknown> => {
  const { shows, text } = Envelope.render(outcome, options)
  assert.strictEqual(text, JSON.stringify(Envelope.make(outcome, options)))
  const value = JSON.parse(text) as Record<string, unknown>
  assert.strictEqual(shows, "data" in value ? "data" : "preview" in value ? "preview" : "error")
  return value
}

const errorOf = (outcome: Outcome, options: Envelope.RenderOptions = read): EnvelopeError.EnvelopeError =>
  rendered(outcome, options)["error"] as EnvelopeError.EnvelopeError

const counted = (error: EnvelopeError.EnvelopeError): number =>
  JSON.stringify({ ...error, next: undefined, approval_url: undefined }).length

const transient = (rest: Partial<FailedOutcome> = {}): FailedOutcome => ({
  ...failed(new Failure.Transient({ ...common, code: "timeout", hint: codes.timeout.hint })),
  ...rest
})

describe("Envelope", () => {
  it("4.16, 5.1 a success has its data and nothing else", () => {
    const text = textOf(success({ orders: [{ id: "o-1" }], page: 1 }), read)
    assert.strictEqual(text, `{"status":"success","data":{"orders":[{"id":"o-1"}],"page":1}}`)
  })

  it("5.1 a success is encoded by the codec in the options", () => {
    const encode = Schema.encodeUnknownSync(Schema.toCodecJson(Schema.Struct({ at: Schema.Date })))
    const text = textOf(success({ at: new Date(0) }), { ...read, encode })
    assert.strictEqual(text, `{"status":"success","data":{"at":"1970-01-01T00:00:00.000Z"}}`)
  })

  it("5.1 a success has flags for a fallback, an idempotent repetition and an unchanged result", () => {
    const outcome = { ...success([1]), usedFallback: "search_cache", idempotent: true, unchanged: true } as const
    const flags = `"used_fallback":"search_cache","_idempotent":true,"unchanged":true`
    assert.strictEqual(textOf(outcome, read), `{"status":"success","data":[1],${flags}}`)
    assert.deepStrictEqual(rendered(outcome)["used_fallback"], "search_cache")
  })

  for (const [value, data] of [
    [undefined, "null"],
    [null, "null"],
    ["", `""`],
    [" \n\t", `" \\n\\t"`],
    [[], "[]"],
    [{}, "{}"]
  ] as const) {
    it(`5.3 an empty success is marked: ${data}`, () =>
      assert.strictEqual(textOf(success(value), read), `{"status":"success","data":${data},"empty":true}`))
  }

  for (const value of [0, false, "0", [null], { a: null }, [[]], "null", "[]"]) {
    it(`5.3 ${JSON.stringify(value)} is not empty`, () =>
      assert.deepStrictEqual(rendered(success(value)), { status: "success", data: value }))
  }

  it("5.1 a partial result has data and an error", () => {
    const failure = new Failure.PartialData({
      ...common,
      code: "more_pages",
      detail: "Page 1 of 3.",
      data: { orders: ["o-1"] },
      next: { customer: "C-1", page: 2 }
    })
    assert.strictEqual(
      textOf(failed(failure), read),
      `{"status":"partial","data":{"orders":["o-1"]},"error":{"error_class":"partial_data","code":"more_pages",` +
        `"message":"Page 1 of 3.","hint":"Continue with \`next\` for the rest.","next_step":"continue",` +
        `"retryable":false,"next":{"customer":"C-1","page":2},"trace_id":"t-1"}}`
    )
  })

  it("5.5 a partial result without a continuation asks for a smaller request", () => {
    const failure = new Failure.PartialData({ ...common, code: "too_many", hint: "Give a shorter period.", data: [1] })
    const error = errorOf(failed(failure))
    assert.strictEqual(error.next_step, "fix_arguments")
    assert.strictEqual(error.hint, "Give a shorter period.")
    assert.isFalse("next" in error)
  })

  it("5.2 the fields of an error have the order of the specification", () => {
    const human = new Failure.HumanReview({
      ...common,
      code: "requires_human_approval",
      sideEffect: "unknown",
      fields: ["cents"],
      approvalUrl: "https://a.example/1"
    })
    assert.strictEqual(
      textOf(failed(human), write),
      `{"status":"error","error":{"error_class":"human_review","code":"requires_human_approval","message":"It failed.",` +
        `"hint":"Wait for the decision; do not call again until then.","next_step":"wait","fields":["cents"],` +
        `"side_effect":"unknown","retryable":false,"human_review":true,"approval_url":"https://a.example/1",` +
        `"trace_id":"t-1"}}`
    )
    const late = new Failure.Transient({ ...common, code: "rate_limited", retryAfter: Duration.millis(1500.2) })
    assert.strictEqual(
      textOf({ ...failed(late), remaining: 2 }, read),
      `{"status":"error","error":{"error_class":"transient","code":"rate_limited","message":"It failed.",` +
        `"hint":"Wait, then try again.","next_step":"wait","retryable":true,"retry_after_ms":1501,"max_retries":2,` +
        `"trace_id":"t-1"}}`
    )
  })

  it("5.2 hidden characters of a failure are shown as code points in message and hint, and stay in the data of a success", () => {
    const failure = new Failure.Permanent({
      ...common,
      code: "tool_failed",
      detail: "No file \u202Efdp.exe\u200B,\n\u00A0ask\u0007",
      hint: "Write\u2066 1"
    })
    const error = errorOf(failed(failure))
    assert.deepStrictEqual(
      [error.message, error.hint],
      ["No file [U+202E]fdp.exe[U+200B], ask[U+0007]", "Write[U+2066] 1"]
    )
    assert.strictEqual(textOf(success("a\u202Eb"), read), `{"status":"success","data":"a\u202Eb"}`)
    const long = errorOf(failed(new Failure.Permanent({ ...failure, detail: "\u202E".repeat(5_000) })))
    assert.isAtMost(counted(long), 600)
    assert.match(long.message, /^(\[U\+202E\])+/)
  })

  it("10.3 the approval_url of the options takes precedence, and only HumanReview has one", () => {
    const options = { ...write, approvalUrl: "https://a.example/2" }
    const human = new Failure.HumanReview({ ...common, code: "no_person", approvalUrl: "https://a.example/1" })
    assert.strictEqual(errorOf(failed(human), options).approval_url, "https://a.example/2")
    assert.isFalse("approval_url" in errorOf(transient(), options))
  })
})

describe("Envelope, accepted writes", () => {
  it("3.3 an accepted write that is polled says when to call again, and does not forbid another call", () => {
    const outcome = { ...success({ n: 1 }), isAccepted: true as const, readAgainMillis: 2_000 }
    assert.deepStrictEqual(
      rendered(outcome, write)["notice"],
      [
        "Accepted; it is not known whether it is done yet.",
        "Not finished yet. Call again after 2 seconds for a new status."
      ].join(" ")
    )
  })
})

describe("Envelope, loops", () => {
  const repetition = { _tag: "Tell", count: 2, reason: "Do something else." } as const

  it("7.3 the second identical success is marked as unchanged", () => {
    const outcome = { ...success([1]), loop: { ...repetition, pattern: "identical" } } as const
    assert.strictEqual(textOf(outcome, read), `{"status":"success","data":[1],"unchanged":true}`)
  })

  it("7.1 a repetition of another pattern is reported in a notice", () => {
    const outcome = { ...success([1]), loop: { ...repetition, _tag: "Stop", isEnd: false, pattern: "cycle" } } as const
    assert.deepStrictEqual(rendered(outcome), { status: "success", data: [1], notice: "Do something else." })
  })

  it("7.1 a failure has the notice before its hint, unless the failure itself reports the loop", () => {
    const loop = { ...repetition, pattern: "same_failure" } as const
    assert.strictEqual(errorOf(transient({ loop })).hint, `Do something else. ${codes.timeout.hint}`)
    const ended = failed(new Failure.HumanReview({ ...common, code: "loop_detected" }))
    assert.strictEqual(errorOf({ ...ended, loop }).hint, codes.loop_detected.hint)
  })

  it("7.3 a verdict to proceed adds nothing", () => {
    const outcome = { ...success([1]), loop: { _tag: "Proceed" } } as const
    assert.strictEqual(textOf(outcome, read), `{"status":"success","data":[1]}`)
  })
})

describe("Envelope, results with JSON text", () => {
  const withJson = { ...read, encode: () => assert.fail("not asked") }

  it("5.1 a JSON text in the options is used as the data", () => {
    assert.strictEqual(textOf(success(1), { ...withJson, json: `{"a":1}` }), `{"status":"success","data":{"a":1}}`)
    assert.deepStrictEqual(rendered(success(1), { ...withJson, json: "[]" }), {
      status: "success",
      data: [],
      empty: true
    })
  })

  it("4.14 a JSON text in the options that is too large is replaced by a preview", () => {
    const value = "x".repeat(20_000)
    const envelope = rendered(success(value), { ...read, json: JSON.stringify(value) })
    assert.strictEqual((envelope["preview"] as { bytes: number }).bytes, 20_002)
  })
})

describe("Envelope, remaining attempts", () => {
  it("5.2 a transient failure has the number of remaining attempts", () => {
    const error = errorOf(transient({ remaining: 2 }))
    assert.deepStrictEqual([error.retryable, error.max_retries, error.next_step], [true, 2, "wait"])
  })

  it("5.2 without remaining attempts retryable is false, and neither next_step nor hint says wait", () => {
    for (const remaining of [0, -1]) {
      const error = errorOf(transient({ remaining }))
      assert.deepStrictEqual([error.retryable, error.next_step], [false, "use_other_tool"])
      assert.strictEqual(error.hint, "Do not make this call again. Use another tool or tell the user.")
      assert.isFalse("max_retries" in error)
    }
  })

  it("5.2 no transient code says wait without remaining attempts", () => {
    for (const [code, row] of Object.entries(codes)) {
      if (row.tag !== "Transient") continue
      const failure = new Failure.Transient({ ...common, code, hint: row.hint })
      const error = errorOf({ ...failed(failure), remaining: 0 })
      assert.notStrictEqual(error.next_step, "wait", code)
      assert.notMatch(error.hint, /\btry again\b|\bwait\b/i, code)
    }
  })

  it("5.2 a tool's own hint is kept even if no attempts remain", () => {
    const failure = new Failure.Transient({ ...common, code: "timeout", hint: "Ask for one month." })
    assert.strictEqual(errorOf({ ...failed(failure), remaining: 0 }).hint, "Ask for one month.")
  })

  it("5.2 only transient failures without an effect are retryable", () => {
    const fields = { ...common, code: "x", data: 1 }
    for (const failure of [
      new Failure.ToolArgError(fields),
      new Failure.SchemaMismatch(fields),
      new Failure.PartialData(fields),
      new Failure.SemanticGarbage(fields),
      new Failure.Resource(fields),
      new Failure.Permanent(fields),
      new Failure.HumanReview(fields),
      new Failure.Transient({ ...fields, sideEffect: "unknown" })
    ]) {
      const error = errorOf({ ...failed(failure), remaining: 3 })
      assert.deepStrictEqual([error.retryable, "max_retries" in error], [false, false], failure._tag)
      assert.notStrictEqual(error.next_step, "wait", failure._tag)
    }
  })

  it("4.6 a recalled failure says that the call will fail again", () => {
    const failure = new Failure.SchemaMismatch({ ...common, code: "truncated_response", detail: "Cut at byte 4096." })
    const error = errorOf({ ...failed(failure), recalled: true })
    assert.strictEqual(
      error.message,
      "You already made this identical call; it failed and will fail again. Cut at byte 4096."
    )
    assert.deepStrictEqual([error.retryable, error.next_step], [false, "use_other_tool"])
  })

  it("4.6 a recalled transient failure is not retryable", () =>
    assert.isFalse(errorOf(transient({ recalled: true, remaining: 3 })).retryable))

  it("4.12 a failure names the fallbacks that failed too, even if its message is shortened", () => {
    const tried = { tried: ["search_cache", "search_index"] }
    assert.strictEqual(errorOf(transient(tried)).message, "It failed. Also failed: search_cache, search_index.")
    const long = failed(new Failure.Permanent({ ...common, code: "tool_failed", detail: "long ".repeat(500) }))
    assert.match(errorOf({ ...long, ...tried }).message, /… Also failed: search_cache, search_index\.$/)
  })

  it("3.3 a failure with a committed effect tells the model to stop, whatever the class", () => {
    const fields = { ...common, code: "odd_total", hint: "Try again.", sideEffect: "committed" } as const
    const unread = "The action was done; its answer could not be read. Do not call again."
    for (const [failure, message, hint] of [
      [new Failure.SchemaMismatch(fields), "It failed.", unread],
      [
        new Failure.SemanticGarbage(fields),
        "search_orders was done, then: It failed.",
        "The action was done. Do not call again."
      ]
    ] as const) {
      const error = errorOf(failed(failure), write)
      assert.deepStrictEqual(
        [error.message, error.hint, error.next_step, error.side_effect],
        [message, hint, "stop", "committed"]
      )
    }
  })

  for (const tag of [
    "ToolArgError",
    "SchemaMismatch",
    "SemanticGarbage",
    "Transient",
    "Resource",
    "Permanent"
  ] as const) {
    it(`3.3 if a write fails with ${tag} and an unknown effect, the model reads that its effect is not known`, () => {
      const failure = new classes[tag]({ ...common, code: "odd_total", hint: "Try again.", sideEffect: "unknown" })
      const error = errorOf({ ...failed(failure), remaining: 3 }, write)
      assert.deepStrictEqual(
        [error.message, error.hint, error.next_step, error.side_effect, error.retryable],
        [
          "It failed.",
          "The tool reported a failure; it is not known whether anything was done. Do not repeat the call; ask the user.",
          "ask_user",
          "unknown",
          false
        ]
      )
      const looked = errorOf(failed(failure), { ...write, lookup: "find_it" })
      assert.strictEqual(looked.next_step, "use_other_tool")
      assert.include(looked.hint, "Do not repeat the call; check with find_it whether it was done.")
      assert.strictEqual(
        errorOf({ ...failed(failure), recalled: true }, write).message,
        "You already made this identical call. It failed."
      )
    })
  }

  it("3.3 a partial result of a write tells the model to continue", () => {
    const failure = new Failure.PartialData({
      ...common,
      code: "some",
      sideEffect: "committed",
      data: [1],
      next: { a: 2 }
    })
    assert.strictEqual(errorOf(failed(failure), write).next_step, "continue")
  })

  it("5.2 side_effect is left out only if it is none by definition", () => {
    const wrong = failed(new Failure.ToolArgError({ ...common, code: "invalid_arguments" }))
    assert.isFalse("side_effect" in errorOf(wrong, write))
    assert.isFalse("side_effect" in errorOf(transient()))
    assert.strictEqual(errorOf(transient(), write).side_effect, "none")
    assert.strictEqual(errorOf(transient(), { ...read, access: "destructive" }).side_effect, "none")
  })
})

describe("Envelope, next_step", () => {
  const steps = ["fix_arguments", "wait", "continue", "use_other_tool", "ask_user", "stop"]

  it("5.5 the error of every code, except codes of PartialData, has the next_step, hint and class of its row in the table", () => {
    for (const [code, row] of Object.entries(codes)) {
      if (row.tag === "PartialData") continue
      const sideEffect = code === "done_unreadable" ? "committed" : "none"
      const failure = failureOf(row.tag, { ...common, code, sideEffect })
      const error = errorOf({ ...failed(failure), remaining: code === "retry_budget_exceeded" ? 0 : 1 })
      assert.deepStrictEqual([error.next_step, error.hint], [row.nextStep, row.hint], code)
      assert.strictEqual(error.error_class, row.tag.replace(/(?<=.)[A-Z]/g, "_$&").toLowerCase())
    }
  })

  it("5.5 the error of a check's own code has the next_step of its class", () => {
    const fields = { ...common, code: "celsius_for_fahrenheit", data: 1 }
    const stepOf = (failure: Failure.Failure) => errorOf(failed(failure)).next_step
    assert.deepStrictEqual(
      [
        stepOf(new Failure.ToolArgError(fields)),
        stepOf(new Failure.SchemaMismatch(fields)),
        stepOf(new Failure.SemanticGarbage(fields)),
        stepOf(new Failure.Transient(fields)),
        stepOf(new Failure.Resource(fields)),
        stepOf(new Failure.Permanent(fields)),
        stepOf(new Failure.HumanReview(fields))
      ],
      ["fix_arguments", "use_other_tool", "use_other_tool", "wait", "stop", "use_other_tool", "ask_user"]
    )
  })

  it("5.5 a failure of another class does not say wait even if its code does", () => {
    const failure = new Failure.SemanticGarbage({ ...common, code: "timeout" })
    assert.strictEqual(errorOf(failed(failure)).next_step, "use_other_tool")
  })

  it("5.3 the message of a failure without a detail is the meaning of its code, or says that there is no reason", () => {
    const error = errorOf(failed(new Failure.Permanent({ ...common, code: "own", detail: " \n" })))
    assert.strictEqual(error.message, "The tool gave no reason.")
    const known = errorOf(failed(new Failure.Permanent({ ...common, code: "missing_software", detail: "" })))
    assert.strictEqual(known.message, codes.missing_software.meaning)
  })

  it.prop(
    "5.5 every failure has at most 600 characters and a known next_step, and only a review says wait without a retry",
    [
      Schema.Struct({
        tag: Schema.Literals([
          "ToolArgError",
          "SchemaMismatch",
          "PartialData",
          "SemanticGarbage",
          "Transient",
          "Resource",
          "Permanent",
          "HumanReview"
        ]),
        code: Schema.Union([Schema.Literals(Object.keys(codes)), Schema.String]),
        detail: Schema.String,
        hint: Schema.String,
        times: Schema.Literals([0, 1, 40, 5000]),
        fields: Schema.Array(Schema.String),
        sideEffect: Failure.SideEffect,
        traceId: Schema.String,
        tried: Schema.Array(Schema.String),
        remaining: Schema.Int,
        recalled: Schema.Boolean,
        access: Schema.Literals(["read", "write", "destructive"])
      })
    ],
    ([{ access, detail, hint, recalled, remaining, tag, times, tried, ...fields }]) => {
      const failure = failureOf(tag, {
        ...fields,
        tool: "a",
        detail: detail.repeat(times),
        hint: hint.repeat(times)
      })
      const outcome = { ...failed(failure), tried, remaining, ...(recalled ? { recalled } : {}) }
      const error = errorOf(outcome, { ...read, access })
      assert.isAtMost(counted(error), 600)
      assert.include(steps, error.next_step)
      assert.isTrue(error.message.length > 0 && error.hint.length > 0)
      if (error.next_step === "wait" && tag !== "HumanReview") assert.isTrue(error.retryable)
    },
    { arbitrary: { runs: 500 } }
  )

  it("5.5 a long error is cut to between 580 and 600 characters, but not within a surrogate pair", () => {
    for (const unit of ["a", "\u0001", "😀", "\ud800", '"', "é"]) {
      const failure = new Failure.Permanent({
        ...common,
        code: "tool_failed",
        detail: unit.repeat(20_000),
        hint: unit.repeat(900),
        fields: Array.from({ length: 50 }, (_, index) => `orders[${index}].cents`)
      })
      const error = errorOf(failed(failure))
      assert.isAtMost(counted(error), 600)
      assert.isAtLeast(counted(error), 580)
      assert.match(error.message, /…$/)
      assert.match(error.hint, /…$/)
      if (unit !== "\ud800") assert.isTrue(error.message.isWellFormed())
    }
  })

  it("5.5 if there are too many fields, the first are kept", () => {
    const fields = Array.from({ length: 30 }, (_, index) => `orders[${index}].line_items`)
    const error = errorOf(
      failed(new Failure.ToolArgError({ ...common, code: "invalid_arguments", detail: "x".repeat(300), fields }))
    )
    assert.deepStrictEqual(error.fields, fields.slice(0, error.fields?.length))
    assert.isAtLeast(error.fields?.length ?? 0, 3)
    assert.strictEqual(error.message, "x".repeat(300))
  })

  it("5.5 the bound of 600 characters does not count next", () => {
    const next = { cursor: "c".repeat(2_000) }
    const partial = new Failure.PartialData({ ...common, code: "more", data: [], next })
    assert.deepStrictEqual(errorOf(failed(partial)).next, next)
    assert.strictEqual(errorOf(failed(partial)).message, "It failed.")
  })
})

describe("Envelope, results that JSON cannot represent", () => {
  const cycle: Record<string, unknown> = {}
  cycle["self"] = cycle
  let deep: unknown = null
  for (let i = 0; i < 100_000; i++) deep = [deep]
  const hostile: ReadonlyArray<readonly [string, unknown]> = [
    ["a bigint", { cents: 10n }],
    ["a cycle", cycle],
    ["a function", () => 1],
    ["a symbol", Symbol("x")],
    ["a toJSON that throws", { toJSON: () => assert.fail("boom") }],
    ["100,000 levels", deep]
  ]
  for (const [name, value] of hostile) {
    it(`5.4 a read whose result contains ${name} ends with SchemaMismatch`, () =>
      assert.deepStrictEqual(rendered(success(value), { ...read, traceId: "t-2" }), {
        status: "error",
        error: {
          error_class: "schema_mismatch",
          code: "invalid_result",
          message: "The tool's result cannot be written as JSON.",
          hint: codes.invalid_result.hint,
          next_step: "use_other_tool",
          retryable: false,
          trace_id: "t-2"
        }
      }))
  }

  it("3.3 an unreadable result of a write says that the action was done", () => {
    const error = errorOf(success(1n), write)
    assert.deepStrictEqual(
      [error.code, error.hint, error.next_step, error.side_effect],
      ["done_unreadable", codes.done_unreadable.hint, "stop", "committed"]
    )
  })

  it("5.4 a codec that throws causes a SchemaMismatch", () => {
    const encode = () => assert.fail("boom")
    assert.strictEqual(errorOf(success(1), { ...read, encode }).error_class, "schema_mismatch")
    const partial = new Failure.PartialData({ ...common, code: "some", data: 1 })
    assert.strictEqual(errorOf(failed(partial), { ...read, encode }).error_class, "schema_mismatch")
  })

  it("5.4 a continuation that JSON cannot represent is left out", () => {
    const partial = new Failure.PartialData({ ...common, code: "some", data: [1], next: { page: 2n } })
    const error = errorOf(failed(partial))
    assert.strictEqual(error.next_step, "fix_arguments")
    assert.strictEqual(error.hint, "Ask for less, so that the answer is complete.")
  })

  it.prop("5.1 every JSON value is sent unchanged", [Schema.Json], ([value]) => {
    const text = textOf(success(value), { ...read, maxResultBytes: Infinity })
    assert.deepStrictEqual(JSON.parse(text).data, JSON.parse(JSON.stringify(value)))
    assert.isTrue(text.startsWith(`{"status":"success","data":${JSON.stringify(value)}`))
  })
})

describe("Envelope, large results", () => {
  interface ShownPreview {
    readonly bytes: number
    readonly structure: unknown
    readonly first?: unknown
    readonly note: string
  }
  const previewOf = (value: unknown, options: Partial<Envelope.RenderOptions> = {}): ShownPreview => {
    const whole = { ...read, ...options }
    const envelope = rendered(success(value), whole)
    assert.deepStrictEqual(Object.keys(envelope), ["status", "preview"])
    assert.isAtMost(Utf8.length(JSON.stringify(envelope["preview"])), whole.maxResultBytes ?? 10_240)
    return envelope["preview"] as ShownPreview
  }
  const row = (index: number) => ({ id: `o-${index}`, cents: index * 100, note: "für Zoë" })
  const rows = Array.from({ length: 5_000 }, (_, index) => row(index))

  it("4.14 shows the beginning of a long text of characters of one to four bytes, and of escaped characters", () => {
    for (const [character, least] of [
      ["x", 9_000],
      ["é", 4_000],
      ["€", 2_900],
      ["😀", 2_900],
      ['"', 4_000],
      ["\u0000", 1_500]
    ] as const) {
      const { first } = previewOf(character.repeat(100_000))
      assert.isString(first)
      assert.isAtLeast(String(first).length, least, character)
      assert.isTrue(String(first).startsWith(character.repeat(100)))
    }
  })

  it("4.14 a result of exactly the limit is sent whole, and a result of one byte more as a preview", () => {
    assert.deepStrictEqual(rendered(success("x".repeat(10_238))), { status: "success", data: "x".repeat(10_238) })
    assert.strictEqual(previewOf("x".repeat(10_239)).bytes, 10_241)
  })

  it("4.14 the limit counts bytes, not characters", () => {
    const text = "é".repeat(6_000)
    assert.strictEqual(previewOf(text).bytes, 12_002)
  })

  it("4.14 a list shows its first complete rows and their number", () => {
    const preview = previewOf(rows)
    assert.strictEqual(preview.structure, "array of 5000")
    assert.strictEqual(preview.bytes, Utf8.length(JSON.stringify(rows)))
    const first = preview.first as ReadonlyArray<unknown>
    assert.deepStrictEqual(first, rows.slice(0, first.length))
    assert.isAtLeast(first.length, 180)
    assert.strictEqual(
      preview.note,
      "Only the beginning: the result is too large. Ask for less, or for one part at a time."
    )
  })

  it("4.14 a preview names each member and its kind, shows small members whole and cuts large ones", () => {
    const preview = previewOf({
      page: 1,
      orders: rows,
      has_more: true,
      customer: { id: "C-1" },
      log: "line\n".repeat(9_000)
    })
    assert.deepStrictEqual(preview.structure, {
      page: "number",
      orders: "array of 5000",
      has_more: "boolean",
      customer: "object",
      log: "string of 45000 characters"
    })
    const first = preview.first as { page: number; orders: Array<unknown>; log: string }
    assert.deepStrictEqual(Object.keys(first), ["page", "orders", "has_more", "customer", "log"])
    assert.deepStrictEqual(first.orders, rows.slice(0, first.orders.length))
    assert.isAtLeast(first.orders.length, 50)
    assert.isTrue(first.log.length > 3_000 && first.log.endsWith("…"))
    assert.isTrue("line\n".repeat(9_000).startsWith(first.log.slice(0, -1)))
  })

  it("4.14 a preview shows the beginning of a first row that is too large", () => {
    const preview = previewOf([{ id: "d-1", pages: ["p".repeat(20_000)] }, { id: "d-2" }])
    const [only] = preview.first as ReadonlyArray<{ id: string; pages: ReadonlyArray<string> }>
    assert.strictEqual(only?.id, "d-1")
    assert.match(only?.pages[0] ?? "", /^p{9000,}…$/)
  })

  it("4.14 a preview of ten thousand members names the first forty and counts the others", () => {
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, index]))
    const preview = previewOf(wide)
    assert.strictEqual((preview.structure as Record<string, string>)["…"], "9960 more members")
    assert.strictEqual(Object.keys(preview.first as object).length, 40)
  })

  it("4.14 members with long names are only counted", () => {
    const wide = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`${index}${"k".repeat(300)}`, index]))
    assert.strictEqual(previewOf(wide, { maxResultBytes: 2_000 }).structure, "object of 60 members")
  })

  it("4.14 a preview of characters that need several bytes stays within the limit", () => {
    for (const unit of ["😀", "漢", "\u0001", '"']) previewOf(unit.repeat(20_000))
    for (const maxResultBytes of [300, 1_000]) previewOf(rows, { maxResultBytes })
  })

  it("4.14 a preview has only size and structure if not even the beginning fits", () =>
    assert.deepStrictEqual(rendered(success(rows), { ...read, maxResultBytes: 100 })["preview"], {
      bytes: Utf8.length(JSON.stringify(rows)),
      structure: "array of 5000",
      note: "Only the beginning: the result is too large. Ask for less, or for one part at a time."
    }))

  it("4.14 a large partial result keeps its error", () => {
    const failure = new Failure.PartialData({ ...common, code: "more", data: rows, next: { page: 2 } })
    const envelope = rendered(failed(failure))
    assert.deepStrictEqual(Object.keys(envelope), ["status", "preview", "error"])
    assert.deepStrictEqual((envelope["error"] as { next: unknown }).next, { page: 2 })
  })

  it("4.14 a large result keeps its flags", () => {
    const outcome = { ...success(rows), unchanged: true } as const
    assert.deepStrictEqual(Object.keys(rendered(outcome)), ["status", "preview", "unchanged"])
  })

  it("4.14 shows the beginning of lists, objects and texts", () => {
    const isBeginning = (part: unknown, whole: unknown): boolean => {
      if (typeof part === "string" && typeof whole === "string") {
        return part === whole || (part.endsWith("…") && whole.startsWith(part.slice(0, -1)))
      }
      if (Array.isArray(part)) {
        return Array.isArray(whole) && part.every((item, index) => isBeginning(item, whole[index]))
      }
      if (typeof part === "object" && part !== null) {
        return Object.entries(part).every(([key, item]) => isBeginning(item, (whole as Record<string, unknown>)[key]))
      }
      return part === whole
    }
    for (const maxResultBytes of [200, 400, 3_000]) {
      for (const value of [rows, { a: rows, b: { c: rows, d: "e".repeat(5_000) } }, [[rows]], "z".repeat(9_000)]) {
        const { first } = previewOf(value, { maxResultBytes })
        assert.isDefined(first)
        assert.isTrue(isBeginning(first, value))
      }
    }
  })
})
