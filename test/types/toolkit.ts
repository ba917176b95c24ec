/** A guarded toolkit of effect/ai keeps its names and types, and policies are typed by tool. */
import { Context, Effect, type Layer, Schema } from "effect"
import { LanguageModel, Tool, Toolkit } from "effect/ai"
import { type Failure, type Guard, GuardedTool } from "effect-toolguard"
import { assertType, type Equals } from "./kit.ts"

class Tenant extends Context.Service<Tenant, string>()("types/Tenant") {}
class Gone extends Schema.TaggedError<Gone>()("Gone", {}) {}

const Find = Tool.make("find", {
  parameters: Schema.Struct({ id: Schema.String, on: Schema.DateTimeUtcFromString }),
  success: Schema.Struct({ n: Schema.Int, on: Schema.DateTimeUtcFromString }),
  failure: Gone,
  dependencies: [Tenant]
})
const Ping = Tool.make("ping")

const box = GuardedTool.fromToolkit(Toolkit.make(Find, Ping), {
  find: {
    access: "read",
    approval: ({ id }) => ({ level: id === "" ? "confirm" : "auto", sentence: "" }),
    checks: { other: ({ n }, { arguments: { id } }) => (n === id.length ? { _tag: "Ok" } : { _tag: "Ok" }) }
  },
  ping: { access: "write", timeout: "1 second" }
})

type Find = typeof Find
assertType<Equals<(typeof box.names)[number], "find" | "ping">>()

// tools by name

const found = box.get("find").call({ id: "a", on: "2026-01-01" })
assertType<Equals<Effect.Success<typeof found>, Tool.Success<Find>>>()
assertType<Equals<Effect.Error<typeof found>, Failure>>()
assertType<Equals<Effect.Services<typeof found>, Guard | Tenant | Tool.Handler<"find">>>()

const pinged = box.get("ping").call({})
assertType<Equals<Effect.Success<typeof pinged>, void>>()
assertType<Equals<Effect.Services<typeof pinged>, Guard | Tool.Handler<"ping">>>()

// a listed failure is a refusal, which is part of the error channel

const refusing = GuardedTool.fromToolkit(Toolkit.make(Find, Ping), {
  find: { access: "read", refusals: ["Gone"], approval: ({ id }) => ({ level: "auto", sentence: id }) },
  ping: { access: "write" }
})
const gone = refusing.get("find").call({ id: "a", on: "2026-01-01" })
assertType<Equals<Effect.Error<typeof gone>, Failure | Gone>>()
assertType<Equals<GuardedTool.ErrorOf<ReturnType<typeof refusing.get<"ping">>>, Failure>>()

// the handlers of the toolbox require the handlers of the toolkit

assertType<
  Equals<
    typeof box.handlers,
    Layer.Layer<
      Tool.Handler<"find"> | Tool.Handler<"ping">,
      never,
      Tool.Handler<"find"> | Tool.Handler<"ping"> | Tenant | Guard
    >
  >
>()

const generated = LanguageModel.generateText({ prompt: "Hello", toolkit: box.toolkit }).pipe(
  Effect.provide(box.handlers)
)
assertType<
  Equals<
    Effect.Services<typeof generated>,
    Tool.Handler<"find"> | Tool.Handler<"ping"> | Tenant | Guard | LanguageModel.LanguageModel
  >
>()

// tools that are known only at run time

declare const some: Toolkit.Toolkit<Record<string, Tool.Any>>
const any = GuardedTool.fromToolkit(some)
assertType<Equals<(typeof any.names)[number], string>>()
