/** Tests that a listed tool with a schema that is nested very deeply does not make the other tools unavailable. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ToolListing from "#src/mcp/remote/ToolListing"
import * as Lock from "#src/mcp/remote/Lock"
import * as RemoteTool from "#src/mcp/remote/RemoteTool"

const nested = (levels: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = [value]
  return value
}

describe("a list of tools", () => {
  it.effect("13.7 after pages with more than 32 million characters in total, reading the list stops and says so", () =>
    Effect.gen(function* () {
      let pages = 0
      const error = yield* Effect.flip(
        ToolListing.all(() =>
          Effect.sync(() => {
            pages += 1
            return { tools: [{ name: `t${pages}`, description: "x".repeat(10_000_000) }], nextCursor: `${pages}` }
          })
        )
      )
      assert.match(error.message, /page 4 of tools\/list: the list has over 32 million characters/)
      assert.strictEqual(pages, 4)
    })
  )

  it.effect(
    "13.7 if a schema with 200,000 levels changes in another part, the change is found, and the lock can be written",
    () =>
      Effect.gen(function* () {
        const listed = (b: string) => {
          const inputSchema = { type: "object", properties: { a: { const: nested(200_000) }, b: { type: b } } }
          return ToolListing.all(() => Effect.succeed({ tools: [{ name: "bad", inputSchema }] } as never))
        }
        const { tools } = yield* listed("string")
        const changed = (yield* listed("number")).tools
        const lock = Lock.of(tools)
        assert.deepStrictEqual(Lock.changes(lock, tools[0]!), [])
        assert.deepStrictEqual(Lock.changes(lock, changed[0]!), ["inputSchema"])
        assert.include(Lock.write(lock), '"type": "string"')
      })
  )

  it.effect("13.1 with one schema with a constant of 200,000 levels, all tools can be guarded", () =>
    Effect.gen(function* () {
      const bad = { type: "object", properties: { a: { const: nested(200_000) } } }
      const tools = [
        { name: "bad", inputSchema: bad, outputSchema: bad, annotations: { x: nested(200_000) } },
        { name: "good", inputSchema: { type: "object" } }
      ]
      const listed = yield* ToolListing.all(() => Effect.succeed({ tools } as never))
      const made = listed.tools.map((each) => RemoteTool.make(each.name, each, {}, () => Effect.never))
      assert.deepStrictEqual(
        made.map(({ unchecked }) => unchecked.map(({ pointer }) => pointer)),
        [["/properties/a/const", "/properties/a/const"], []]
      )
    })
  )
})
