/** The workflow of a durable run, and its body, which runs from the start each time the run resumes. */
import type { Turn } from "#domain/turn/Turn"
import { CurrentTurn } from "#services/CurrentTurn"
import * as Prompt from "effect/ai/Prompt"
import * as Clock from "effect/Clock"
import { WebCrypto } from "effect/crypto/WebCrypto"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Activity from "effect/workflow/Activity"
import * as DurableDeferred from "effect/workflow/DurableDeferred"
import * as Workflow from "effect/workflow/Workflow"
import { type WorkflowEngine, WorkflowInstance } from "effect/workflow/WorkflowEngine"
import type { AgentEnd } from "#src/agent/AgentEnd"
import type { AgentEvent } from "#src/agent/AgentEvent"
import type { Requirements, RunOptions } from "#src/agent/AgentOptions"
import * as DurableSteps from "./DurableSteps.ts"
import * as DurableEvents from "./DurableEvents.ts"
import * as Waits from "./DurableWaits.ts"
import { equip } from "#src/agent/RunTools"
import { EndSchema, writable } from "#src/agent/EndSchema"
import { GuardedTurn, type ModelAnswer } from "#src/guard/Guard"
import { loop } from "#src/agent/Loop"
import type { Stop, Stopped } from "#src/agent/Stop"
import { emitterOf } from "#src/agent/EventEmitter"
import type { AnyTool } from "#src/tool/ToolClass"

/** Identifies a run of an agent. */
export interface RunKey {
  /** Any text that is unique in the tenant. */
  readonly run: string
  /** Default `default`. */
  readonly tenant?: string
}

export interface DurableOptions<Tools extends AnyTool> extends Omit<
  RunOptions<Tools>,
  "prompt" | "turn" | "interruptWhen" | "onEvent"
> {
  /**
   * What happens to a call that waits for a person: the run is suspended until the decision, or the model reads
   * `requires_human_approval` and may do something else. Default `suspend`.
   */
  readonly pending?: "suspend" | "answer"
  /** Receives the events of all runs. It must be quick; if it fails, that is only logged. */
  readonly onEvent?: (event: AgentEvent, run: Required<RunKey>) => Effect.Effect<void>
}

export const defaultTenant = "default"

const payloadFields = {
  run: Schema.String,
  tenant: Schema.String,
  conversation: Schema.String,
  principal: Schema.optionalKey(Schema.String),
  prompt: Prompt.Prompt
}
interface Payload extends Schema.Struct.Type<typeof payloadFields> {}

export const workflow = <const Name extends string>(name: Name) =>
  Workflow.make(name, {
    payload: payloadFields,
    success: EndSchema,
    idempotencyKey: ({ run, tenant }) => JSON.stringify([tenant, run])
  })

/** A run is one turn, named after it, so that its idempotency keys are the same on every runner. */
const turnOf = (name: string, { conversation, principal, run, tenant }: Payload): Turn => ({
  tenant,
  conversation,
  turn: `${name}/${run}`,
  ...(principal === undefined ? {} : { principal })
})

/** The run of a turn, if it belongs to this agent. */
export const runOf = (name: string, { tenant, turn }: Turn): RunKey | undefined =>
  turn.startsWith(`${name}/`) ? { tenant, run: turn.slice(name.length + 1) } : undefined

/**
 * The answers of the runs whose body is running, by guard and execution. A call may outlive the body that started it; the
 * next body then finds its answer here.
 */
const held = new WeakMap<GuardedTurn["Service"], Map<string, Map<string, ModelAnswer>>>()

const heldBy = (guard: GuardedTurn["Service"]): Map<string, Map<string, ModelAnswer>> => {
  const known = held.get(guard) ?? new Map<string, Map<string, ModelAnswer>>()
  held.set(guard, known)
  return known
}

type Needs<Tools extends AnyTool> = Requirements<Tools> | WorkflowEngine | WorkflowInstance

export const body = <Tools extends AnyTool>(
  name: string,
  { maxTime, onEvent, pending = "suspend", ...options }: DurableOptions<Tools>,
  payload: Payload,
  executionId: string
): Effect.Effect<AgentEnd, never, Needs<Tools>> =>
  Effect.gen(function* () {
    const guard = yield* GuardedTurn
    const { workflow } = yield* WorkflowInstance
    const { prompt, run, tenant } = payload
    const turn = turnOf(name, payload)
    // the body runs from the start: its steps restore what an earlier execution remembered
    yield* guard.rewind(turn)
    const running = heldBy(guard)
    running.set(executionId, new Map())
    yield* Effect.addFinalizer(() => Effect.sync(() => running.delete(executionId)))
    const events = DurableEvents.make(
      emitterOf(onEvent === undefined ? undefined : (event) => onEvent(event, { run, tenant }))
    )
    const stop = yield* Deferred.make<Stopped>()
    const steps = yield* DurableSteps.make({
      guard,
      turn,
      tools: equip(options.tools, guard).tools.tools,
      stop,
      events,
      waits: Waits.make({
        agent: name,
        tenant,
        run,
        isSuspending: pending === "suspend",
        tokenOf: (name) => DurableDeferred.tokenFromExecutionId(Waits.deferred(name), { workflow, executionId })
      }),
      body: yield* secret,
      answers: () => running.get(executionId),
      ...(yield* clockOf(stop, maxTime))
    })
    const end = yield* loop({
      options: { ...options, prompt },
      guard,
      turn,
      emit: events.emit,
      steps,
      stop
    }).pipe(Effect.provideService(CurrentTurn, turn))
    yield* guard.endTurn(turn)
    yield* events.live
    yield* events.emit({ _tag: "End", end })
    return writable(end)
  }).pipe(Effect.scoped)

/** 128 bits from the machine's source of randomness, as 32 hex digits. */
const secret = WebCrypto.use((crypto) => Effect.sync(() => Hex.encode(crypto.getRandomValues(new Uint8Array(16)))))

type Clocked = Pick<DurableSteps.DurableStepsOptions, "arm">

/** Starts the clock with the first step that is executed: a run that is only replayed ends where it did. */
const clockOf = (
  stop: Stop,
  maxTime: Duration.Input | undefined
): Effect.Effect<Clocked, never, WorkflowEngine | WorkflowInstance | Scope.Scope> =>
  Effect.gen(function* () {
    if (maxTime === undefined) return { arm: Effect.void }
    const scope = yield* Effect.scope
    const time = Duration.toMillis(Duration.fromInputUnsafe(maxTime))
    const timedOut = Effect.asVoid(Deferred.succeed<Stopped, never>(stop, { _tag: "TimedOut" }))
    if (time <= 0) yield* timedOut
    const began = yield* Activity.make({ name: "began", success: Schema.Finite, execute: Clock.currentTimeMillis })
    const until = began + time
    let isArmed = false
    const arm = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (now >= until) return timedOut
      if (isArmed || !Number.isFinite(until)) return Effect.void
      isArmed = true
      return Effect.asVoid(Effect.forkIn(Effect.andThen(Effect.sleep(until - now), timedOut), scope))
    })
    return { arm }
  })
