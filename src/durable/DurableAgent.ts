/**
 * Runs the agent loop as an Effect workflow that survives its process and its machine [12.3].
 *
 * **Details**
 *
 * - A durable run uses the loop of `Agent.run`. Each request to the model and each call is an activity, which the
 *   engine stores when it finishes and does not repeat. If a runner crashes, another runner resumes the run.
 * - You choose the id of a run, which is unique for its tenant and principal. Starting an existing run joins it and
 *   ignores the prompt.
 * - A call or question that waits for a person suspends the run (`pending: "suspend"`). A suspended run occupies no
 *   process and may wait for any length of time. `decide` takes the token of `EscalationDurable`; `wake` takes a
 *   request that was decided in an inbox.
 * - `onEvent` receives each event once, except that the last events of a process that crashed may be repeated.
 * - An engine is a layer: `WorkflowEngine.layerMemory`, `DurableSqlite`, `DurablePostgres`.
 *
 * **Gotchas**
 *
 * - A call that was running when its process crashed is made again, with the state `resumed`. For exactly one effect,
 *   the guard's idempotency keys must be in a store that all runners share (`IdempotencyKeysSql`,
 *   `IdempotencyKeysRedis`).
 * - `maxTime` counts from the start of the run. The limit interrupts active work; a suspended run is checked when it
 *   resumes.
 * - Loop detection does not include earlier turns of the conversation, so that every runner reaches the same end.
 */
import { DurableDecision as DecisionSchema, type DurableDecision } from "#domain/approval/DurableDecision"
import type { Turn } from "#domain/turn/Turn"
import * as Prompt from "effect/ai/Prompt"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as DurableDeferred from "effect/workflow/DurableDeferred"
import { WorkflowEngine } from "effect/workflow/WorkflowEngine"
import type { AgentEnd } from "#src/agent/AgentEnd"
import type { Requirements } from "#src/agent/AgentOptions"
import { EndSchema } from "#src/agent/EndSchema"
import * as RunTools from "#src/agent/RunTools"
import { GuardedTurn } from "#src/guard/Guard"
import {
  type DurableForgetOptions,
  DurableRuns,
  type DurableRunsListing,
  type DurableRunsPage,
  type DurableRunsUnavailable,
  isEnded
} from "#services/DurableRuns"
import type { ForgetReport } from "#services/Forget"
import * as Cancellation from "./DurableCancellation.ts"
import * as DurableRun from "./DurableRun.ts"
import * as ProcessRuns from "./ProcessRuns.ts"
import { RunNotEnded, UnknownRun } from "./RunErrors.ts"
import * as SealedValue from "./SealedValue.ts"
import * as Waits from "./DurableWaits.ts"
import type { AnyTool } from "#src/tool/ToolClass"

export type { DurableOptions, RunKey } from "./DurableRun.ts"
export { RunNotEnded, UnknownRun } from "./RunErrors.ts"

/** Options of a new run. */
export interface StartOptions extends DurableRun.RunKey {
  readonly prompt: Prompt.RawInput
  /** The conversation that the run belongs to. Default: the id of the run. */
  readonly conversation?: string
}

/** The state of a run. */
export type DurableState =
  /** No run has this id: it was never started, or it was forgotten. */
  | { readonly _tag: "Unknown" }
  | { readonly _tag: "Running" }
  /** The run waits for a person. */
  | { readonly _tag: "Suspended" }
  | { readonly _tag: "Ended"; readonly end: AgentEnd }
  /** The run was cancelled. The end contains the completed work of the run. */
  | { readonly _tag: "Cancelled"; readonly end: AgentEnd }

/** The result of a cancellation. */
export type CancelResult =
  /** The cancellation is stored in the row of the run, and a runner ends the run. */
  | { readonly _tag: "Cancelling" }
  /** The run has reached its end, which the engine has not stored yet: `result` waits for it. Nothing was changed. */
  | { readonly _tag: "Ending" }
  /** The run had ended before. Nothing was changed. */
  | { readonly _tag: "Ended"; readonly end: AgentEnd }

/** Selects runs of one agent. */
export interface ListOptions extends Omit<DurableRunsListing, "agent"> {
  /** Default `default`, as for the other operations. */
  readonly tenant?: string | undefined
  /** True to list the runs of all tenants if no tenant is named. Show them only to operators. Default false. */
  readonly allTenants?: boolean | undefined
}

type Needs = WorkflowEngine

export interface DurableAgent<Tools extends AnyTool> {
  readonly name: string
  /** Makes this process a runner of the agent. */
  readonly layer: Layer.Layer<never, never, WorkflowEngine | Requirements<Tools>>
  /** Starts a run without waiting for its end. The engine has stored the run if and only if `start` succeeds. */
  readonly start: (options: StartOptions) => Effect.Effect<void, DurableRunsUnavailable, Needs>
  /** Starts a run, or joins it, and waits for its end. */
  readonly execute: (options: StartOptions) => Effect.Effect<AgentEnd, DurableRunsUnavailable, Needs>
  /** Waits for the end of a run that any process started. Polls every `interval`, by default every second. */
  readonly result: (
    run: DurableRun.RunKey,
    interval?: Duration.Input
  ) => Effect.Effect<AgentEnd, UnknownRun | DurableRunsUnavailable, Needs>
  readonly poll: (run: DurableRun.RunKey) => Effect.Effect<DurableState, DurableRunsUnavailable, Needs>
  /** Lists the runs of a tenant of this agent, newest first. `next` of a page is `before` of the following page. */
  readonly list: (options?: ListOptions) => Effect.Effect<DurableRunsPage, DurableRunsUnavailable, Needs>
  /**
   * Cancels a run, from any process. No further step starts, a running handler is interrupted, and pending requests to
   * people are withdrawn. A runner applies the cancellation within its `interval`; `result` waits for the end. A
   * cancelled run cannot be resumed: later decisions about it are ignored.
   */
  readonly cancel: (run: DurableRun.RunKey) => Effect.Effect<CancelResult, UnknownRun | DurableRunsUnavailable, Needs>
  /**
   * Erases an ended run: its data in the engine, and its approvals, unknown outcomes, artifacts, call records, budgets
   * and idempotency keys in the engine's database. Reports what was removed and what was not. A SQLite file is then
   * rebuilt, which takes a long time for a large file: use `compact: false` for all but the last run of a batch.
   */
  readonly forget: (
    run: DurableRun.RunKey,
    options?: DurableForgetOptions
  ) => Effect.Effect<ForgetReport, UnknownRun | RunNotEnded | DurableRunsUnavailable, Needs>
  /** Answers a question of a run, from any process. Later decisions on the same question are ignored. */
  readonly decide: (token: string, decision: DurableDecision) => Effect.Effect<void, never, Needs>
  /** Wakes the run that waits for a request in an inbox, if the run belongs to this agent. See `ApprovalsWaking`. */
  readonly wake: (request: WakingRequest) => Effect.Effect<void, never, Needs>
}

/** The fields of a decided request that `wake` reads. */
export interface WakingRequest {
  readonly id: string
  readonly turn?: Turn
}

/** Creates an agent with durable runs. Its name is part of the stored state, so it must not change between releases. */
export const make = <Tools extends AnyTool>(
  name: string,
  options: DurableRun.DurableOptions<Tools>
): DurableAgent<Tools> => {
  const workflow = DurableRun.workflow(name, options)
  const fieldsOf = ({
    conversation,
    principal,
    run,
    tenant = DurableRun.defaultTenant
  }: Omit<StartOptions, "prompt">) => ({
    run,
    tenant,
    conversation: conversation ?? run,
    ...(principal === undefined ? {} : { principal })
  })
  const idOf = (key: DurableRun.RunKey) => workflow.executionId({ ...fieldsOf(key), prompt: Prompt.make([]) })
  /** Writes the row of a run. Returns the payload of its workflow, and the function that decrypts its end. */
  const registered = (options: StartOptions) =>
    Effect.gen(function* () {
      const store = yield* ProcessRuns.current
      const fields = fieldsOf(options)
      const execution = yield* idOf(options)
      const prompt = yield* SealedValue.make(store.cipher, execution).seal(
        "prompt",
        Prompt.Prompt,
        Prompt.make(options.prompt)
      )
      yield* store.register(DurableRun.rowOf(name, fields, execution))
      return { payload: { ...fields, prompt }, ...(yield* opening(execution)) }
    })
  const opening = (execution: string) =>
    Effect.map(ProcessRuns.current, ({ cipher }) => {
      const sealing = SealedValue.make(cipher, execution)
      return {
        opened: (end: SealedValue.StoredValue<AgentEnd>) => Effect.orDie(sealing.open<AgentEnd>("end", EndSchema, end))
      }
    })
  /** Returns the state that the engine has stored. */
  const stateOf = (execution: string): Effect.Effect<DurableState, never, WorkflowEngine> =>
    Effect.gen(function* () {
      const result = yield* workflow.poll(execution)
      if (Option.isNone(result)) return { _tag: "Running" }
      if (result.value._tag === "Suspended") return { _tag: "Suspended" }
      const { opened } = yield* opening(execution)
      const end = yield* Effect.flatMap(result.value.exit, opened)
      return { _tag: end._tag === "Interrupted" ? "Cancelled" : "Ended", end }
    })
  const find = (key: DurableRun.RunKey) =>
    Effect.gen(function* () {
      const store = yield* ProcessRuns.current
      const row = yield* store.find(name, yield* idOf(key))
      return row ?? (yield* unknown(key))
    })
  const unknown = (key: DurableRun.RunKey) => {
    const { conversation: _, ...fields } = fieldsOf(key)
    return new UnknownRun({ agent: name, ...fields })
  }
  const poll = (key: DurableRun.RunKey): Effect.Effect<DurableState, DurableRunsUnavailable, WorkflowEngine> =>
    find(key).pipe(
      Effect.flatMap(({ execution }) => stateOf(execution)),
      Effect.catchTag("UnknownRun", () => Effect.succeed<DurableState>({ _tag: "Unknown" }))
    )
  const complete = (token: DurableDeferred.Token, decision: DurableDecision) =>
    Effect.gen(function* () {
      const { cipher } = yield* ProcessRuns.current
      const { deferredName, executionId } = DurableDeferred.TokenParsed.fromString(token)
      const value = yield* SealedValue.make(cipher, executionId).seal(deferredName, DecisionSchema, decision)
      yield* DurableDeferred.succeed(Waits.deferred(deferredName), { token, value })
    })
  return {
    name,
    layer: runner(name, options),
    start: (run) =>
      Effect.flatMap(registered(run), ({ payload }) => Effect.asVoid(workflow.execute(payload, { discard: true }))),
    execute: (run) =>
      Effect.flatMap(registered(run), ({ opened, payload }) => Effect.flatMap(workflow.execute(payload), opened)),
    result: (run, interval = "1 second") =>
      Effect.gen(function* () {
        while (true) {
          const { execution } = yield* find(run)
          const state = yield* stateOf(execution)
          if (state._tag === "Ended" || state._tag === "Cancelled") return state.end
          yield* Effect.sleep(interval)
        }
      }),
    poll,
    list: ({ allTenants = false, ...listing } = {}) => {
      const tenant = listing.tenant ?? (allTenants ? undefined : DurableRun.defaultTenant)
      return Effect.flatMap(ProcessRuns.current, ({ list }) => list({ ...listing, agent: name, tenant }))
    },
    cancel: (run) =>
      Effect.gen(function* () {
        const store = yield* ProcessRuns.current
        const { execution } = yield* find(run)
        const row = yield* store.cancel(name, execution)
        if (row === undefined) return yield* unknown(run)
        if (isEnded(row)) {
          const state = yield* stateOf(execution)
          return state._tag === "Ended" || state._tag === "Cancelled"
            ? { _tag: "Ended", end: state.end }
            : { _tag: "Ending" }
        }
        yield* Cancellation.apply(activeOf(yield* WorkflowEngine), workflow, execution)
        return { _tag: "Cancelling" }
      }),
    forget: (run, options) =>
      Effect.gen(function* () {
        const store = yield* ProcessRuns.current
        const row = yield* find(run)
        const state = yield* stateOf(row.execution)
        if (state._tag !== "Ended" && state._tag !== "Cancelled") return yield* new RunNotEnded({ run: row.run })
        return yield* store.forget(row, options)
      }),
    decide: (text, decision) => complete(DurableDeferred.Token.make(text), decision),
    wake: ({ id, turn }) => {
      const run = turn === undefined ? undefined : DurableRun.runOf(name, turn)
      if (run === undefined) return Effect.void
      return Effect.flatMap(idOf(run), (executionId) => {
        const deferred = Waits.deferred(Waits.requestName(id))
        return complete(DurableDeferred.tokenFromExecutionId(deferred, { workflow, executionId }), { _tag: "AskAgain" })
      })
    }
  }
}

/** The active bodies of this process, by engine. */
const activeByEngine = new WeakMap<WorkflowEngine["Service"], Cancellation.ActiveRuns>()

const activeOf = (engine: WorkflowEngine["Service"]): Cancellation.ActiveRuns => {
  const active: Cancellation.ActiveRuns = activeByEngine.get(engine) ?? new Map()
  activeByEngine.set(engine, active)
  return active
}

/** Executes runs, applies cancellations, and removes runs after their retention. */
const runner = <Tools extends AnyTool>(
  name: string,
  options: DurableRun.DurableOptions<Tools>
): Layer.Layer<never, never, WorkflowEngine | Requirements<Tools>> => {
  const workflow = DurableRun.workflow(name)
  const retention = Duration.fromInputUnsafe(options.retention ?? "30 days")
  return Layer.unwrap(
    Effect.gen(function* () {
      const journal = (yield* DurableRuns) === undefined ? undefined : { name: "DurableRuns" }
      yield* RunTools.admit(options.tools, yield* GuardedTurn, journal)
      const active = activeOf(yield* WorkflowEngine)
      const store = yield* ProcessRuns.current
      const sweeping = store.sweep(name, retention).pipe(
        Effect.catchCause((cause) => Effect.logDebug("A sweep of durable runs failed", cause)),
        Effect.repeat(Schedule.spaced("10 minutes"))
      )
      return Layer.mergeAll(
        workflow.toLayer((payload, executionId) => DurableRun.body(name, options, active, payload, executionId)),
        Layer.effectDiscard(Effect.forkScoped(Cancellation.watch(store, active, workflow))),
        Layer.effectDiscard(Effect.forkScoped(sweeping))
      )
    })
  )
}
