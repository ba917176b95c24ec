/**
 * Tests that a policy given to the layer of a host, or to the layer of its guard, applies to the calls of the
 * host.
 */
import { EscalationPolicy } from "#services/Policies"
import * as DurableAgent from "#src/durable/DurableAgent"
import { Guard } from "#src/guard/Guard"
import * as GuardedModel from "#src/host/GuardedModel"
import * as McpServe from "#src/mcp/serve/McpServe"
import * as ScriptedModel from "#layers/ScriptedModel"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Stream } from "effect"
import { LanguageModel, McpProtocol, McpSchema, McpTest } from "effect/ai"
import { WorkflowEngine } from "effect/workflow"
import { call, codes, toolbox } from "../agent/support.ts"
import { post, serving } from "../openapi/support.ts"
import { tool } from "../pipeline/support.ts"

const write = () => tool("send_it", { access: "write" }, { n: 1 })
const strict = Layer.succeed(EscalationPolicy, (event) => (event._tag === "CallRequested" ? "block" : "auto"))

/** Adds the guard and the policy to the requirements of the host's layer, with the policy in one of two places. */
const places: Readonly<Record<string, (needs: Layer.Layer<any>) => Layer.Layer<any>>> = {
  "the guard's layer": (needs) => Layer.merge(needs, Guard.layerMemory.pipe(Layer.provide(strict))),
  "the host's layer": (needs) => Layer.mergeAll(needs, Guard.layerMemory, strict)
}

for (const [place, given] of Object.entries(places)) {
  describe(`a policy given to ${place}`, () => {
    it.live("2.11 applies to durable runs", () => {
      const sending = write()
      const agent = DurableAgent.make("Strict", { tools: toolbox([sending]) })
      const needs = Layer.merge(ScriptedModel.layer([call("send_it", { q: "a" }), "done"]), sending.layer)
      const live = agent.layer.pipe(Layer.provide(given(needs)), Layer.provideMerge(WorkflowEngine.layerMemory))
      return Effect.gen(function* () {
        const end = yield* agent.execute({ run: "run", prompt: "Go." })
        assert.deepStrictEqual([codes(end.transcript), sending.runs()], [["no_person"], 0])
      }).pipe(Effect.provide(live)) as Effect.Effect<void>
    })

    it.live("2.11 applies to an HTTP API", () => {
      const sending = write()
      return Effect.gen(function* () {
        const url = yield* serving(
          toolbox([sending]),
          given(sending.layer),
          {},
          Layer.succeedContext(Context.empty()) as Layer.Layer<any>
        )
        const { json } = yield* post(`${url}/tools/send_it`, { q: "a" })
        assert.deepStrictEqual([json.code, sending.runs()], ["no_person", 0])
      }).pipe(Effect.scoped)
    })

    it.effect("2.11 applies to a toolkit", () => {
      const sending = write()
      const box = toolbox([sending])
      const layers = box.handlers.pipe(Layer.provide(given(sending.layer)))
      return Effect.gen(function* () {
        const kit = yield* box.toolkit
        const results = Stream.unwrap(kit.handle("send_it" as never, { q: "a" } as never))
        const answers: ReadonlyArray<any> = [...(yield* Stream.runCollect(results))]
        assert.deepStrictEqual([answers.map(({ result }) => result.error.code), sending.runs()], [["no_person"], 0])
      }).pipe(Effect.provide(layers)) as Effect.Effect<void>
    })

    it.effect("2.11 applies to a guarded model", () => {
      const sending = write()
      const box = toolbox([sending])
      const model = ScriptedModel.layer([call("send_it", { q: "a" })])
      const layers = Layer.merge(
        box.handlers.pipe(Layer.provide(Layer.merge(sending.layer, Guard.layerMemory))),
        GuardedModel.layer.pipe(Layer.provide(given(model)))
      )
      const handled = Layer.merge(
        box.handlers.pipe(Layer.provide(given(sending.layer))),
        GuardedModel.layer.pipe(Layer.provide(Layer.merge(model, Guard.layerMemory)))
      )
      return Effect.gen(function* () {
        for (const given of place === "the guard's layer" ? [handled] : [handled, layers]) {
          const { content } = yield* Effect.provide(
            LanguageModel.generateText({ prompt: "Go.", toolkit: box.toolkit as never }),
            given
          )
          const results = content.flatMap((part: any) => (part.type === "tool-result" ? [part.result.error.code] : []))
          assert.deepStrictEqual([results, sending.runs()], [["no_person"], 0])
        }
      }) as Effect.Effect<void>
    })

    it.effect("2.11 applies to an MCP server", () => {
      const sending = write()
      return Effect.gen(function* () {
        const server = McpServe.layer(toolbox([sending])).pipe(Layer.provide(given(sending.layer)))
        const client = yield* McpTest.makeClient(server as Layer.Layer<never>, {
          protocols: [McpProtocol.v2025_11_25],
          clientCapabilities: new McpSchema.ClientCapabilities({})
        })
        const { content } = yield* client.callTool({ name: "send_it", arguments: { q: "a" } } as never)
        const envelope = JSON.parse((content[0] as { text: string }).text)
        assert.deepStrictEqual([envelope.error.code, sending.runs()], ["no_person", 0])
      }).pipe(Effect.scoped) as Effect.Effect<void>
    })
  })
}
