/** Tests what the stages between an outcome and the model receive, and the envelope if one of them breaks. */
import { failed, type Outcome, success } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import { maxResultBytes, type Reading, type ReadingFilter } from "#pipeline/call/ModelStage"
import { render, type Rendering } from "#pipeline/Rendering"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { callOf, define, type Tool } from "./support.ts"

const dated = Schema.Struct({ at: Schema.Date })
const search = define("search", { success: dated })
const write = define("write_it", { access: "write", success: dated })
const value = { at: new Date(0) }
const encoded = { at: "1970-01-01T00:00:00.000Z" }

/** Renders an outcome of a call by stages, which may wait. */
const rendered = (tool: Tool, outcome: Outcome, stages: ReadonlyArray<ReadingFilter>, trace: object = {}) =>
  Effect.flatMap(callOf(tool), (call): Effect.Effect<Rendering> => {
    Object.assign(call.trace, trace)
    const read = render(
      stages.map((stage) => () => stage),
      new Map([[tool.toolName, tool]]),
      call,
      outcome
    )
    return Effect.isEffect(read) ? read : Effect.succeed(read)
  })

const failure = (sideEffect: Failure.SideEffect) =>
  failed(Failure.make("Permanent", "gone", { tool: "search", detail: "It is gone.", sideEffect }))

describe("the first stage", () => {
  /** Returns what the first stage receives of an outcome. */
  const received = (outcome: Outcome, trace: object = {}) =>
    Effect.gen(function* () {
      const readings: Array<Reading> = []
      yield* rendered(search, outcome, [(reading) => (readings.push(reading), reading)], trace)
      const [{ encode, isDecoded, json, kept, maxResultBytes: bytes, parts, shows, text }] = readings as [Reading]
      return [encode(value), isDecoded, json, parts, [bytes, kept, shows, text]]
    })
  const start = [maxResultBytes, undefined, "error", ""]
  const parts = [{ type: "text", text: "a picture" }] as const

  for (const [what, outcome, trace, expected] of [
    ["the result, to encode by the tool's schema", success(value), {}, [encoded, false, undefined, undefined, start]],
    [
      "that the result is the one that was decoded",
      success(value),
      { decoded: value },
      [encoded, true, undefined, undefined, start]
    ],
    [
      "that the result was replaced since it was decoded",
      success(value),
      { decoded: encoded },
      [encoded, false, undefined, undefined, start]
    ],
    ["a raw result as it is", { ...success(value), isRaw: true }, {}, [value, false, undefined, undefined, start]],
    [
      "the JSON that is already written",
      { ...success(value), json: "{}" },
      {},
      [encoded, false, "{}", undefined, start]
    ],
    ["the parts", { ...success(value), parts }, {}, [encoded, false, undefined, parts, start]],
    ["a failure", failure("none"), {}, [encoded, false, undefined, undefined, start]]
  ] as const) {
    it.effect(`5.1 receives ${what}`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* received(outcome as Outcome, trace), [...expected])
      })
    )
  }

  it.effect("5.1 receives no list of parts if there are none", () =>
    Effect.gen(function* () {
      const { text } = yield* rendered(search, success(value), [
        (reading) => ({ ...reading, text: String("parts" in reading) })
      ])
      assert.strictEqual(text, "false")
    })
  )
})

describe("the stages", () => {
  const adds =
    (letter: string): ReadingFilter =>
    (reading) => ({ ...reading, text: reading.text + letter })
  const waits =
    (letter: string): ReadingFilter =>
    (reading) =>
      Effect.as(Effect.yieldNow, { ...reading, text: reading.text + letter })

  for (const [what, stages, text] of [
    ["run in order", [adds("a"), adds("b"), adds("c")], "abc"],
    ["run in order if one waits", [adds("a"), waits("b"), adds("c")], "abc"],
    ["run in order if several wait", [waits("a"), waits("b"), adds("c"), waits("d")], "abcd"],
    ["may be none", [], ""]
  ] as const) {
    it.effect(`4.15 ${what}`, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* rendered(search, success(value), stages)).text, text)
      })
    )
  }
})

describe("a stage that breaks", () => {
  const throws = () => {
    throw new Error("postgres://root:secret@db")
  }
  const ways: Readonly<Record<string, ReadonlyArray<ReadingFilter>>> = {
    throws: [throws],
    dies: [() => Effect.die(new Error("postgres://root:secret@db"))],
    "throws after another one has waited": [(reading) => Effect.as(Effect.yieldNow, reading), throws]
  }
  const crash = { code: "tool_crashed", message: "The answer could not be shown." }
  for (const [how, stages] of Object.entries(ways)) {
    for (const [what, tool, outcome, expected] of [
      ["a read that succeeded", search, success(value), { ...crash, side_effect: undefined }],
      [
        "a write that succeeded",
        write,
        success(value),
        { ...crash, code: "done_unreadable", side_effect: "committed" }
      ],
      ["a write that did nothing", write, failure("none"), { ...crash, side_effect: "none" }],
      ["a write that may have acted", write, failure("unknown"), { ...crash, side_effect: "unknown" }]
    ] as const) {
      it.effect(`5.4 and ${how} leaves an error about ${what}, with its side effect`, () =>
        Effect.gen(function* () {
          const { shows, text } = yield* rendered(tool, outcome, stages)
          const { error, status } = JSON.parse(text)
          assert.deepStrictEqual(
            [shows, status, { code: error.code, message: error.message, side_effect: error.side_effect }],
            ["error", "error", expected]
          )
        })
      )
    }
  }
})
