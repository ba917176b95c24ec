/** Processes for tests of checkpoints: each has a guard and a memory of its own, and all have the same stores. */
import * as BudgetsMemory from "#layers/BudgetsMemory"
import * as CheckpointsMemory from "#layers/CheckpointsMemory"
import * as EscalationMemory from "#layers/EscalationMemory"
import * as IdempotencyKeysMemory from "#layers/IdempotencyKeysMemory"
import * as ScriptedModel from "#layers/ScriptedModel"
import type { Checkpoints } from "#services/Checkpoints"
import * as Agent from "#src/agent/Agent"
import type { AgentEnd } from "#src/agent/AgentEnd"
import type { AgentEvent } from "#src/agent/AgentEvent"
import { Guard } from "#src/guard/Guard"
import { assert } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Prompt } from "effect/ai"
import type { Tool } from "../pipeline/support.ts"
import { assertValid, type Equipped, toolbox } from "./support.ts"

/** What outlives a process, beside its checkpoints. */
const others = Layer.mergeAll(BudgetsMemory.layer, IdempotencyKeysMemory.layer)

/** Stores that all processes of a test have. */
export const storesWith = <E>(checkpoints: Layer.Layer<Checkpoints, E>): Layer.Layer<any, E> =>
  Layer.merge(others, checkpoints)
export const stores: Layer.Layer<any> = storesWith(CheckpointsMemory.layer)

/** A test with stores, and what else outlives its processes. */
export const onStores =
  (layer: Layer.Layer<any, any> = stores) =>
  <A, E>(effect: Effect.Effect<A, E, any>): Effect.Effect<A, E> =>
    Effect.scoped(effect).pipe(Effect.provide(Layer.fresh(layer))) as Effect.Effect<A, E>

/** A model that goes by the conversation, as a real one does: entry n answers where it has answered n times. */
export const byPlace =
  (script: ReadonlyArray<ScriptedModel.Answer | ScriptedModel.Respond>): ScriptedModel.Respond =>
  (prompt, index) => {
    const at = prompt.content.filter(({ role }) => role === "assistant").length
    const entry = script[at] ?? "done"
    return typeof entry === "function" ? entry(prompt, index) : entry
  }

export interface World {
  readonly tools: ReadonlyArray<Equipped>
  readonly model: ScriptedModel.Respond
  readonly person?: Layer.Layer<any>
}

type Options = Partial<Agent.CheckpointOptions<Tool>> & { readonly tenant?: string }

export interface Lived {
  readonly end: AgentEnd
  readonly events: ReadonlyArray<AgentEvent>
  /** How often the model was asked. */
  readonly asked: number
}

const turn = { conversation: "conversation", turn: "turn" }

/** A process that begins a run or goes on with it, until its end or its death. */
const live = (
  { model, person = EscalationMemory.layer, tools }: World,
  make: (options: Agent.CheckpointOptions<Tool>) => Effect.Effect<AgentEnd, any, any>,
  options: Options
): Effect.Effect<Lived, any, any> =>
  Effect.flatMap(Effect.context<any>(), (survived) => {
    const events: Array<AgentEvent> = []
    let asked = 0
    const scripted = ScriptedModel.layer((prompt, index) => {
      asked += 1
      return model(prompt, index)
    })
    const guard = Guard.layer.pipe(
      Layer.provide(Layer.merge(Layer.succeedContext(survived), person)),
      Layer.provide(Guard.memory)
    )
    return make({
      run: "run",
      prompt: "Go.",
      turn,
      tools: toolbox(tools),
      ...options,
      onEvent: (event) =>
        Effect.andThen(
          Effect.sync(() => void events.push(event)),
          options.onEvent?.(event) ?? Effect.void
        )
    }).pipe(
      Effect.provide(Layer.fresh(Layer.mergeAll(guard as Layer.Layer<any>, scripted, ...tools.map((it) => it.layer)))),
      Effect.map((end: AgentEnd) => {
        assertValid(end.transcript)
        return { end, events, asked }
      })
    )
  })

/** A process that begins the run, or goes on with it where it is known. */
export const begin = (world: World, options: Options = {}) => live(world, Agent.checkpointed, options)

/** A process that goes on with the run. */
export const resume = (world: World, options: Options = {}) =>
  live(world, ({ prompt: _, turn: __, ...rest }) => Agent.resume(rest), options)

/** Ids of traces are other ones in every process. */
const traceIds = /tr_[0-9a-f]+_\d+/gu

/** A transcript as it is compared. */
export const textOf = ({ transcript }: AgentEnd): unknown =>
  JSON.parse(JSON.stringify(Schema.encodeSync(Prompt.Prompt)(transcript)).replaceAll(traceIds, "tr"))

/** An end as it is compared. The cause of a failure is in the logs of the process that had it. */
const shapeOf = (end: AgentEnd): unknown => ({
  ...JSON.parse(
    JSON.stringify({ ...end, transcript: undefined }, (key, value) => (key === "cause" ? undefined : value)).replaceAll(
      traceIds,
      "tr"
    )
  ),
  transcript: textOf(end)
})

export const assertSame = (end: AgentEnd, expected: AgentEnd): void =>
  assert.deepStrictEqual(shapeOf(end), shapeOf(expected))
