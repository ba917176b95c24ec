/** Tests of the spans of runs. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Schema, Tracer } from "effect"
import { AiError } from "effect/ai"
import * as ScriptedModel from "#layers/ScriptedModel"
import * as Agent from "#src/agent/Agent"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"

class Search extends GuardedTool.Service<Search>()("search", {
  description: "Searches. Read-only.",
  access: "read",
  parameters: Schema.Struct({ q: Schema.String }),
  success: Schema.Struct({ n: Schema.Int })
}) {}

/** Runs the agent with a tracer, and returns its spans in the order of their starts. */
const spansOf = (script: ScriptedModel.Script, streaming = false) =>
  Effect.gen(function* () {
    const spans: Array<Tracer.NativeSpan> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    const handler = Search.layerTest(() => Effect.withSpan(Effect.succeed({ n: 1 }), "query"))
    yield* Agent.run({
      prompt: "Search for a.",
      tools: Toolbox.make(Search),
      turn: { conversation: "conversation" },
      streaming
    }).pipe(
      Effect.provide(Layer.mergeAll(handler, Guard.layerMemory, ScriptedModel.layer(script))),
      Effect.provideService(Tracer.Tracer, tracer)
    )
    return spans
  })

const tree = (spans: ReadonlyArray<Tracer.NativeSpan>) =>
  spans.map(({ attributes, name, parent }) => {
    const above = parent._tag === "Some" && parent.value._tag === "Span" ? parent.value.name : undefined
    return [above, name, attributes.get("gen_ai.conversation.id")]
  })

const script: ScriptedModel.Script = [ScriptedModel.call("search", { q: "a" }, "c1"), "Found 1."]

describe("the spans of a run", () => {
  for (const streaming of [false, true]) {
    it.effect(
      `15.1 requests and calls are inside invoke_agent and name the conversation; streaming: ${streaming}`,
      () =>
        Effect.gen(function* () {
          const request = streaming ? "LanguageModel.streamText" : "LanguageModel.generateText"
          const spans = yield* spansOf(script, streaming)
          assert.deepStrictEqual(tree(spans), [
            [undefined, "invoke_agent", "conversation"],
            ["invoke_agent", request, "conversation"],
            ["invoke_agent", "execute_tool search", "conversation"],
            ["execute_tool search", "query", undefined],
            ["invoke_agent", request, "conversation"]
          ])
          const { attributes, status } = spans[0]!
          assert.strictEqual(attributes.get("gen_ai.operation.name"), "invoke_agent")
          assert.strictEqual(attributes.get("effect_toolguard.end"), "Answered")
          assert.strictEqual(attributes.get("effect_toolguard.rounds"), 2)
          assert.isAbove(Number(attributes.get("gen_ai.usage.input_tokens")), 0)
          assert.deepStrictEqual(status._tag === "Ended" ? status.exit : undefined, Exit.void)
        })
    )
  }

  it.effect("15.1 a run whose model failed ends its span with the error", () =>
    Effect.gen(function* () {
      const reason = new AiError.UnknownError({ description: "no model is loaded" })
      const [span] = yield* spansOf([AiError.make({ module: "Test", method: "generateText", reason })])
      const exit = span!.status._tag === "Ended" ? span!.status.exit : undefined
      assert.strictEqual(span!.attributes.get("error.type"), "ModelFailed")
      assert.include(exit?._tag === "Failure" ? Cause.pretty(exit.cause) : "", "no model is loaded")
    })
  )
})
