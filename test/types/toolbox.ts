/** A toolbox requires what its tools require, and is a standard toolkit of effect/ai. */
import { Effect, Layer, type Stream } from "effect"
import { type AiError, LanguageModel, McpServer, type Prompt } from "effect/ai"
import {
  Agent,
  type AgentEnd,
  type AgentEvent,
  type CallFailure,
  Guard,
  type GuardedTool,
  type ModelAnswer,
  type PartialData,
  Toolbox
} from "effect-toolguard"
import { assertType, type Equals } from "./kit.ts"
import { Cancel, Count, type Orders, Paged, Search, type Sent } from "./tools.ts"

const tools = Toolbox.make(Paged, Cancel, Count)
type Requirements = Paged | Cancel | Count | Guard
assertType<Equals<typeof tools, Toolbox.Toolbox<typeof Paged | typeof Cancel | typeof Count>>>()
assertType<Equals<(typeof tools.names)[number], "page_orders" | "cancel_order" | "count_orders">>()

// calls by name

const called = tools.call("count_orders", {})
assertType<Equals<Effect.Success<typeof called>, Orders | { readonly count: number }>>()
assertType<Equals<Effect.Error<typeof called>, CallFailure | PartialData<Orders, Sent>>>()
assertType<Equals<Effect.Services<typeof called>, Requirements>>()

// a program gets the Type of `success`, even from tools that only advise
const advised = Toolbox.policy({ enforce: "advise" })(tools).call("count_orders", {})
assertType<Equals<Effect.Success<typeof advised>, Orders | { readonly count: number }>>()
assertType<Equals<Effect.Error<typeof advised>, Effect.Error<typeof called>>>()

// a shared idempotency keeps the types of the tools
const keyed = Toolbox.policy({ idempotency: "derived", retry: { attempts: 3 } })(tools)
assertType<Equals<typeof keyed, typeof tools>>()

const answered = tools.answer({ name: "any", arguments: "{}", callId: "1" })
assertType<Equals<typeof answered, Effect.Effect<ModelAnswer, never, Requirements>>>()

// two toolboxes

const merged = Toolbox.merge(tools, Toolbox.make(Search))
assertType<Equals<Toolbox.Tools<typeof merged>, typeof Paged | typeof Cancel | typeof Count | typeof Search>>()

// the names of tools that are known only at run time are compared when the toolbox is created

declare const some: ReadonlyArray<typeof Cancel | typeof Count>
const spread = Toolbox.make(Paged, ...some)
assertType<Equals<Toolbox.Tools<typeof spread>, typeof Paged | typeof Cancel | typeof Count>>()
declare const any: ReadonlyArray<GuardedTool.AnyTool>
const anyBox = Toolbox.merge(Toolbox.make(...any), tools)
assertType<Equals<(typeof anyBox.names)[number], GuardedTool.AnyTool["toolName"]>>()

// unmodified effect/ai

const resolved = LanguageModel.generateText({ prompt: "Hello", toolkit: tools.toolkit }).pipe(
  Guard.turn,
  Effect.provide(tools.handlers)
)
assertType<Equals<Effect.Error<typeof resolved>, AiError.AiError>>()
assertType<Equals<Effect.Services<typeof resolved>, Requirements | LanguageModel.LanguageModel>>()

const unresolved = LanguageModel.generateText({
  prompt: "Hello",
  toolkit: tools.toolkit,
  disableToolCallResolution: true,
  toolCallValidation: "deferred"
})
assertType<Equals<Effect.Services<typeof unresolved>, LanguageModel.LanguageModel>>()

const served = McpServer.toolkit(tools.toolkit).pipe(Layer.provide(tools.handlers))
assertType<Equals<typeof served, Layer.Layer<never, never, Requirements | McpServer.McpServer>>>()

// the agent loop

declare const prompt: Prompt.Prompt
const run = Agent.run({ prompt, tools, maxRounds: 3, turn: { tenant: "acme" } })
assertType<Equals<Effect.Success<typeof run>, AgentEnd>>()
assertType<Equals<Effect.Error<typeof run>, never>>()
assertType<Equals<Effect.Services<typeof run>, Requirements | LanguageModel.LanguageModel>>()

const events = Agent.stream({ prompt, tools })
assertType<Equals<Stream.Success<typeof events>, AgentEvent>>()
assertType<Equals<Stream.Services<typeof events>, Requirements | LanguageModel.LanguageModel>>()

// an empty toolbox, for a run without tools

const withoutTools = Agent.run({ prompt, tools: Toolbox.make() })
assertType<Equals<Effect.Services<typeof withoutTools>, Guard | LanguageModel.LanguageModel>>()
