/** Tests which answers the stages `parseResult` and `check` read, and what they make of each. */
import { failed, type FailedOutcome, type Outcome } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import * as Verdict from "#domain/tool/Verdict"
import type { Answer } from "#pipeline/call/Answer"
import * as Trace from "#pipeline/call/Trace"
import { check } from "#pipeline/stages/check"
import { parseResult } from "#pipeline/stages/parseResult"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { alone, define, type Tool } from "../support.ts"

const read = define("search")
const write = define("write_it", { access: "write" })

const text = (content: string, more: object = {}): Answer => ({
  _tag: "Text",
  text: content,
  bytes: content.length,
  cut: false,
  ...more
})

const response = (status: number, content: string, more: object = {}): Answer => ({
  _tag: "Response",
  status,
  headers: {},
  text: content,
  bytes: content.length,
  cut: false,
  ...more
})

/** Runs a stage for a call. Returns the call that was passed on, its trace and its decisions. */
const made = (stage: typeof check | typeof parseResult, tool: Tool, over: object) =>
  Effect.gen(function* () {
    const trace = Trace.make(undefined)
    const run = yield* alone(stage as typeof check, tool)
    yield* run.run({ trace, ...over })
    const [passed] = run.passed
    assert(passed !== undefined)
    const decisions = trace.decisions.map(({ decision, reason }): ReadonlyArray<string> => [decision, reason])
    return { passed, trace, decisions }
  }).pipe(Effect.provide(Guard.memory))

const failureIn = (outcome: Outcome | undefined): FailedOutcome => {
  assert(outcome?._tag === "Failure")
  return outcome
}

describe("parseResult: which answers are parsed", () => {
  for (const [what, answer, isParsed] of [
    ["a text", text('{"n":1}'), true],
    ["a response with status 200", response(200, '{"n":1}'), true],
    ["a response with status 299", response(299, '{"n":1}'), true],
    ["a response with status 300", response(300, '{"n":1}'), false],
    ["a response with status 199", response(199, '{"n":1}'), false],
    ["a value", { _tag: "Value", value: '{"n":1}' }, false],
    ["no answer", undefined, false]
  ] as const) {
    it.effect(`4.9 ${what} is ${isParsed ? "parsed" : "passed on"}`, () =>
      Effect.gen(function* () {
        const { passed } = yield* made(parseResult, read, { answer })
        assert.deepStrictEqual([passed.result, passed.outcome], [isParsed ? { n: 1 } : undefined, undefined])
      })
    )
  }

  it.effect("4.9 an empty text is null for a contract that accepts null, and is refused for any other", () =>
    Effect.gen(function* () {
      const nullable = define("search", { success: Schema.NullOr(Schema.Struct({ n: Schema.Int })) })
      const { passed } = yield* made(parseResult, nullable, { answer: text("") })
      assert.deepStrictEqual([passed.result, passed.outcome], [null, undefined])
      const other = yield* made(parseResult, read, { answer: text("") })
      assert.strictEqual(failureIn(other.passed.outcome).failure.code, "invalid_result_json")
    })
  )

  it.effect("4.9 a long text is parsed within the limits, also if its schema is closed", () =>
    Effect.gen(function* () {
      const deep = `${"[".repeat(400)}${"]".repeat(400)}`
      const of = (length: number) => {
        const content = `{"n":1,"more":${deep},"pad":"`
        return `${content}${"x".repeat(length - content.length - 2)}"}`
      }
      const codes = []
      for (const length of [65_536, 65_537]) {
        const { passed } = yield* made(parseResult, read, { answer: text(of(length)) })
        codes.push(passed.outcome === undefined ? "parsed" : failureIn(passed.outcome).failure.code)
      }
      assert.strictEqual(codes[0], "parsed")
      assert.notStrictEqual(codes[1], "parsed")
    })
  )
})

describe("parseResult: answers that are not the promised JSON", () => {
  const html = "<!doctype html><html><head><title>Orders</title></head><body>Hello</body></html>"

  for (const [what, answer, code, readEffect, writeEffect] of [
    ["is plain text", text("hello there"), "invalid_result_json", "none", "unknown"],
    ["is a page", text(html), "unexpected_content", "none", "unknown"],
    ["is XML", text('<?xml version="1.0"?><orders><order/></orders>'), "unexpected_content", "none", "unknown"],
    ["is nested too deeply", text(`${"[".repeat(2_000)}${"]".repeat(2_000)}`), undefined, "none", "unknown"],
    ["has a forbidden name", text('[{"__proto__":{"a":1}}]'), undefined, "none", "unknown"],
    ["was cut off by its transport", text('{"n":', { cut: true }), "body_cut", "none", "unknown"],
    [
      "cannot be decompressed",
      response(200, "", { cut: true, damage: "Z_DATA_ERROR" }),
      "unexpected_content",
      "none",
      "unknown"
    ],
    ["ends in the middle", text('{"n":1,"rows":[1,2'), "truncated_response", "none", "committed"]
  ] as const) {
    it.effect(`4.9 a text that ${what} is refused, and the effect of a write is ${writeEffect}`, () =>
      Effect.gen(function* () {
        const open = { success: Schema.Unknown }
        for (const [tool, sideEffect] of [
          [define("search", open), readEffect],
          [define("write_it", { access: "write", ...open }), writeEffect]
        ] as const) {
          const { passed, trace } = yield* made(parseResult, tool, { answer })
          const { failure, isAnswered } = failureIn(passed.outcome)
          if (code !== undefined) assert.strictEqual(failure.code, code)
          assert.strictEqual(failure.sideEffect, sideEffect)
          assert.strictEqual(isAnswered === true, code !== "body_cut")
          if (!("cut" in answer && answer.cut)) assert.lengthOf(trace.faults, 1)
        }
      })
    )
  }

  it.effect("4.9 a truncated answer names its last complete field, if there is one", () =>
    Effect.gen(function* () {
      const of = (content: string) =>
        Effect.map(
          made(parseResult, read, { answer: text(content) }),
          ({ passed }) => failureIn(passed.outcome).failure
        )
      const named = yield* of('{"n":1,"rows":[1,2')
      assert.lengthOf(named.fields ?? [], 1)
      assert.include(named.detail, `; last complete field: ${named.fields?.[0]}.`)
      const unnamed = yield* of('{"n')
      assert.isUndefined(unnamed.fields)
      assert.notInclude(unnamed.detail, "last complete field")
    })
  )

  it.effect("3.3 a write without a body was done, also if the body is blank", () =>
    Effect.gen(function* () {
      for (const content of ["", " \n"]) {
        const { passed } = yield* made(parseResult, write, { answer: text(content) })
        const { failure } = failureIn(passed.outcome)
        assert.deepStrictEqual([failure.code, failure.sideEffect], ["done_without_result", "committed"])
      }
    })
  )

  it.effect("3.3 a text that is only an error states a failure, and is recorded", () =>
    Effect.gen(function* () {
      const gateway = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"
      for (const content of ["Error: 503 Service Unavailable", gateway]) {
        const { decisions, passed } = yield* made(parseResult, read, { answer: text(content) })
        assert.strictEqual(passed.answer?._tag, "Stated")
        assert.isUndefined(passed.outcome)
        assert.strictEqual(decisions[0]?.[0], "stated failure")
      }
    })
  )
})

describe("check: which answers are checked", () => {
  const garbage = Verdict.garbage({ code: "odd", detail: "d" })
  const checked = (run: (...args: ReadonlyArray<never>) => unknown, more: object = {}) =>
    define("write_it", { access: "write", checks: { own: run }, ...more })
  const never = checked(() => garbage)

  for (const [what, answer, isChecked] of [
    ["a value", { _tag: "Value", value: 1 }, true],
    ["a text", text("1"), true],
    ["a response with status 200", response(200, "1"), true],
    ["a response with status 299", response(299, "1"), true],
    ["a response with status 300", response(300, "1"), false],
    ["a response with status 199", response(199, "1"), false],
    ["a timeout", { _tag: "TimedOut", millis: 1 }, false],
    ["no answer", undefined, false]
  ] as const) {
    it.effect(`4.10 ${what} is ${isChecked ? "checked" : "not checked"}, in a turn and outside`, () =>
      Effect.gen(function* () {
        for (const over of [{}, { turn: undefined }]) {
          const { passed } = yield* made(check, never, { answer, result: { n: 1 }, ...over })
          assert.strictEqual(passed.verdict._tag, isChecked ? "Garbage" : "Ok")
        }
      })
    )
  }

  const partial = failed(
    Failure.make("PartialData", "p", { data: { n: 7 }, detail: "d", hint: "h", tool: "t", traceId: "i" })
  )
  const permanent = failed(Failure.make("Permanent", "p", { detail: "d", hint: "h", tool: "t", traceId: "i" }))
  const answer = text("1")

  it.effect("4.10 salvaged rows are checked as such, and only garbage replaces them", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const of = (verdict: Verdict.Verdict, more: object = {}) =>
        made(
          check,
          checked(
            ((result: unknown, context: { readonly isSalvaged?: boolean }) => {
              seen.push([result, context.isSalvaged])
              return verdict
            }) as never,
            more
          ),
          { answer, outcome: partial }
        )
      assert.strictEqual((yield* of(garbage)).passed.outcome, undefined)
      assert.strictEqual((yield* of(Verdict.partial({ narrow: "n" }))).passed.outcome, partial)
      assert.strictEqual((yield* of(Verdict.ok)).passed.outcome, partial)
      assert.strictEqual((yield* of(garbage, { enforce: "advise" })).passed.outcome, partial)
      assert.deepStrictEqual(new Set(seen.map((each) => JSON.stringify(each))), new Set(['[{"n":7},true]']))
    })
  )

  it.effect("4.10 another failure is not checked", () =>
    Effect.gen(function* () {
      const { passed } = yield* made(check, never, { answer, outcome: permanent })
      assert.strictEqual(passed.outcome, permanent)
    })
  )

  it.effect("4.10 a check that throws fails the call, or is only recorded if the tool advises", () =>
    Effect.gen(function* () {
      const boom = () => {
        throw new Error("boom")
      }
      const strict = yield* made(check, checked(boom), { answer })
      const { failure, isAnswered } = failureIn(strict.passed.outcome)
      assert.deepStrictEqual(
        [failure.code, failure.sideEffect, failure.detail, isAnswered],
        ["tool_crashed", "committed", "write_it answered, but its check own crashed.", true]
      )
      assert.deepStrictEqual(strict.decisions, [["defect", "the check own failed: Error: boom"]])
      const loose = yield* made(check, checked(boom, { enforce: "advise" }), { answer })
      assert.isUndefined(loose.passed.outcome)
      assert.lengthOf(loose.trace.notEnforced, 1)
    })
  )
})
