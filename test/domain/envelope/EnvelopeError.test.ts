/** Tests whole errors of envelopes: every field, for each fact about the failed call. */
import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import * as EnvelopeError from "#domain/envelope/EnvelopeError"
import * as EffectHint from "#domain/failure/EffectHint"
import * as Failure from "#domain/failure/Failure"
import { codes } from "#domain/failure/FailureCode"

const fields = { tool: "pay", code: "own", detail: "It failed.", hint: "", sideEffect: "none", traceId: "t" } as const

type Context = Parameters<typeof EnvelopeError.make>[1]

const read: Context = { access: "read" }
const write: Context = { access: "write" }

const permanent = (more: Partial<ConstructorParameters<typeof Failure.Permanent>[0]> = {}) =>
  new Failure.Permanent({ ...fields, ...more })
const transient = (more: Partial<ConstructorParameters<typeof Failure.Transient>[0]> = {}) =>
  new Failure.Transient({ ...fields, code: "rate_limited", ...more })

/** Asserts that the error of a failure has the fields in `expected`. */
const has = (failure: Failure.Failure, context: Context, expected: Readonly<Record<string, unknown>>) => {
  const error = EnvelopeError.make(failure, context) as unknown as Readonly<Record<string, unknown>>
  assert.deepStrictEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, error[name]])), { ...expected })
}

describe("EnvelopeError", () => {
  it("5.2 a failure without further facts has these fields and no others", () => {
    assert.deepStrictEqual(EnvelopeError.make(permanent(), write), {
      error_class: "permanent",
      code: "own",
      message: "It failed.",
      hint: codes.tool_failed.hint,
      next_step: "use_other_tool",
      side_effect: "none",
      retryable: false,
      trace_id: "t"
    })
    assert.deepStrictEqual(EnvelopeError.make(permanent({ traceId: "" }), read), {
      error_class: "permanent",
      code: "own",
      message: "It failed.",
      hint: codes.tool_failed.hint,
      next_step: "use_other_tool",
      retryable: false
    })
  })

  it("5.2 a transient failure has max_retries only if its attempts are counted", () => {
    const whole = {
      error_class: "transient",
      code: "rate_limited",
      message: "It failed.",
      hint: codes.rate_limited.hint,
      next_step: "wait",
      retryable: true,
      retry_after_ms: 1_000,
      trace_id: "t"
    }
    const json = (error: object) => Object.entries(error).sort()
    assert.deepStrictEqual(json(EnvelopeError.make(transient(), read)), json(whole))
    assert.deepStrictEqual(
      json(EnvelopeError.make(transient(), { ...read, remaining: 2 })),
      json({ ...whole, max_retries: 2 })
    )
  })

  it("5.5 a failure whose code says wait has the next step of its own class if it is not transient", () => {
    for (const [failure, step] of [
      [new Failure.ToolArgError({ ...fields, code: "timeout" }), "fix_arguments"],
      [new Failure.Resource({ ...fields, code: "timeout" }), "stop"],
      [new Failure.Permanent({ ...fields, code: "timeout" }), "use_other_tool"],
      [new Failure.HumanReview({ ...fields, code: "timeout" }), "wait"]
    ] as const)
      has(failure, read, { next_step: step })
  })

  it("5.2 a retryable failure says how long to wait: as the caller computed, as the upstream stated, or a second", () => {
    const stated = { retryAfter: Duration.millis(2_500.5) }
    has(transient(), read, { retryable: true, retry_after_ms: 1_000, max_retries: undefined })
    has(transient(stated), read, { retryable: true, retry_after_ms: 2_501 })
    has(transient(stated), { ...read, retryAfterMillis: 7 }, { retryable: true, retry_after_ms: 7 })
    has(transient({ retryAfter: Duration.infinity }), read, { retryable: true, retry_after_ms: 1_000 })
    has(transient(), { ...read, remaining: 3 }, { retryable: true, max_retries: 3 })
    // a failure that is not retryable has only the wait that its upstream stated
    has(transient(), { ...read, remaining: 0, retryAfterMillis: 7 }, { retryable: false, retry_after_ms: undefined })
    has(transient(stated), { ...read, remaining: 0 }, { retry_after_ms: 2_501, max_retries: undefined })
    has(new Failure.Resource({ ...fields, ...stated }), read, { retryable: false, retry_after_ms: 2_501 })
    has(new Failure.Resource(fields), read, { retryable: false, retry_after_ms: undefined })
  })

  it("5.2 an exhausted budget of retries is retryable only if attempts are known to remain", () => {
    const { hint, nextStep } = codes.retry_budget_exceeded
    const spent = transient({ code: "retry_budget_exceeded", hint })
    has(spent, read, { retryable: false, next_step: nextStep, hint })
    has(spent, { ...read, remaining: 0 }, { retryable: false, next_step: nextStep })
    has(spent, { ...read, remaining: 1 }, { retryable: true, next_step: "wait", max_retries: 1 })
  })

  it("5.2 a failure states the number of its attempts, and only a review has human_review and approval_url", () => {
    has(permanent({ attempts: 3 }), read, { attempts: 3, human_review: undefined })
    const review = (code: string) => new Failure.HumanReview({ ...fields, code, approvalUrl: "https://a.example/1" })
    has(review("requires_human_approval"), read, {
      human_review: true,
      approval_url: "https://a.example/1",
      next_step: "wait",
      retryable: false
    })
    has(review("own"), { ...read, approvalUrl: "https://a.example/2" }, { approval_url: "https://a.example/2" })
    has(permanent(), { ...read, approvalUrl: "https://a.example/2" }, { approval_url: undefined })
  })

  it("4.6 a recalled failure says what happened to the first call", () => {
    const recalled = { ...write, recalled: true } as const
    const partial = { ...fields, data: [1], code: "more" }
    for (const [failure, message] of [
      [permanent(), "You already made this identical call; it failed and will fail again. It failed."],
      [permanent({ code: "tool_failed" }), "You already made this identical call; it failed. It failed."],
      [
        permanent({ refusal: { _tag: "Sold" } }),
        "You already made this identical call; it was refused and will be refused again. It failed."
      ],
      [permanent({ sideEffect: "unknown" }), "You already made this identical call. It failed."],
      [permanent({ sideEffect: "committed" }), "You already made this identical call. pay was done, then: It failed."],
      [
        new Failure.PartialData({ ...partial, sideEffect: "committed" }),
        "You already made this identical call; it was not made again. It failed."
      ],
      [
        new Failure.PartialData(partial),
        "You already made this identical call; it failed and will fail again. It failed."
      ]
    ] as const)
      has(failure, recalled, { message })
  })

  it("3.3 the hint after an action that was done, or may have been, depends on what is known", () => {
    const done = (Class: typeof Failure.Permanent | typeof Failure.SchemaMismatch, code: string) =>
      new Class({ ...fields, code, sideEffect: "committed" })
    for (const [failure, hint, message] of [
      [done(Failure.Permanent, "own"), EffectHint.done, "pay was done, then: It failed."],
      [done(Failure.SchemaMismatch, "own"), codes.done_unreadable.hint, "It failed."],
      [done(Failure.SchemaMismatch, "done_without_result"), codes.done_without_result.hint, "It failed."]
    ] as const)
      has(failure, write, { hint, message, next_step: "stop", side_effect: "committed" })
    const unknown = { ...fields, sideEffect: "unknown" } as const
    for (const [failure, hint] of [
      [new Failure.Permanent(unknown), EffectHint.uncertain],
      [new Failure.Permanent({ ...unknown, hint: EffectHint.unproven() }), EffectHint.unproven],
      [new Failure.PartialData({ ...unknown, data: [1] }), EffectHint.unproven]
    ] as const) {
      has(failure, write, { hint: hint(), next_step: "ask_user", side_effect: "unknown", retryable: false })
      has(failure, { ...write, lookup: "find" }, { hint: hint("find"), next_step: "use_other_tool" })
    }
    // a person decides about a review, whose own hint is kept
    has(new Failure.HumanReview({ ...unknown, hint: "Wait." }), write, { hint: "Wait.", next_step: "ask_user" })
    // the next step of partial data with a continuation is to continue, whatever was done
    for (const sideEffect of ["committed", "unknown"] as const)
      has(new Failure.PartialData({ ...fields, sideEffect, data: [1], next: { a: 1 } }), write, {
        next_step: "continue",
        hint: "Continue with `next` for the rest.",
        message: "It failed.",
        next: { a: 1 }
      })
  })

  it("3.5 a declared refusal says that nothing was done", () => {
    has(permanent({ refusal: { _tag: "Sold", sku: "A" } }), write, {
      hint: "Nothing was done. Choose another way, or tell the user why it was refused.",
      details: { sku: "A" }
    })
    has(permanent({ hint: "Try B." }), write, { hint: "Try B.", details: undefined })
    has(new Failure.ToolArgError({ ...fields, refusal: { _tag: "Sold" } }), write, {
      hint: "Correct the arguments and call again.",
      details: {},
      side_effect: undefined
    })
  })

  it("4.12 names the first five fallbacks that failed, in at most 100 characters", () => {
    const tried = ["a", "b", "c", "d", "e", "f"]
    has(permanent(), { ...read, tried }, { message: "It failed. Also failed: a, b, c, d, e." })
    has(permanent(), { ...read, tried: [] }, { message: "It failed." })
    has(permanent(), { ...read, tried: ["x".repeat(200)] }, { message: `It failed. Also failed: ${"x".repeat(99)}….` })
  })

  it("5.5 codes and trace ids have at most 64 characters, and a detail is read up to 2,000 characters", () => {
    const long = "x".repeat(65)
    has(permanent({ code: long, traceId: long }), read, {
      code: `${"x".repeat(63)}…`,
      trace_id: `${"x".repeat(63)}…`
    })
    has(permanent({ code: long.slice(1), traceId: long.slice(1) }), read, {
      code: "x".repeat(64),
      trace_id: "x".repeat(64)
    })
    has(permanent({ detail: `a${" ".repeat(1_998)}bc` }), read, { message: "a b" })
  })

  it("5.5 an error of 600 characters is whole; in a longer error, fields get a quarter of the room, and texts the rest", () => {
    const length = (error: EnvelopeError.EnvelopeError) => JSON.stringify(error).length
    const frame = length(EnvelopeError.make(permanent({ detail: "a", hint: "b" }), read)) - 2
    const room = 600 - frame
    const texts = (detail: number, hint: number, more: Parameters<typeof permanent>[0] = {}) => {
      const error = EnvelopeError.make(permanent({ ...more, detail: "d".repeat(detail), hint: "h".repeat(hint) }), read)
      assert.isAtMost(length(error), 600)
      return [error.message.length, error.hint.length, error.fields?.length, Object.keys(error.details ?? {}).length]
    }
    assert.deepStrictEqual(texts(room - 100, 100), [room - 100, 100, undefined, 0])
    // the hint gets two fifths of the room, or what the message leaves; the message gets the rest
    const fifths = Math.floor((room * 2) / 5)
    assert.deepStrictEqual(texts(room, 100), [room - 100, 100, undefined, 0])
    assert.deepStrictEqual(texts(room, room), [room - fifths, fifths, undefined, 0])
    assert.deepStrictEqual(texts(100, room), [100, room - 100, undefined, 0])
    // each path of 8 characters takes 11
    const paths = Array.from({ length: 50 }, (_, index) => `field_${String(index).padStart(2, "0")}`)
    const kept = Math.floor((Math.floor(room / 4) - `,"fields":[]`.length) / 11)
    assert.strictEqual(texts(room, room, { fields: paths })[2], kept)
    assert.deepStrictEqual(
      EnvelopeError.make(permanent({ fields: paths, detail: "d".repeat(room) }), read).fields,
      paths.slice(0, kept)
    )
    assert.strictEqual(texts(10, 10, { fields: paths.slice(0, 20) })[2], 20)
  })

  it("5.5 an error that is too long keeps the first fields and the details that fit", () => {
    const long = { detail: "d".repeat(700) }
    const made = (more: Parameters<typeof permanent>[0]) => EnvelopeError.make(permanent({ ...long, ...more }), read)
    assert.deepStrictEqual(made({ fields: ["a", "b"] }).fields, ["a", "b"])
    assert.isUndefined(made({ fields: ["a".repeat(400), "b"] }).fields)
    const refusal = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`field_${index}`, "x".repeat(80)]))
    const { details, message } = made({ refusal: { _tag: "Sold", ...refusal } })
    const length = JSON.stringify(details).length
    assert.isTrue(length > 200 && length < 260, String(length))
    assert.isAbove(message.length, 90)
    assert.deepStrictEqual(made({ refusal: { _tag: "Sold", sku: "A" } }).details, { sku: "A" })
    assert.isFalse("details" in made({}))
  })
})
