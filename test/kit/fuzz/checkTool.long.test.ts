/** `checkTool` on tools of every kind: with the guard as it is, nothing breaks; and the same seed is the same run. */
import { checkTool, type FuzzFailure, Unfuzzable } from "#kit/fuzz/CheckTool"
import * as Generate from "#kit/fuzz/cases/Generate"
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
    it.effect(`13.6 ${tool.toolName}: every promise is kept, whatever is sent and answered`, () =>
      Effect.gen(function* () {
        const report = yield* checkTool(tool, { runs: 150, seed: 7 })
        assert.strictEqual(report.cases, 150)
        assert.isAbove(report.executions, 20)
      })
    )
  }

  it.effect("13.6 adversarial strings of others break nothing in any field", () =>
    Effect.gen(function* () {
      const strings = publishedJson("strings/blns.json") as ReadonlyArray<string>
      const note = define("write_note", {
        access: "write",
        parameters: Schema.Struct({ note: Schema.String, kind: Schema.Literals(["a", "b"]) }),
        success: Schema.Struct({ note: Schema.String }),
        idempotency: "derived"
      })
      // each string where a call and an answer have one, and then wherever chance puts it
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

  it.effect("13.6 every boundary of both schemas is tried", () =>
    Effect.gen(function* () {
      const { boundaries } = yield* checkTool(SearchOrders, { runs: 450 })
      assert.deepStrictEqual(boundaries, { all: 211, tried: 211 })
      const few = yield* checkTool(SearchOrders, { runs: 90 })
      assert.deepStrictEqual(few.boundaries, { all: 211, tried: 60 })
    })
  )

  it.effect("13.6 the same seed makes the same cases, and another one others", () =>
    Effect.gen(function* () {
      const subject = Subject.make(SearchOrders)
      const cases = (seed: number) =>
        Effect.map(Pools.make(subject, seed, {}), (pools) =>
          Array.from({ length: 60 }, (_, index) =>
            Generate.make(Generate.ingredients(subject, pools, { hasOwn: false }), seed, index)
          )
        )
      assert.deepStrictEqual(yield* cases(3), yield* cases(3))
      assert.notDeepEqual(yield* cases(3), yield* cases(4))
      const broken = { guard: without("redact"), seed: 5 }
      assert.deepStrictEqual(yield* failed(checkTool(ReadOrder, broken)), yield* failed(checkTool(ReadOrder, broken)))
    })
  )

  it.effect("13.6 a token makes the failing case again, and its test alone fails the same", () =>
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

  it.effect("13.6 what cannot be fuzzed says so, and what would help", () =>
    Effect.gen(function* () {
      const impossible = Schema.String.check(Schema.makeFilter((text: string) => text === "only this one value"))
      const strange = define("read_strange", { success: impossible })
      const error = yield* Effect.flip(checkTool(strange))
      assert.instanceOf(error, Unfuzzable)
      assert.strictEqual(
        error.message,
        "read_strange cannot be fuzzed: no valid results could be drawn from its success schema. Give some as examples: { results: […] }."
      )
      const examples = { results: ["only this one value"] } as never
      assert.isAbove((yield* checkTool(strange, { ...(examples as object), runs: 100 })).executions, 30)
      const token = yield* Effect.flip(checkTool(ReadOrder, { replay: "yesterday" }))
      assert.include(token.message, `"yesterday" is no token of a failure. It looks like 1:417.`)
    })
  )
})
