/** Runs each row of docs/what-is-told.md: a model calls the tool once, and the run continues or ends for a person. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { readFileSync } from "node:fs"
import * as CallLogMemory from "#layers/CallLogMemory"
import * as EscalationScripted from "#layers/EscalationScripted"
import { CallLog } from "#services/CallLog"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import { updated } from "../../scripts/reports.ts"
import { complete, type Tool } from "../pipeline/support.ts"
import { groups } from "../vectors/reports.ts"
import { call, envelopes, needs, playIn } from "./support.ts"

describe("what is reported", () => {
  for (const { definition, rows, title } of groups) {
    for (const { continues, gave, handler, message, nextStep, outcome, sideEffect } of rows) {
      it.effect(`3.3 ${title}: ${gave}`, () => {
        let runs = 0
        const tool: Tool = GuardedTool.dynamic("close_ticket", {
          ...definition,
          success: Schema.Struct({ n: Schema.Int }),
          retry: { attempts: 1 },
          handler: (() => {
            runs += 1
            return handler()
          }) as never // a handler of any type
        })
        const script = [
          [call("close_ticket", { q: "a" }), call("close_ticket", { q: "b" })],
          [call("close_ticket", { q: "a" })],
          "Done."
        ]
        const guard = Guard.layerMemoryWith(
          Layer.merge(CallLogMemory.layer, EscalationScripted.layer(["approve", "approve", "approve"]))
        )
        return Effect.gen(function* () {
          const { end } = yield* complete(playIn({ script, tools: [{ tool, layer: guard }] }))
          const [envelope] = envelopes(end.transcript)
          const { data, error = {}, status } = envelope
          const shown = status === "success" ? "success" : `${error.error_class} ${error.code}`
          assert.deepStrictEqual(
            {
              outcome: shown,
              message: error.message ?? JSON.stringify(data),
              nextStep: error.next_step ?? "none",
              continues: end._tag === "Answered"
            },
            { outcome, message, nextStep, continues }
          )
          const [record] = yield* (yield* CallLog).records
          assert.strictEqual(record?.sideEffect, sideEffect)
          if (!continues) assert.strictEqual(end._tag, "NeedsPerson")
          // an action that was or may have been done is not done again with the same arguments
          if (sideEffect !== "none" && status === "error") assert.strictEqual(runs, 2)
          if (sideEffect === "unknown" && continues && status === "error") {
            assert.include(error.hint, "it is not known whether anything was done")
            assert.isFalse(error.retryable)
          }
        }).pipe(Effect.provide(needs({ guard })))
      })
    }
  }

  it("3.3 docs/what-is-told.md shows every row (to update it: node scripts/reports.ts)", () => {
    const page = readFileSync("docs/what-is-told.md", "utf8")
    assert.strictEqual(updated(page), page)
  })
})
