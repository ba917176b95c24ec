/** Tests names, order, merging, policies and calls by name of toolboxes. */
import { assert, describe, it } from "@effect/vitest"
import { ToolArgError } from "#domain/failure/Failure"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { Effect, Schema } from "effect"

const base = {
  description: "Searches orders. Read-only.",
  access: "read",
  parameters: Schema.Struct({ page: Schema.Int }),
  success: Schema.Struct({ page: Schema.Int })
} as const

class Search extends GuardedTool.Service<Search>()("search_orders", base) {}
class Count extends GuardedTool.Service<Count>()("count_orders", base) {}

/** Returns a list of tools whose names the compiler does not know. */
const unnamed = (...tools: ReadonlyArray<GuardedTool.AnyTool>) => tools

describe("a toolbox", () => {
  it("2.7 refuses duplicate names even if the compiler does not know them", () => {
    const message = 'Two tools are named "search_orders".'
    const quick = Search.pipe(GuardedTool.timeout("1 second"))
    assert.throws(() => Toolbox.make(...unnamed(Search, Count, Search)), RangeError, message)
    assert.throws(() => Toolbox.make(...unnamed(Search, quick)), RangeError, message)
    assert.throws(
      () => Toolbox.merge(Toolbox.make(...unnamed(Search)), Toolbox.make(...unnamed(Count, quick))),
      RangeError,
      message
    )
  })

  it("2.7 keeps its tools in order, even when two toolboxes are merged", () => {
    assert.deepStrictEqual(Toolbox.make(Search, Count).names, ["search_orders", "count_orders"])
    assert.deepStrictEqual(Toolbox.merge(Toolbox.make(Count), Toolbox.make(Search)).names, [
      "count_orders",
      "search_orders"
    ])
    assert.deepStrictEqual(Toolbox.make().names, [])
  })

  it("2.7 can override the policy of all its tools without changing the tools", () => {
    const box = Toolbox.policy({ timeout: "1 second" })(Toolbox.make(Search, Count))
    assert.deepStrictEqual(box.names, ["search_orders", "count_orders"])
    for (const tool of unnamed(Search, Count)) {
      const changed = box.tools.get(tool.toolName)
      assert.notStrictEqual<unknown>(changed, tool)
      assert.strictEqual(changed?.key, tool.key)
    }
  })

  it.effect("2.7 calls a tool by its name, and fails with unknown_tool if no tool has the name", () =>
    Effect.gen(function* () {
      const box = Toolbox.make(...unnamed(Search, Count))
      assert.deepStrictEqual(yield* box.call("count_orders", { page: 2 }), { page: 2 })
      assert.deepStrictEqual(
        yield* Effect.flip(box.call("serch_orders", {})),
        new ToolArgError({
          tool: "serch_orders",
          code: "unknown_tool",
          detail: 'No tool is named "serch_orders".',
          hint: "Tools: search_orders, count_orders.",
          sideEffect: "none",
          traceId: ""
        })
      )
    }).pipe(
      Effect.provide([
        Search.layerTest(({ page }) => Effect.succeed({ page })),
        Count.layerTest(({ page }) => Effect.succeed({ page })),
        Guard.layerMemory
      ])
    )
  )
})
