/** Tests that a listed tool with a schema that is nested very deeply does not make the other tools unavailable. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ListTools from "#src/mcp/remote/ListTools"
import * as RemoteTool from "#src/mcp/remote/RemoteTool"

const nested = (levels: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = [value]
  return value
}

describe("a list of tools", () => {
  it.effect("13.1 one schema with a constant of 200,000 levels → all tools can be guarded", () =>
    Effect.gen(function* () {
      const bad = { type: "object", properties: { a: { const: nested(200_000) } } }
      const tools = [
        { name: "bad", inputSchema: bad, outputSchema: bad, annotations: { x: nested(200_000) } },
        { name: "good", inputSchema: { type: "object" } }
      ]
      const listed = yield* ListTools.all(() => Effect.succeed({ tools } as never))
      const made = listed.tools.map((each) => RemoteTool.make(each.name, each, {}, () => Effect.never))
      assert.deepStrictEqual(
        made.map(({ unchecked }) => unchecked.map(({ pointer }) => pointer)),
        [["/properties/a/const"], []]
      )
    })
  )
})
