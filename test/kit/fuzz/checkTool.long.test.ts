/**
 * Tests that `checkTool` finds no broken promise for tools of many kinds, and generates the same cases for the same
 * seed.
 */
import { checkTool, type FuzzFailure, Unfuzzable } from "#kit/fuzz/CheckTool"
import * as CaseGenerator from "#kit/fuzz/cases/CaseGenerator"
import * as Pools from "#kit/fuzz/cases/Pools"
import * as Subject from "#kit/fuzz/cases/Subject"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { FindRefund, ReadOrder, RefundOrder, SearchOrders } from "../../../examples/orders/Tools.ts"
import { define } from "../../pipeline/support.ts"
import { publishedJson } from "../../support/data.ts"
import { without } from "./guards.ts"
import { tools } from "./tools.ts"

const failed = (effect: Effect.Effect<unknown, FuzzFailure | Unfuzzable>) =>
  Effect.map(Effect.flip(effect), (error) => error as FuzzFailure)

describe("checkTool", () => {
  for (const tool of [...tools, SearchOrders, ReadOrder, RefundOrder, FindRefund]) {
    it.effect(`13.6 ${tool.toolName}: the guard keeps every promise for hostile calls and answers`, () =>
      Effect.gen(function* () {
        const report = yield* checkTool(tool, { runs: 150, seed: 7 })
        assert.strictEqual(report.cases, 150)
        assert.isAbove(report.executions, 20)
      })
    )
  }

  it.effect("13.6 a published list of adversarial strings breaks no promise in any field", () =>
    Effect.gen(function* () {
      const strings = publishedJson("strings/blns.json") as ReadonlyArray<string>
      const note = define("write_note", {
        access: "write",
        parameters: Schema.Struct({ note: Schema.String, kind: Schema.Literals(["a", "b"]) }),
        success: Schema.Struct({ note: Schema.String }),
        idempotency: "derived"
      })
      // each string in every field of a call and an answer, then at random
      for (const text of strings) {
        yield* checkTool(note, {
          case: {
            calls: [
              { arguments: { note: text, kind: "a" } },
              { arguments: { note: "x", kind: text } },
              { arguments: text }
            ],
            answers: [
              { _tag: "Value", value: { note: text } },
              { _tag: "Text", text }
            ]
          }
        })
      }
      yield* checkTool(note, { strings, runs: 1500 })
    })
  )

  it.effect("13.6 tries every boundary of both schemas if there are enough runs, and reports how many it tried", () =>
    Effect.gen(function* () {
      const { boundaries } = yield* checkTool(SearchOrders, { runs: 480 })
      assert.deepStrictEqual(boundaries, { all: 249, tried: 249 })
      const few = yield* checkTool(SearchOrders, { runs: 90 })
      assert.deepStrictEqual(few.boundaries, { all: 249, tried: 60 })
    })
  )

  it.effect("13.6 generates the same cases for the same seed, and other cases for another seed", () =>
    Effect.gen(function* () {
      const subject = Subject.make(SearchOrders)
      const cases = (seed: number) =>
        Effect.map(Pools.make(subject, seed, {}), (pools) =>
          Array.from({ length: 60 }, (_, index) =>
            CaseGenerator.make(CaseGenerator.ingredientsOf(subject, pools, { hasHandler: false }), seed, index)
          )
        )
      assert.deepStrictEqual(yield* cases(3), yield* cases(3))
      assert.notDeepEqual(yield* cases(3), yield* cases(4))
      const broken = { guard: without("redact"), seed: 5 }
      assert.deepStrictEqual(yield* failed(checkTool(ReadOrder, broken)), yield* failed(checkTool(ReadOrder, broken)))
    })
  )

  it.effect("13.6 a replay token repeats the failing case, and the shrunk case fails with the same report", () =>
    Effect.gen(function* () {
      const guard = without("redact")
      const first = yield* failed(checkTool(ReadOrder, { guard, seed: 5 }))
      const again = yield* failed(checkTool(ReadOrder, { guard, replay: first.replay ?? "" }))
      assert.deepStrictEqual([again.case, again.replay, again.detail], [first.case, first.replay, first.detail])
      const alone = yield* failed(checkTool(ReadOrder, { guard, case: first.case }))
      assert.deepStrictEqual([alone.promise, alone.detail], [first.promise, first.detail])
      assert.strictEqual((yield* checkTool(ReadOrder, { case: first.case })).cases, 1)
    })
  )

  it.effect("13.6 reports a tool that cannot be fuzzed, with a remedy", () =>
    Effect.gen(function* () {
      const impossible = Schema.String.check(Schema.makeFilter((text: string) => text === "only this one value"))
      const strange = define("read_strange", { success: impossible })
      const error = yield* Effect.flip(checkTool(strange))
      assert.instanceOf(error, Unfuzzable)
      assert.strictEqual(
        error.message,
        "read_strange cannot be fuzzed: no valid results could be generated from its success schema. Pass examples: { results: […] }."
      )
      // the tool's result type is not known here
      const examples = { results: ["only this one value"] } as never
      assert.isAbove((yield* checkTool(strange, { ...(examples as object), runs: 100 })).executions, 30)
      const token = yield* Effect.flip(checkTool(ReadOrder, { replay: "yesterday" }))
      assert.include(token.message, `"yesterday" is not a replay token. A replay token looks like 1:417.`)
    })
  )
})
