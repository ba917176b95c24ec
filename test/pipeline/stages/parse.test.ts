/** Tests the stage `parse` alone: which arguments it checks, and what the record and the model read. */
import * as Trace from "#pipeline/call/Trace"
import { parse } from "#pipeline/stages/parse"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { alone, define, type Tool } from "../support.ts"

const read = define("search")
const write = define("write_it", { access: "write" })

/** Runs the stage for an input. Returns the failure, the decisions and the input that was passed on. */
const made = (tool: Tool, over: object) =>
  Effect.gen(function* () {
    const trace = Trace.make(undefined)
    const stage = yield* alone(parse, tool)
    const outcome = yield* stage.run({ trace, ...over })
    const decisions = trace.decisions.map(({ decision, reason }): ReadonlyArray<string> => [decision, reason])
    return { failure: outcome._tag === "Failure" ? outcome.failure : undefined, decisions, passed: stage.passed[0] }
  })

/** Returns a value with this many objects around it. */
const nested = (levels: number): unknown => (levels === 0 ? 1 : { q: nested(levels - 1) })

describe("parse", () => {
  it.effect("4.3 a program's arguments are passed on as they are, whatever their size", () =>
    Effect.gen(function* () {
      const input = nested(500)
      const { decisions, passed } = yield* made(read, { origin: "program", input })
      assert.strictEqual(passed?.input, input)
      assert.deepStrictEqual(decisions, [])
    })
  )

  for (const [what, input, code] of [
    ["nested too deeply", nested(500), "arguments_too_large"],
    ["with a forbidden name", JSON.parse('{"__proto__":{"a":1}}'), "invalid_arguments"]
  ] as const) {
    it.effect(`4.3 arguments that a host parsed are refused if they are ${what}, and the record says why`, () =>
      Effect.gen(function* () {
        const { decisions, failure, passed } = yield* made(read, { origin: "parsed", input })
        assert.deepStrictEqual([failure?.code, passed], [code, undefined])
        assert.strictEqual(decisions[0]?.[0], "refused")
        assert.include(failure?.detail, decisions[0]?.[1])
      })
    )
  }

  it.effect("4.3 arguments that a host parsed within the limits are passed on", () =>
    Effect.gen(function* () {
      const input = { q: "a" }
      assert.strictEqual((yield* made(read, { origin: "parsed", input })).passed?.input, input)
    })
  )

  for (const [what, input, code, reason] of [
    ["is no JSON", "{q: }", "invalid_json", undefined],
    ["gives a field twice", '{"q":"a","q":"b"}', "invalid_arguments", "q is given twice"],
    ["is cut off", '{"q":"a', "truncated_arguments", "the arguments are cut off"]
  ] as const) {
    it.effect(`4.3 the record says that a text ${what}`, () =>
      Effect.gen(function* () {
        const { decisions, failure, passed } = yield* made(write, { origin: "text", input })
        assert.deepStrictEqual([failure?.code, passed, decisions.length], [code, undefined, 1])
        assert.strictEqual(decisions[0]?.[0], "refused")
        if (reason === undefined) assert.include(failure?.detail, decisions[0]?.[1])
        else assert.strictEqual(decisions[0]?.[1], reason)
      })
    )
  }
})
