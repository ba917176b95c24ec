/**
 * Defines the workflow of a durable run. The body of the workflow runs from the start each time the run resumes, and
 * replays the stored steps.
 */
import * as DurableTurn from "#domain/turn/DurableTurn"
import { type Turn, ownerValues } from "#domain/turn/Turn"
import { CurrentRun } from "#services/CurrentRun"
import { CurrentTurn } from "#services/CurrentTurn"
import type { NewDurableRun } from "#services/DurableRuns"
import { StepStore } from "#services/StepStore"
import { unguessableId } from "#services/Unguessable"
import * as Prompt from "effect/ai/Prompt"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as DurableDeferred from "effect/workflow/DurableDeferred"
import * as Workflow from "effect/workflow/Workflow"
import { type WorkflowEngine, WorkflowInstance } from "effect/workflow/WorkflowEngine"
import type { AgentEnd } from "#src/agent/AgentEnd"
import type { AgentEvent } from "#src/agent/AgentEvent"
import { checkSettings, type Requirements, type RunOptions, type RunSettings } from "#src/agent/AgentOptions"
import * as Cancellation from "./DurableCancellation.ts"
import * as DurableSteps from "./DurableSteps.ts"
import * as DurableEvents from "./DurableEvents.ts"
import * as HandOver from "./DurableHandOver.ts"
import * as Waits from "./DurableWaits.ts"
import * as ProcessRuns from "./ProcessRuns.ts"
import * as SealedValue from "./SealedValue.ts"
import * as StoredSteps from "./StoredSteps.ts"
import * as RunTools from "#src/agent/RunTools"
import { EndSchema, writable } from "#src/agent/EndSchema"
import { GuardedTurn, type ModelAnswer } from "#src/guard/Guard"
import { loop } from "#src/agent/Loop"
import type { Stop, StopCause } from "#src/agent/Stop"
import { emitterOf } from "#src/agent/AgentOptions"
import { withdrawing } from "#src/agent/Withdrawal"
import type { AnyTool } from "#src/tool/ToolClass"

/** Identifies a run of an agent. */
export interface RunKey {
  /** The id of the run: any text that is unique for the principal, or in the tenant if the run has no principal. */
  readonly run: string
  /** Default `default`. */
  readonly tenant?: string
  /**
   * The principal for whom the run acts. Runs of two principals are separate, even if they have the same id. Default:
   * none.
   */
  readonly principal?: string
}

export interface DurableOptions<Tools extends AnyTool> extends Omit<
  RunOptions<Tools>,
  "prompt" | "turn" | "interruptWhen" | "onEvent"
> {
  /**
   * How a call that waits for a person is handled. `suspend` suspends the run until the decision. `answer` answers the
   * call with `requires_human_approval`, and the model may continue with something else. Default `suspend`.
   */
  readonly pending?: "suspend" | "answer"
  /** Receives the events of all runs. The runs wait for `onEvent`, so it must be quick. A failure is only logged. */
  readonly onEvent?: (event: AgentEvent, run: RunKey & { readonly tenant: string }) => Effect.Effect<void>
  /**
   * How long an ended run is kept. Runners then remove it, with everything that the workflow engine stores about it.
   * `Duration.infinity` keeps ended runs. Default 30 days.
   */
  readonly retention?: Duration.Input
}

export const defaultTenant = "default"

const payloadFields = {
  run: Schema.String,
  tenant: Schema.String,
  conversation: Schema.String,
  principal: Schema.optionalKey(Schema.String),
  prompt: SealedValue.stored(Prompt.Prompt)
}
interface Payload extends Schema.Struct.Type<typeof payloadFields> {}

/**
 * Creates the workflow of an agent. Throws a RangeError if its options are not valid or contradict each other [2.12].
 */
export const workflow = <const Name extends string>(name: Name, options: RunSettings = {}) => {
  checkSettings(options)
  return Workflow.make(name, {
    payload: payloadFields,
    success: SealedValue.stored(EndSchema),
    // a run without a principal keeps the key that versions without principals gave it
    idempotencyKey: ({ principal, run, tenant }) =>
      JSON.stringify(ownerValues({ tenant, principal, conversation: run }))
  })
}

const turnOf = (name: string, { conversation, principal, run, tenant }: Payload): Turn => ({
  tenant,
  conversation,
  turn: DurableTurn.idOf(name, run),
  ...(principal === undefined ? {} : { principal })
})

/** Returns the row of a run. */
export const rowOf = (
  agent: string,
  { conversation, principal, run, tenant }: Omit<Payload, "prompt">,
  execution: string
): NewDurableRun => ({
  execution,
  agent,
  run,
  tenant,
  conversation,
  ...(principal === undefined ? {} : { principal })
})

/** Returns the run of a turn, if it belongs to this agent. */
export const runOf = (name: string, { principal, tenant, turn }: Turn): RunKey | undefined => {
  const named = DurableTurn.read(turn)
  return named?.agent === name
    ? { tenant, run: named.run, ...(principal === undefined ? {} : { principal }) }
    : undefined
}

/**
 * The answers of the runs whose body is active in this process, by guard and execution id. A call may complete after
 * the body that started it was suspended; the next execution of the body then finds the answer here.
 */
const answersByGuard = new WeakMap<GuardedTurn["Service"], Map<string, Map<string, ModelAnswer>>>()

const answersOf = (guard: GuardedTurn["Service"]): Map<string, Map<string, ModelAnswer>> => {
  const answers = answersByGuard.get(guard) ?? new Map<string, Map<string, ModelAnswer>>()
  answersByGuard.set(guard, answers)
  return answers
}

type Needs<Tools extends AnyTool> = Requirements<Tools> | WorkflowEngine | WorkflowInstance

export const body = <Tools extends AnyTool>(
  name: string,
  { maxTime, onEvent, pending = "suspend", retention: _, ...options }: DurableOptions<Tools>,
  active: Cancellation.ActiveRuns,
  payload: Payload,
  executionId: string
): Effect.Effect<SealedValue.StoredValue<AgentEnd>, never, Needs<Tools>> =>
  Effect.gen(function* () {
    const store = yield* ProcessRuns.current
    const sealing = SealedValue.make(store.cipher, executionId)
    const stop = yield* Deferred.make<StopCause>()
    const cancellation = Cancellation.make(stop)
    active.set(executionId, cancellation)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => active.get(executionId) === cancellation && active.delete(executionId))
    )
    // a run of an earlier version, or a run whose row was removed in the meantime, has no row
    const row = yield* Cancellation.retryWrite(store.register(rowOf(name, payload, executionId)))
    // if a process crashed after it stored the end in the row, the engine replays the run, which must not act again
    if (row.state === "Cancelling" || row.state === "Cancelled") yield* cancellation.request
    if (row.state === "Suspended") yield* Cancellation.retryWrite(store.move(executionId, "Running"))
    const guard = yield* GuardedTurn
    const instance = yield* WorkflowInstance
    const { workflow } = instance
    const { principal, run, tenant } = payload
    const prompt = yield* SealedValue.orWait(sealing.open("prompt", Prompt.Prompt, payload.prompt))
    const turn = turnOf(name, payload)
    // a run that is interrupted permanently does not reach its end below; a run that moves to another runner is not
    // interrupted
    yield* Workflow.addFinalizer((exit) =>
      Exit.isFailure(exit) && instance.interrupted
        ? Effect.andThen(guard.withdraw(turn), Effect.ignore(store.end(executionId, "Cancelled")))
        : Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
          ? Effect.ignore(store.end(executionId, "Failed"))
          : Effect.void
    )
    // replaying the stored steps restores the state of the turn
    yield* guard.rewind(turn)
    const answers = answersOf(guard)
    answers.set(executionId, new Map())
    yield* Effect.addFinalizer(() => Effect.sync(() => answers.delete(executionId)))
    const events = DurableEvents.make(
      run,
      emitterOf(
        onEvent === undefined
          ? undefined
          : (event) => onEvent(event, { run, tenant, ...(principal === undefined ? {} : { principal }) })
      )
    )
    const handOver = yield* HandOver.make
    const storedSteps = yield* StoredSteps.make(handOver.abandon)
    const steps = yield* DurableSteps.make({
      guard,
      turn,
      tools: RunTools.make(options.tools, guard).tools.tools,
      stop,
      events,
      waits: Waits.make({
        agent: name,
        tenant,
        run,
        isSuspending: pending === "suspend",
        sealing,
        tokenOf: (name) => DurableDeferred.tokenFromExecutionId(Waits.deferred(name), { workflow, executionId })
      }),
      execution: yield* unguessableId,
      answers: () => answers.get(executionId),
      cancellation,
      sealing,
      storedSteps,
      suspending: Cancellation.retryWrite(store.move(executionId, "Suspended")),
      handOver: handOver.leave,
      ...(yield* timerOf(stop, maxTime, storedSteps))
    })
    const end = yield* loop({
      options: { ...options, prompt },
      guard,
      turn,
      emit: events.emit,
      steps,
      stop
    }).pipe(handOver.around, Effect.provideService(CurrentTurn, turn), Effect.provideService(CurrentRun, run))
    yield* withdrawing({ withdraw: guard.withdraw(turn), isNamed: payload.conversation !== run })(Effect.succeed(end))
    yield* guard.endTurn(turn)
    yield* events.executed
    yield* events.emit({ _tag: "End", end })
    const isCancelled = end._tag === "Interrupted"
    yield* Cancellation.retryWrite(store.end(executionId, isCancelled ? "Cancelled" : "Ended", end._tag))
    const sealed = yield* sealing.seal<AgentEnd>("end", EndSchema, writable(end))
    ;(yield* StepStore)?.ending({ agent: name, execution: executionId })
    return sealed
  }).pipe(Effect.scoped)

type TimerOptions = Pick<DurableSteps.DurableStepsOptions, "startTimer">

/**
 * Returns the effect that starts the timer. The first executed step runs it, so that a run that is only replayed
 * reaches the same end.
 */
const timerOf = (
  stop: Stop,
  maxTime: Duration.Input | undefined,
  storedSteps: StoredSteps.StoredSteps
): Effect.Effect<TimerOptions, never, Scope.Scope> =>
  Effect.gen(function* () {
    if (maxTime === undefined) return { startTimer: Effect.void }
    const scope = yield* Effect.scope
    const time = Duration.toMillis(Duration.fromInputUnsafe(maxTime))
    const timedOut = Effect.asVoid(Deferred.succeed<StopCause, never>(stop, { _tag: "TimedOut" }))
    if (time <= 0) yield* timedOut
    const startedAt = Number(yield* storedSteps("began", Schema.Finite, Clock.currentTimeMillis))
    const endsAt = startedAt + time
    let isStarted = false
    const startTimer = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (now >= endsAt) return timedOut
      if (isStarted || !Number.isFinite(endsAt)) return Effect.void
      isStarted = true
      return Effect.asVoid(Effect.forkIn(Effect.andThen(Effect.sleep(endsAt - now), timedOut), scope))
    })
    return { startTimer }
  })
