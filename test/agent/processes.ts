/** Simulated processes for tests of checkpoints: each has its own guard and memory, and all share the same stores. */
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
import { assertValid, type EquippedTool, toolbox } from "./support.ts"

/** The stores that outlive a process, apart from checkpoints. */
const sharedStores = Layer.mergeAll(BudgetsMemory.layer, IdempotencyKeysMemory.layer)

/** Returns the stores that all processes of a test share. */
export const storesWith = <E>(checkpoints: Layer.Layer<Checkpoints, E>): Layer.Layer<any, E> =>
  Layer.merge(sharedStores, checkpoints)
export const stores: Layer.Layer<any> = storesWith(CheckpointsMemory.layer)

/** Provides a test with the stores that outlive its processes. */
export const onStores =
  (layer: Layer.Layer<any, any> = stores) =>
  <A, E>(effect: Effect.Effect<A, E, any>): Effect.Effect<A, E> =>
    Effect.scoped(effect).pipe(Effect.provide(Layer.fresh(layer))) as Effect.Effect<A, E>

/** Creates a model that depends only on the conversation: entry n answers a conversation with n assistant messages. */
export const byPlace =
  (script: ReadonlyArray<ScriptedModel.Answer | ScriptedModel.Responder>): ScriptedModel.Responder =>
  (prompt, index) => {
    const at = prompt.content.filter(({ role }) => role === "assistant").length
    const entry = script[at] ?? "done"
    return typeof entry === "function" ? entry(prompt, index) : entry
  }

export interface World {
  readonly tools: ReadonlyArray<EquippedTool>
  readonly model: ScriptedModel.Responder
  readonly person?: Layer.Layer<any>
}

type Options = Partial<Agent.CheckpointOptions<Tool>> & { readonly tenant?: string; readonly principal?: string }

export interface ProcessResult {
  readonly end: AgentEnd
  readonly events: ReadonlyArray<AgentEvent>
  /** How often the model was asked. */
  readonly asked: number
}

const turn = { conversation: "conversation", turn: "turn" }

/** Executes a process that starts or resumes a run, until its end. */
const runProcess = (
  { model, person = EscalationMemory.layer, tools }: World,
  make: (options: Agent.CheckpointOptions<Tool>) => Effect.Effect<AgentEnd, any, any>,
  options: Options
): Effect.Effect<ProcessResult, any, any> =>
  Effect.flatMap(Effect.context<any>(), (shared) => {
    const events: Array<AgentEvent> = []
    let asked = 0
    const scripted = ScriptedModel.layer((prompt, index) => {
      asked += 1
      return model(prompt, index)
    })
    const guard = Guard.layer.pipe(
      Layer.provide(Layer.merge(Layer.succeedContext(shared), person)),
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

/** Starts the run in a new process, or resumes it if it exists. */
export const begin = (world: World, options: Options = {}) => runProcess(world, Agent.checkpointed, options)

/** Resumes the run in a new process. */
export const resume = (world: World, options: Options = {}) =>
  runProcess(world, ({ prompt: _, turn: __, ...rest }) => Agent.resume(rest), options)

/** Matches trace ids, which differ between processes. */
const traceIds = /tr_[0-9a-f]+_\d+/gu

/** Matches the times that a model is asked to wait, which have jitter [4.11]. */
const waits = /(retry_after_ms\\*"):\d+/gu

/** Removes from JSON text the values that are random in each process: trace ids and the jitter of waits. */
const withoutRandom = (json: string): string => json.replaceAll(traceIds, "tr").replaceAll(waits, "$1:0")

/** Returns the transcript of an end in comparable form, without trace ids and jitter. */
export const textOf = ({ transcript }: AgentEnd): unknown =>
  JSON.parse(withoutRandom(JSON.stringify(Schema.encodeSync(Prompt.Prompt)(transcript))))

/** Returns an end in comparable form, without the causes of failures. */
const comparable = (end: AgentEnd): unknown => ({
  ...JSON.parse(
    withoutRandom(
      JSON.stringify({ ...end, transcript: undefined }, (key, value) => (key === "cause" ? undefined : value))
    )
  ),
  transcript: textOf(end)
})

export const assertSame = (end: AgentEnd, expected: AgentEnd): void =>
  assert.deepStrictEqual(comparable(end), comparable(expected))
