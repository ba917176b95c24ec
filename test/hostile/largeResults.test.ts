/** Tests large results that violate their schema, and results whose schema accepts any JSON or encodes other values. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type * as Failure from "#domain/failure/Failure"
import { ask, failureOf, outside, settled, tool } from "../pipeline/support.ts"

const rows = Schema.Struct({ rows: Schema.Array(Schema.Struct({ id: Schema.Int })) })
const wrong = (count: number) => `{"rows":[${Array.from({ length: count }, () => '{"id":"x"}').join(",")}]}`

describe("large results", () => {
  it.effect("4.9 a small result reports all of its invalid fields, and a large result only the first", () => {
    const small = tool("search", { success: rows }, wrong(3))
    const large = tool("list", { success: rows }, wrong(150_000))
    return Effect.gen(function* () {
      const few = yield* failureOf(small.tool.call({ q: "a" }))
      assert.deepStrictEqual(few.fields, ["rows[0].id", "rows[1].id", "rows[2].id"])
      const many = yield* failureOf(large.tool.call({ q: "a" }))
      assert.deepStrictEqual([many._tag, many.code, many.fields], ["SchemaMismatch", "invalid_result", ["rows[0].id"]])
    }).pipe(outside([small.layer, large.layer]))
  })

  it.effect("4.9 a cut answer of 150,000 rows keeps the rows before the first invalid one", () => {
    const text = `{"rows":[${Array.from({ length: 150_000 }, (_, i) => `{"id":${i === 140_000 ? '"x"' : i}}`).join(",")}`
    const salvage = { path: "rows", narrow: "Ask for fewer." }
    const cut = tool("list", { success: rows, salvage }, text)
    return Effect.gen(function* () {
      const failure = (yield* failureOf(cut.tool.call({ q: "a" }))) as Failure.PartialData<typeof rows.Type>
      assert.deepStrictEqual([failure._tag, failure.code], ["PartialData", "salvaged"])
      assert.strictEqual(failure.data.rows.length, 140_000)
    }).pipe(outside([cut.layer]))
  })

  it.effect("4.9 a result whose schema allows any JSON reaches the program and the model unchanged", () => {
    const value = { rows: [{ a: [1, "two", null, true] }, { "": {} }], deep: { deeper: { x: "y" } } }
    const any = tool("search", { success: Schema.Json }, value)
    const record = tool("list", { success: Schema.Record(Schema.String, Schema.Json) }, JSON.stringify(value))
    return Effect.gen(function* () {
      for (const { tool } of [any, record]) {
        assert.deepStrictEqual(yield* settled(tool.call({ q: "a" })), value)
        assert.deepStrictEqual((yield* ask([tool], tool.toolName, { q: "a" })).envelope, {
          status: "success",
          data: value
        })
      }
    }).pipe(outside([any.layer, record.layer]))
  })

  it.effect("5.1 a result with values that are not JSON is encoded by its schema", () => {
    const dated = Schema.Struct({ at: Schema.Date, sum: Schema.BigInt, rest: Schema.Json })
    const value = { at: new Date(0), sum: 12n, rest: { a: 1 } }
    const answer = tool("search", { success: dated }, value)
    return Effect.gen(function* () {
      const { envelope } = yield* ask([answer.tool], "search", { q: "a" })
      assert.deepStrictEqual(envelope.data, { at: "1970-01-01T00:00:00.000Z", sum: "12", rest: { a: 1 } })
    }).pipe(outside([answer.layer]))
  })
})
