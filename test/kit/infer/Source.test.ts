/** Tests that a schema accepts the results that it was inferred from, and that its source has no hidden characters. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { infer } from "#kit/infer/infer"
import { readResult } from "#kit/infer/inferResult"
import { Recorder } from "#kit/infer/RecordedResults"
import { source } from "#kit/infer/Source"
import { toSchema } from "#kit/infer/toSchema"
import { parseSync } from "oxc-parser"
import { visibleJson } from "#domain/text/VisibleText"
import { record } from "./support.ts"

describe("any results", () => {
  it("13.2 may have fields with names that every object inherits", () => {
    const results = [[{ toString: 0 }], [{}], [{ constructor: "a", a: 1 }]]
    const { tools } = infer(
      record(
        new Recorder(),
        results.map((value) => JSON.stringify(value))
      ).tools,
      { minSamples: 1 }
    )
    const [tool] = tools
    assert.isDefined(tool)
    if (tool === undefined) return
    const decode = Schema.decodeUnknownResult(Schema.toCodecJson(toSchema(tool.shape)))
    for (const value of results) assert.isTrue(Result.isSuccess(decode(value)), JSON.stringify(value))
  })

  it.effect.prop(
    "13.2 match the schema that is inferred from them",
    { results: Schema.Array(Schema.Json) },
    ({ results }) =>
      Effect.sync(() => {
        const recorder = record(
          new Recorder(),
          results.map((value) => JSON.stringify(value))
        )
        const { tools } = infer(recorder.tools, { minSamples: 1 })
        for (const { answers, shape } of tools) {
          const decode = Schema.decodeUnknownResult(Schema.toCodecJson(toSchema(shape)))
          for (const value of results) {
            const reading = readResult(JSON.stringify(value))
            if (answers === "json" && reading._tag === "Json")
              assert.isTrue(Result.isSuccess(decode(value)), JSON.stringify([value, results]))
          }
        }
      })
  )

  it("13.2 with hidden characters in values and names give a source without hidden characters", () => {
    // characters that change the direction of writing, have no width or are invisible, in each plane
    const hidden = [
      "\u202e",
      "\u2066",
      "\u200b",
      "\u200d",
      "\u00ad",
      "\u3164",
      "\ufe0f",
      "\u061c",
      "\u{e0041}",
      "\u{e0100}"
    ]
    for (const character of hidden) {
      const name = `a${character}b`
      const results = [1, 2, 3, 4, 5].map((n) =>
        JSON.stringify({ [name]: character + n, status: name, [character]: [{ [name]: n }] })
      )
      const recorder = new Recorder()
      record(recorder, results)
      const inferred = infer(recorder.tools, { minSamples: 1 })
      const text = source(inferred)
      assert.strictEqual(text, text.split("\n").map(visibleJson).join("\n"), visibleJson(JSON.stringify(character)))
      assert.deepStrictEqual(parseSync("schemas.ts", text).errors, [], text)
    }
  })
})
