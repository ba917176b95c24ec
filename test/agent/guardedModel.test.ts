/** Tests how `GuardedModel` and effect/ai's own tool resolution handle the same responses. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Ref, Schema, Stream } from "effect"
import { Chat, LanguageModel, Prompt, type Response, Tool, Toolkit } from "effect/ai"
import * as EscalationScripted from "#layers/EscalationScripted"
import * as ScriptedModel from "#layers/ScriptedModel"
import { ToolPolicy } from "#services/Policies"
import { Guard } from "#src/guard/Guard"
import * as GuardedModel from "#src/host/GuardedModel"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"

const { call, finish } = ScriptedModel

class Search extends GuardedTool.Service<Search>()("search", {
  description: "Searches. Read-only.",
  access: "read",
  parameters: Schema.Struct({ q: Schema.String }),
  success: Schema.Struct({ n: Schema.Int })
}) {}

class Refund extends GuardedTool.Service<Refund>()("refund", {
  description: "Refunds. Writes.",
  access: "write",
  approval: "confirm",
  parameters: Schema.Struct({ q: Schema.String }),
  success: Schema.Struct({ n: Schema.Int })
}) {}

const toolbox = Toolbox.make(Search, Refund)

/** A model whose streams end without a finish part. */
const broken = Layer.effect(
  LanguageModel.LanguageModel,
  Effect.map(LanguageModel.LanguageModel, (model) => ({
    ...model,
    streamText: (options: any) => Stream.filter(model.streamText(options), ({ type }) => type !== "finish")
  }))
)

/** Provides the handlers with a scripted model and scripted answers of people, and records which handlers ran. */
const world = (
  script: ScriptedModel.Script,
  people: ReadonlyArray<EscalationScripted.ScriptedAnswer> = [],
  wrap: Layer.Layer<LanguageModel.LanguageModel, never, LanguageModel.LanguageModel> = Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.LanguageModel
  )
) => {
  const runs: Array<string> = []
  const run =
    (name: string) =>
    ({ q }: { readonly q: string }) =>
      Effect.gen(function* () {
        runs.push(`${name} ${q}`)
        // a slow call lets the other calls finish first
        for (let turn = 0; q === "slow" && turn < 50; turn++) yield* Effect.yieldNow
        return q === "bad" ? '{"n":' : { n: 1 }
      })
  const tools = Layer.mergeAll(Search.layerTest(run("search")), Refund.layerTest(run("refund")))
  const guard = Guard.layerMemoryWith(EscalationScripted.layer(people))
  const model = wrap.pipe(Layer.provide(ScriptedModel.layer(script)))
  const handlers = toolbox.handlers.pipe(Layer.provide(tools), Layer.provideMerge(guard))
  return {
    runs,
    bare: Layer.mergeAll(handlers, model),
    guarded: Layer.mergeAll(handlers, GuardedModel.layer.pipe(Layer.provide(model), Layer.provide(guard)))
  }
}

type Results = ReadonlyArray<{ readonly type: string }>

/** Returns the call ids, with the code of each failure or the status of each success. */
const results = (content: Results) =>
  content
    .filter((part): part is any => part.type === "tool-result")
    .map(({ id, isFailure, result }) => [id, isFailure, result.error?.code ?? result.status ?? result.type])

const ask = (prompt: Prompt.RawInput = "Hello") =>
  Effect.map(LanguageModel.generateText({ prompt, toolkit: toolbox.toolkit }), ({ content }) =>
    results(content as Results)
  )

const streamed = Effect.map(
  Stream.runCollect(LanguageModel.streamText({ prompt: "Hello", toolkit: toolbox.toolkit })),
  (parts) => parts as ReadonlyArray<Response.AnyPart>
)

const unknown = [[call("serch", { q: "a" }, "c1"), call("search", { q: "a" }, "c2")]]
const malformed = [[call("search", '{"q": "a', "c1"), call("search", "[1]", "c2"), call("search", { q: 1 }, "c3")]]
const slowFirst = [[call("search", { q: "slow" }, "c1"), call("search", { q: "b" }, "c2")]]
const cut = [[call("search", { q: "a" }, "c1"), call("search", '{"q": "b', "c2"), finish("length")]]

describe("effect/ai alone", () => {
  it.effect("11.4 fails the request on an unknown tool name, and runs nothing", () => {
    const { bare, runs } = world(unknown)
    return Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(ask())).reason._tag, "InvalidOutputError")
      assert.deepStrictEqual(runs, [])
    }).pipe(Effect.provide(bare))
  })

  it.effect("11.4 passes malformed arguments to the guard, which explains the error", () => {
    const { bare, runs } = world(malformed)
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* ask(), [
        ["c1", true, "truncated_arguments"],
        ["c2", true, "invalid_arguments"],
        ["c3", true, "invalid_arguments"]
      ])
      assert.deepStrictEqual(runs, [])
    }).pipe(Effect.provide(bare))
  })

  it.effect("11.4 returns results in the order of completion", () => {
    const { bare } = world(slowFirst)
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* ask(), [
        ["c2", false, "success"],
        ["c1", false, "success"]
      ])
    }).pipe(Effect.provide(bare))
  })

  it.effect("11.4 does not run the calls of a truncated response, and answers with its own message", () => {
    const { bare, runs } = world(cut)
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* ask(), [
        ["c1", true, "execution-interrupted"],
        ["c2", true, "execution-interrupted"]
      ])
      assert.deepStrictEqual(runs, [])
    }).pipe(Effect.provide(bare))
  })

  it.effect(
    "11.4 runs the tools of generateObject, and then fails if the response has no text besides its calls",
    () => {
      const { bare, runs } = world([[call("search", { q: "a" }, "c1")]])
      return Effect.gen(function* () {
        const asked = LanguageModel.generateObject({
          prompt: "Hello",
          toolkit: toolbox.toolkit,
          schema: Schema.Struct({ a: Schema.Int })
        })
        assert.strictEqual((yield* Effect.flip(asked)).reason._tag, "StructuredOutputError")
        assert.deepStrictEqual(runs, ["search a"])
      }).pipe(Effect.provide(bare))
    }
  )
})

describe("GuardedModel", () => {
  it.effect("4.1, 11.4 answers an unknown tool name with the nearest name, and runs the other calls", () => {
    const { guarded, runs } = world(unknown)
    return Effect.gen(function* () {
      const { content } = yield* LanguageModel.generateText({ prompt: "Hello", toolkit: toolbox.toolkit })
      assert.deepStrictEqual(results(content as Results), [
        ["c1", true, "unknown_tool"],
        ["c2", false, "success"]
      ])
      const unknownTool = content.find((part) => part.type === "tool-result")
      assert.include(JSON.stringify(unknownTool), "search")
      assert.deepStrictEqual(runs, ["search a"])
      // the resulting history can be encoded and decoded
      const encoded = Schema.encodeSync(Prompt.Prompt)(Prompt.fromResponseParts(content))
      assert.deepStrictEqual(Schema.decodeSync(Prompt.Prompt)(JSON.parse(JSON.stringify(encoded))).content.length, 2)
    }).pipe(Effect.provide(guarded))
  })

  it.effect("9.1, 9.3, 11.4 keeps the order of the calls, runs identical reads once, and replaces repeated ids", () => {
    const { guarded, runs } = world([
      [call("search", { q: "slow" }, "c1"), call("search", { q: "b" }, "c1"), call("search", { q: "slow" }, "c3")]
    ])
    return Effect.gen(function* () {
      const all = yield* ask()
      assert.deepStrictEqual(
        all.map(([, isFailure]) => isFailure),
        [false, false, false]
      )
      assert.strictEqual(new Set(all.map(([id]) => id)).size, 3)
      assert.deepStrictEqual([all[0]?.[0], all[2]?.[0]], ["c1", "c3"])
      assert.deepStrictEqual(runs, ["search slow", "search b"])
    }).pipe(Effect.provide(guarded))
  })

  it.effect("4.2, 11.3 runs the complete calls of a truncated response, and explains how to send the last call", () => {
    const { guarded, runs } = world(cut)
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* ask(), [
        ["c1", false, "success"],
        ["c2", true, "truncated_arguments"]
      ])
      assert.deepStrictEqual(runs, ["search a"])
    }).pipe(Effect.provide(guarded))
  })

  it.effect("11.3 does not run the calls of a response that a content filter ended", () => {
    const { guarded, runs } = world([[call("search", { q: "a" }, "c1"), finish("content-filter")]])
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* ask(), [["c1", true, "truncated_arguments"]])
      assert.deepStrictEqual(runs, [])
    }).pipe(Effect.provide(guarded))
  })

  it.effect("11.3 does not run the calls of a stream that ends without a finish part", () => {
    const { guarded, runs } = world([[call("search", { q: "a" }, "c1"), call("refund", { q: "b" }, "c2")]], [], broken)
    return Effect.gen(function* () {
      const parts = yield* streamed
      assert.deepStrictEqual(results(parts), [
        ["c1", true, "truncated_arguments"],
        ["c2", true, "truncated_arguments"]
      ])
      assert.notStrictEqual(parts.at(-1)?.type, "finish")
      assert.deepStrictEqual(runs, [])
    }).pipe(Effect.provide(guarded))
  })

  it.effect("11.4 streams results in the order of the calls, before the finish part", () => {
    const { guarded, runs } = world([...unknown, ...cut])
    return Effect.gen(function* () {
      const first = yield* streamed
      assert.deepStrictEqual(results(first), [
        ["c1", true, "unknown_tool"],
        ["c2", false, "success"]
      ])
      assert.strictEqual(first.at(-1)?.type, "finish")
      assert.deepStrictEqual(results(yield* streamed), [
        ["c1", false, "success"],
        ["c2", true, "truncated_arguments"]
      ])
      assert.deepStrictEqual(runs, ["search a", "search a"])
    }).pipe(Effect.provide(guarded))
  })

  it.effect("11.4 generateObject returns the value and the answers, and runs nothing if there is no value", () => {
    const { guarded, runs } = world([['{"a": 1}', call("serch", { q: "a" }, "c1")], [call("search", { q: "a" }, "c2")]])
    const asked = LanguageModel.generateObject({
      prompt: "Hello",
      toolkit: toolbox.toolkit,
      schema: Schema.Struct({ a: Schema.Int })
    })
    return Effect.gen(function* () {
      const { content, value } = yield* asked
      assert.deepStrictEqual(value, { a: 1 })
      assert.deepStrictEqual(results(content as Results), [["c1", true, "unknown_tool"]])
      assert.strictEqual((yield* Effect.flip(asked)).reason._tag, "StructuredOutputError")
      assert.deepStrictEqual(runs, [])
    }).pipe(Effect.provide(guarded))
  })

  it.effect("4.6, 16 seventeen identical calls in a chat make one attempt", () => {
    const { guarded, runs } = world(Array.from({ length: 17 }, () => call("search", { q: "bad" })))
    return Effect.gen(function* () {
      const chat = yield* Chat.empty
      for (let round = 0; round < 17; round++) {
        yield* chat.generateText({ prompt: round === 0 ? "Hello" : [], toolkit: toolbox.toolkit })
      }
      const history = yield* Ref.get(chat.history)
      assert.lengthOf(
        history.content.filter(({ role }) => role === "tool"),
        17
      )
      assert.deepStrictEqual(runs, ["search bad"])
    }).pipe(Guard.turn, Effect.provide(guarded))
  })

  it.effect("4.6, 16 seventeen identical calls in one response make one attempt", () => {
    const { guarded, runs } = world([
      Array.from({ length: 17 }, (_, index) => call("search", { q: "bad" }, `c${index}`))
    ])
    return Effect.gen(function* () {
      assert.lengthOf(yield* ask(), 17)
      assert.deepStrictEqual(runs, ["search bad"])
    }).pipe(Guard.turn, Effect.provide(guarded))
  })

  it.effect("11.4 passes on requests with other toolkits and requests that disable tool resolution", () => {
    const Other = Toolkit.make(Tool.make("other", { success: Schema.String }))
    const { guarded, runs } = world([call("other", {}, "c1"), call("nope", { q: "a" }, "c2")])
    return Effect.gen(function* () {
      const other = yield* LanguageModel.generateText({ prompt: "Hello", toolkit: Other }).pipe(
        Effect.provide(Other.toLayer({ other: () => Effect.succeed("mine") }))
      )
      assert.deepStrictEqual(
        other.toolResults.map(({ result }) => result),
        ["mine"]
      )
      const own = yield* LanguageModel.generateText({
        prompt: "Hello",
        toolkit: toolbox.toolkit,
        disableToolCallResolution: true,
        toolCallValidation: "deferred"
      })
      assert.deepStrictEqual(
        own.content.map(({ type }) => type),
        ["tool-call", "finish"]
      )
      assert.deepStrictEqual(runs, [])
    }).pipe(Effect.provide(guarded))
  })
})

/** Creates a history with a call that waits for an approval, and responses to that approval. */
const history = (responses: ReadonlyArray<boolean>, name = "refund", isCalled = true) =>
  Prompt.fromMessages([
    Prompt.userMessage({ content: [Prompt.textPart({ text: "Refund it." })] }),
    Prompt.assistantMessage({
      content: [
        ...(isCalled ? [Prompt.toolCallPart({ id: "o1", name, params: { q: "a" }, providerExecuted: false })] : []),
        Prompt.toolApprovalRequestPart({ approvalId: "p1", toolCallId: "o1" })
      ]
    }),
    Prompt.toolMessage({
      content: responses.map((approved) => Prompt.toolApprovalResponsePart({ approvalId: "p1", approved }))
    })
  ])

for (const kind of ["bare", "guarded"] as const) {
  describe(`an approval in the history (${kind})`, () => {
    it.effect("10.3, 11.4 grants nothing: the guard asks its own approver, whose denial counts", () => {
      const { runs, ...layers } = world(["done"], ["deny"])
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* ask(history([true])), [["o1", true, "approval_denied"]])
        assert.deepStrictEqual(runs, [])
      }).pipe(Effect.provide(layers[kind]))
    })

    it.effect("10.3, 11.4 runs the call once if the guard's approver also approves", () => {
      const { runs, ...layers } = world(["done"], ["approve"])
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* ask(history([true])), [["o1", false, "success"]])
        assert.deepStrictEqual(runs, ["refund a"])
      }).pipe(Effect.provide(layers[kind]))
    })

    it.effect("10.3, 11.4 runs the call once if the approval occurs twice", () => {
      const { runs, ...layers } = world(["done"], ["approve"])
      return Effect.gen(function* () {
        yield* ask(history([true, true]))
        assert.deepStrictEqual(runs, ["refund a"])
      }).pipe(Guard.turn, Effect.provide(layers[kind]))
    })

    it.effect("10.3, 11.4 runs nothing without an approver, even in a stream", () => {
      const { runs, ...layers } = world(["done", "done"])
      return Effect.gen(function* () {
        const parts = yield* Stream.runCollect(
          LanguageModel.streamText({ prompt: history([true]), toolkit: toolbox.toolkit })
        )
        assert.deepStrictEqual(results(parts as Results), [["o1", true, "no_person"]])
        assert.deepStrictEqual(runs, [])
      }).pipe(Effect.provide(layers[kind]))
    })

    it.effect("11.4 runs nothing if the history has a denial instead", () => {
      const { runs, ...layers } = world(["done"], ["approve"])
      return Effect.gen(function* () {
        yield* ask(history([false]))
        assert.deepStrictEqual(runs, [])
      }).pipe(Effect.provide(layers[kind]))
    })

    it.effect("11.4 runs nothing before the model if the caller disables tool resolution", () => {
      const { runs, ...layers } = world(["done"], ["deny"])
      return Effect.gen(function* () {
        yield* LanguageModel.generateText({
          prompt: history([true]),
          toolkit: yield* toolbox.toolkit,
          disableToolCallResolution: true,
          toolCallValidation: "deferred"
        })
        assert.deepStrictEqual(runs, [])
      }).pipe(Effect.provide(layers[kind]))
    })
  })
}

describe("an approval without its call", () => {
  it.effect("11.4 fails the request in effect/ai alone", () => {
    const { bare, runs } = world(["done", "done"])
    return Effect.gen(function* () {
      assert.strictEqual((yield* Effect.exit(ask(history([true], "refund", false))))._tag, "Failure")
      assert.strictEqual((yield* Effect.exit(ask(history([true], "nope"))))._tag, "Failure")
      assert.deepStrictEqual(runs, [])
    }).pipe(Effect.provide(bare))
  })

  it.effect("11.4 is removed by GuardedModel, and a call of an unknown tool is answered", () => {
    const { guarded, runs } = world(["done", "done"])
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* ask(history([true], "refund", false)), [])
      assert.deepStrictEqual(yield* ask(history([true], "nope")), [["o1", true, "unknown_tool"]])
      assert.deepStrictEqual(runs, [])
    }).pipe(Effect.provide(guarded))
  })
})

describe("the turns of a host", () => {
  /** Sends messages in one turn of the host, and returns the results of the model's calls. */
  const chat = (messages: ReadonlyArray<string>, layer: ReturnType<typeof world>["guarded"]) =>
    Effect.gen(function* () {
      const session = yield* Chat.empty
      const seen: Array<unknown> = []
      for (const prompt of messages) {
        const { content } = yield* session.generateText({
          prompt: prompt === "" ? [] : prompt,
          toolkit: toolbox.toolkit
        })
        seen.push(...content.flatMap((part: any) => (part.type === "tool-result" ? [part.result] : [])))
      }
      return seen.map((result: any) => [
        result.error?.code ?? result.status,
        ...(result.unchanged === true ? ["unchanged"] : []),
        ...(result.executed === false ? ["not executed"] : [])
      ])
    }).pipe(Guard.turn, Effect.provide(layer))

  it.effect("7.1 a new message of the user within one `Guard.turn` restarts the counts", () => {
    const { guarded, runs } = world(Array.from({ length: 6 }, () => [call("search", { q: "a" })]))
    return Effect.gen(function* () {
      // an empty message continues the turn
      const seen = yield* chat(["Hello", "", "", "Again", "Again", ""], guarded)
      assert.deepStrictEqual(seen, [
        ["success"],
        ["success", "unchanged"],
        ["loop_detected"],
        ["success"],
        ["success"],
        ["success", "unchanged"]
      ])
      assert.strictEqual(runs.length, 5)
    })
  })

  it.effect("8.1 the turn of a second message and a turn that the host names `t/2` are two turns", () => {
    const { guarded, runs } = world(
      Array.from({ length: 3 }, () => [call("refund", { q: "a" })]),
      ["approve", "approve", "approve"]
    )
    const said = (prompts: ReadonlyArray<string>, turn: string) =>
      Effect.gen(function* () {
        const session = yield* Chat.empty
        for (const prompt of prompts) yield* session.generateText({ prompt, toolkit: toolbox.toolkit })
      }).pipe(Effect.provideService(ToolPolicy, { idempotency: "derived" }), (chat) =>
        Guard.turn(chat, { conversation: "c", turn })
      )
    return Effect.gen(function* () {
      yield* said(["Refund it", "Refund it again"], "t")
      yield* said(["And again"], "t/2")
      assert.strictEqual(runs.length, 3)
    }).pipe(Effect.provide(guarded))
  })

  it.effect("4.6 after a new message of the user, a write is made again", () => {
    const { guarded, runs } = world(
      Array.from({ length: 3 }, () => [call("refund", { q: "a" })]),
      ["approve", "approve"]
    )
    return Effect.gen(function* () {
      const seen = yield* chat(["Refund it", "", "Refund it again"], guarded)
      assert.deepStrictEqual(seen, [["success"], ["success", "unchanged", "not executed"], ["success"]])
      assert.strictEqual(runs.length, 2)
    })
  })
})
