/** [3.5] Serves over MCP a tool that declares refusals. */
import * as McpServe from "#src/mcp/serve/McpServe"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema, type Scope } from "effect"
import { McpProtocol, McpTest } from "effect/ai"
import { tool } from "../pipeline/support.ts"
import { box } from "../openapi/support.ts"

const OutOfStock = Schema.TaggedStruct("OutOfStock", { sku: Schema.String, available: Schema.Int })

describe("refusals over MCP", () => {
  it.effect("3.5 are errors whose text and structured content have code, message and fields", () => {
    const order = tool(
      "order_item",
      { access: "write", description: "Orders. Writes.", refusals: [OutOfStock] },
      Effect.fail(OutOfStock.make({ sku: "A-1", available: 2 }))
    )
    return Effect.gen(function* () {
      const layer = McpServe.layer(box([order.tool])).pipe(
        Layer.provide(Layer.mergeAll(order.layer, Guard.layerMemory))
      )
      const client = yield* McpTest.makeClient(layer, {
        protocols: [McpProtocol.v2025_11_25]
      }) as unknown as Effect.Effect<McpTest.Client, never, Scope.Scope>
      const { content, isError, structuredContent } = yield* client.callTool({
        name: "order_item",
        arguments: { q: "a" }
      } as never)
      const text = JSON.parse((content[0] as { readonly text: string }).text)
      assert.isTrue(isError)
      assert.deepStrictEqual(structuredContent, text)
      const { code, details, message } = text.error
      assert.deepStrictEqual(
        { code, details, message },
        {
          code: "out_of_stock",
          details: { sku: "A-1", available: 2 },
          message: "Out of stock: sku A-1, available 2."
        }
      )
    }).pipe(Effect.scoped)
  })
})
