/**
 * Tests that tools which are imported from a toolbox's document have the same contracts and, over HTTP, the same
 * outcomes. Tests with calls are `it.live`, because they use real sockets.
 */
import { Guard } from "#src/guard/Guard"
import * as Agent from "#src/agent/Agent"
import * as Import from "#src/openapi/Import"
import * as ToolApi from "#src/openapi/ToolApi"
import * as EscalationScripted from "#layers/EscalationScripted"
import * as ScriptedModel from "#layers/ScriptedModel"
import * as Toolbox from "#src/tool/Toolbox"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import { backend } from "../../examples/orders/main.ts"
import { tool as scriptedTool } from "../pipeline/support.ts"
import { live } from "./importing.ts"
import { toolsOf } from "./randomTools.ts"
import { summaries } from "./summaries.ts"
import { box, post, serving } from "./support.ts"

describe("tools and their imports", () => {
  it("2.3 have equal JSON Schemas if they share definitions in one document", () => {
    const { after, before } = summaries(box(toolsOf(60)))
    assert.deepStrictEqual(after, before)
  })

  it("2.3 have equal JSON Schemas for the tools of the example", () => {
    const examples = [...backend({}).tools.tools.values()]
    assert.lengthOf(examples, 4)
    // the cast is needed because the tools have different services
    const { after, before } = summaries(box(examples as never))
    assert.deepStrictEqual(after, before)
  })

  it("2.4 the document of a tool with nullable scalars has no anyOf, and numbers are only numbers in its problems", () => {
    const found = Schema.Struct({ n: Schema.NullOr(Schema.Finite), sort: Schema.NullOr(Schema.Literals(["a", "d"])) })
    const document = JSON.stringify(ToolApi.document(box([scriptedTool("find_rows", { success: found }, {}).tool])))
    assert.notInclude(document, '"anyOf"')
    assert.include(document, '"n":{"type":["number","null"]}')
    assert.include(document, '"sort":{"type":["string","null"],"enum":["a","d",null]}')
    assert.include(document, '"retry_after_ms":{"type":"number"}')
  })

  it.live("return the results and failures of their tools over HTTP", () =>
    Effect.gen(function* () {
      const broken = scriptedTool("break_it", {}, { n: "x" })
      const large = scriptedTool(
        "list_rows",
        { success: Schema.Array(Schema.String) },
        Array.from({ length: 4_000 }, () => "row")
      )
      const text = scriptedTool("say_it", { success: Schema.String }, "not { json")
      const write = scriptedTool(
        "write_it",
        { access: "write", description: "Writes.", idempotency: "derived" },
        { n: 1 }
      )
      const crash = scriptedTool("crash_it", { access: "write", description: "Writes." }, Effect.die("bug"))
      const all = [broken, large, text, write, crash]
      const toolbox = box(all.map(({ tool }) => tool))
      const url = yield* serving(toolbox, Layer.mergeAll(Layer.empty, ...all.map(({ layer }) => layer)))
      const { tools } = Import.toolsUnsafe(ToolApi.document(toolbox), { baseUrl: url })
      const call = (name: string, args: unknown) => {
        const found = tools.find(({ toolName }) => toolName === name)
        return found === undefined
          ? Effect.die(`no ${name}`)
          : Effect.match(found.call(args), {
              onSuccess: (value): unknown => value,
              onFailure: (failure) => [failure._tag, failure.code, failure.sideEffect]
            })
      }
      assert.deepStrictEqual(yield* call("break_it", { q: "a" }), ["SchemaMismatch", "invalid_result", "none"])
      assert.lengthOf((yield* call("list_rows", { q: "a" })) as Array<string>, 4_000)
      assert.strictEqual(yield* call("say_it", { q: "a" }), "not { json")
      assert.deepStrictEqual(yield* call("write_it", { q: "a" }), { n: 1 })
      assert.deepStrictEqual(yield* call("crash_it", { q: "a" }), ["HumanReview", "outcome_unknown", "unknown"])
      assert.deepStrictEqual(yield* call("say_it", {}), ["ToolArgError", "invalid_arguments", "none"])
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.live("are retried by only one side", () =>
    Effect.gen(function* () {
      const failing = scriptedTool("find_it", { retry: { attempts: 2, base: 1 } }, Effect.fail(new Error("ECONNRESET")))
      const toolbox = box([failing.tool])
      const url = yield* serving(toolbox, failing.layer)
      const { tools } = Import.toolsUnsafe(ToolApi.document(toolbox), { baseUrl: url })
      const failures = yield* Effect.forEach(tools, (tool) => Effect.flip(tool.call({ q: "a" })))
      assert.deepStrictEqual([failures.map(({ _tag }) => _tag), failing.runs()], [["Transient"], 2])
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.live(
    "let an agent use the orders example over HTTP, imported from its document",
    () =>
      Effect.gen(function* () {
        const orders = backend({ gatewayLimit: 100_000 })
        const person = Guard.layerMemoryWith(EscalationScripted.layer(["approve"]))
        // the casts are needed because the example has its own tools and services
        const url = yield* serving(orders.tools as never, orders.layer as never, {}, person as never)
        const document = yield* Effect.promise(
          async () => (await fetch(`${url}/openapi.json`)).json() as Promise<unknown>
        )
        const { tools } = Import.toolsUnsafe(document, { baseUrl: url })
        const toolbox = Toolbox.make(...tools)
        const ended = yield* Agent.run({ prompt: "Where is O-1047, and refund O-1026?", tools: toolbox }).pipe(
          Effect.provide([
            ScriptedModel.layer([
              ScriptedModel.call("search_orders", { customer_id: "C-9921", limit: 2 }),
              ScriptedModel.call("read_order", { order_id: "O-9999" }),
              ScriptedModel.call("read_order", { order_id: "O-1047" }),
              ScriptedModel.call("refund_order", { order_id: "O-1047", cents: 5_240, reason: "late" }),
              "O-1047 is placed."
            ]),
            Guard.layerMemoryWith(EscalationScripted.layer(["approve"])),
            FetchHttpClient.layer
          ])
        )
        assert.strictEqual(ended._tag, "Answered")
        const results = ended.transcript.content.flatMap((message) =>
          message.role === "tool"
            ? message.content.flatMap((part) => (part.type === "tool-result" ? [JSON.parse(String(part.result))] : []))
            : []
        )
        assert.deepStrictEqual(
          results.map((result) => [result.status, result.error?.code, result.error?.next]),
          [
            ["partial", "incomplete_result", { customer_id: "C-9921", limit: 2, cursor: "O-1046" }],
            ["error", "unknown_reference", undefined],
            ["success", undefined, undefined],
            ["success", undefined, undefined]
          ]
        )
        assert.strictEqual((yield* post(`${url}/tools/read_order`, { order_id: "O-1047" })).json.data.id, "O-1047")
      }).pipe(Effect.scoped),
    30_000
  )
})
