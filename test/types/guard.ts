/** The guard is a service: calls require it, and the types of its layers say what they require. */
import { Context, Effect, Layer } from "effect"
import type { LanguageModel } from "effect/ai"
import { Agent, Guard, Pipeline, type Stage, Toolbox, type Turn } from "effect-toolguard"
import * as EscalationScripted from "effect-toolguard/layers/EscalationScripted"
import * as ScriptedModel from "effect-toolguard/layers/ScriptedModel"
import type { Authorizer } from "effect-toolguard/services/Authorizer"
import type { Budgets } from "effect-toolguard/services/Budgets"
import type { CallLog } from "effect-toolguard/services/CallLog"
import { CurrentTurn } from "effect-toolguard/services/CurrentTurn"
import type { Escalation } from "effect-toolguard/services/Escalation"
import { ClassificationRules } from "effect-toolguard/services/Policies"
import { assertType, type Equals } from "./kit.ts"
import { Search } from "./tools.ts"

const call = Search.call({ customer_id: "C-1" })
const handler = Search.layerTest(({ page }) => Effect.succeed({ orders: [], page, has_more: false }))

// all services are provided

const provided = call.pipe(Effect.provide([handler, Guard.layerMemory]))
assertType<Equals<Effect.Services<typeof provided>, never>>()

const wired = call.pipe(Effect.provide(Layer.mergeAll(handler, Guard.layerMemory)))
assertType<Equals<Effect.Services<typeof wired>, never>>()

// a service is missing

const unguarded = call.pipe(Effect.provide(handler))
assertType<Equals<Effect.Services<typeof unguarded>, Guard>>()
const unhandled = call.pipe(Effect.provide(Guard.layerMemory))
assertType<Equals<Effect.Services<typeof unhandled>, Search>>()

// a run in a test replaces only layers

const run = Agent.run({ prompt: "Where are my orders?", tools: Toolbox.make(Search) })
const tested = run.pipe(Effect.provide([handler, Guard.layerMemory, ScriptedModel.layer(["None."])]))
assertType<Equals<Effect.Services<typeof tested>, never>>()
const modelless = run.pipe(Effect.provide([handler, Guard.layerMemory]))
assertType<Equals<Effect.Services<typeof modelless>, LanguageModel.LanguageModel>>()

// the layers of the guard

type Requirements = Layer.Services<typeof Guard.layer>
assertType<Equals<Layer.Success<typeof Guard.layer>, Guard>>()
assertType<
  Equals<
    Extract<Authorizer | Budgets | CallLog | Escalation, Requirements>,
    Authorizer | Budgets | CallLog | Escalation
  >
>()
assertType<Equals<typeof Guard.layerMemory, Layer.Layer<Guard>>>()
assertType<Equals<typeof Guard.memory, Layer.Layer<Requirements>>>()
const scripted = Guard.layerMemoryWith(EscalationScripted.layer(["approve"]))
assertType<Equals<typeof scripted, Layer.Layer<Guard | Escalation | EscalationScripted.EscalationTranscript>>>()

// custom stages add their requirements

class Audit extends Context.Service<Audit, { readonly note: (tool: string) => Effect.Effect<void> }>()("Audit") {}
const audit: Stage<Audit> = {
  name: "audit",
  make: Effect.map(
    Audit,
    ({ note }) =>
      (tool) =>
      (next) =>
      (call) =>
        Effect.andThen(note(tool.definition.name), next(call))
  )
}
const audited = Guard.layerOf(Pipeline.insertBefore("retry", audit)(Pipeline.stages))
assertType<Equals<typeof audited, Layer.Layer<Guard, never, Requirements | Audit>>>()
const standard = Guard.layerOf(Pipeline.stages)
assertType<Equals<typeof standard, typeof Guard.layer>>()
const bare = Guard.layerOf([audit])
assertType<Equals<Exclude<Layer.Services<typeof bare>, Requirements>, Audit>>()
assertType<Equals<Extract<Layer.Services<typeof bare>, Authorizer | CallLog>, never>>()
const standalone = audited.pipe(Layer.provide(Guard.memory))
assertType<Equals<typeof standalone, Layer.Layer<Guard, never, Audit>>>()

// a turn requires only the guard, and references never appear in requirements

const turn = Guard.turn(call, { tenant: "acme" })
assertType<Equals<Effect.Services<typeof turn>, Search | Guard>>()
const withTurn = Search.layer(({ page }) =>
  Effect.map(CurrentTurn, (turn) => ({ orders: [turn?.turn ?? "none"], page, has_more: false }))
)
assertType<Equals<typeof withTurn, Layer.Layer<Search>>>()
const inTurn = Effect.map(CurrentTurn, (turn) => turn)
assertType<Equals<typeof inTurn, Effect.Effect<Turn | undefined>>>()
const ruled = call.pipe(
  Effect.provideService(ClassificationRules, [
    { name: "maintenance", match: ({ statuses }) => (statuses.includes(418) ? { code: "rate_limited" } : undefined) }
  ])
)
assertType<Equals<Effect.Services<typeof ruled>, Search | Guard>>()
