/**
 * Implements the steps of a run: stored steps are replayed, and other steps are executed and stored.
 *
 * **Details**
 *
 * - Steps are named `model/ROUND`, `call/CALL_ID/N`, `kept/CALL_ID/N`, `ask/QUESTION/N` and `told/NOTICE`, where N
 *   counts executions from 1. A call or question that waits for a person is executed a second time after the decision.
 * - If a process crashes during a step, the next process executes that step again. Each call therefore has a
 *   state. A call is `new` only if this execution of the body made the round's model request and has not made the call
 *   before. Otherwise the call may have been started before (`resumed`), and the guard settles it by its idempotency
 *   key. If the tool has `changed` since the model called it, the outcome of the call is unknown.
 */
import { PersonAnswer } from "#domain/approval/PersonAnswer"
import type { UnknownOutcome } from "#domain/approval/UnknownOutcome"
import { unknownOutcome } from "#domain/tool/EscalationPolicy"
import type { JournalledCall } from "#domain/journal/JournalledCall"
import type { ToolReference } from "#domain/tool/ToolDefinition"
import type { Turn } from "#domain/turn/Turn"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { WorkflowEngine, WorkflowInstance } from "effect/workflow/WorkflowEngine"
import { contractsOf, hasChanged } from "#src/agent/CalledContracts"
import type { Cancellation } from "./DurableCancellation.ts"
import type { DurableEvents, ReplayedStep } from "./DurableEvents.ts"
import * as Waits from "./DurableWaits.ts"
import * as SealedValue from "./SealedValue.ts"
import type { StoredSteps } from "./StoredSteps.ts"
import type { GuardedTurn, ModelAnswer } from "#src/guard/Guard"
import {
  type CallResult,
  type CallState,
  type CallStep,
  type AskedPerson,
  Reply,
  type Steps,
  type WaitingCall
} from "#src/agent/Steps"
import type { Stop, StoppableResult } from "#src/agent/Stop"

export interface DurableStepsOptions {
  readonly guard: GuardedTurn["Service"]
  readonly turn: Turn
  readonly tools: ReadonlyMap<string, ToolReference>
  readonly stop: Stop
  readonly events: DurableEvents
  readonly waits: Waits.Waits
  /**
   * 128 random bits that identify this execution of the body. Tokens contain the bits of the execution that made the
   * last reply.
   */
  readonly execution: string
  /**
   * Returns the answers received by this process since the body started, by activity; undefined while no body is
   * active.
   */
  readonly answers: () => Map<string, ModelAnswer> | undefined
  /** Runs before a step is executed. */
  readonly startTimer: Effect.Effect<void>
  readonly cancellation: Cancellation
  readonly sealing: SealedValue.Sealing
  readonly storedSteps: StoredSteps
  /** Runs before the run is suspended. */
  readonly suspending: Effect.Effect<void>
  /** Leaves a step to another runner. */
  readonly handOver: Effect.Effect<never>
}

const stopped = [
  Schema.Struct({ _tag: Schema.Literal("TimedOut") }),
  Schema.Struct({ _tag: Schema.Literal("Interrupted") })
] as const

const ReplyResult = Schema.Struct({
  /** The execution of the body that made the request. */
  body: Schema.String,
  /** The contracts of the write tools that the reply calls, by tool name. */
  contracts: Schema.Record(Schema.String, Schema.String),
  reply: Schema.Union([Schema.Struct({ _tag: Schema.Literal("Done"), value: Reply }), ...stopped])
})

const StoredCallResult = Schema.Union([
  Schema.Struct({ _tag: Schema.Literal("Done"), call: Schema.Json }),
  Schema.Struct({ _tag: Schema.Literal("Waits"), call: Schema.Json, wait: Waits.Wait }),
  ...stopped
])

const AskResult = Schema.Union([
  Schema.Struct({ _tag: Schema.Literal("Yes"), answer: Schema.optionalKey(PersonAnswer) }),
  Schema.Struct({ _tag: Schema.Literal("No") }),
  Schema.Struct({ _tag: Schema.Literal("Waits"), wait: Waits.Wait })
])

export const make = (options: DurableStepsOptions): Effect.Effect<Steps, never, WorkflowEngine | WorkflowInstance> =>
  Effect.gen(function* () {
    const { answers, cancellation, execution, guard, sealing, stop, events, tools, turn, waits } = options
    const services = Context.make(WorkflowEngine, yield* WorkflowEngine).pipe(
      Context.add(WorkflowInstance, yield* WorkflowInstance)
    )
    /** The rounds whose request this execution has made, and the calls that it has started. */
    const ownRounds = new Set<number>()
    const started = new Set<string>()
    /** The contracts of the write tools that the model called, by round. */
    const contracts = new Map<number, Readonly<Record<string, string>>>()
    /** How often the result of each call was stored. */
    const storedTimes = new Map<string, number>()
    let secret = execution

    const step = <S extends Schema.Codec<unknown, unknown>, R>(
      name: string,
      success: S,
      execute: Effect.Effect<S["Type"], never, R>,
      replayedBy: (result: S["Type"]) => ReplayedStep = () => ({})
    ): Effect.Effect<S["Type"], never, R> => {
      let isExecuted = false
      const executed = Effect.suspend(() => {
        isExecuted = true
        return Effect.andThen(
          Effect.andThen(Effect.andThen(events.executed, options.startTimer), cancellation.executing),
          execute
        )
      })
      const sealed = Effect.flatMap(executed, (result) => sealing.seal(name, success, result))
      return options.storedSteps(name, success, sealed).pipe(
        Effect.flatMap((result) => SealedValue.orWait(sealing.open<S["Type"]>(name, success, result))),
        Effect.tap((result) => (isExecuted ? Effect.void : events.replayed(replayedBy(result))))
      )
    }

    /** True if the run was cancelled and this wait has no decision. The run then stops instead of waiting. */
    const isCancelledAt = (wait: Waits.Wait) =>
      Effect.suspend(() =>
        cancellation.isRequested()
          ? Effect.map(Effect.provide(Waits.isDecided(wait), services), (isDecided) => !isDecided)
          : Effect.succeed(false)
      )

    /** Stops the replayed run if the stored step was stopped from outside. */
    const stopIfStopped = <A>(result: StoppableResult<A>): Effect.Effect<StoppableResult<A>> =>
      result._tag === "Done" ? Effect.succeed(result) : Effect.as(Deferred.succeed(stop, result), result)

    /** Suspends the run until the decision, and then executes the call again. */
    const waiting = <R>(
      waitingStep: Waits.WaitingStep,
      wait: Waits.Wait,
      execute: Effect.Effect<CallResult<R>, never, R>
    ): WaitingCall<R> => {
      const decided = Effect.provide(waitingStep.decided(wait), services)
      const again: Effect.Effect<CallResult<R>, never, R> = Effect.flatMap(decided, (decision) => {
        waitingStep.next(wait, decision)
        return execute
      })
      return {
        _tag: "Waiting",
        isDecided: Effect.suspend(() =>
          cancellation.isRequested() ? Effect.succeed(true) : Effect.provide(Waits.isDecided(wait), services)
        ),
        decided: Effect.andThen(options.suspending, Effect.asVoid(decided)),
        again: Effect.flatMap(isCancelledAt(wait), (isCancelled) =>
          isCancelled ? Effect.as(cancellation.stop, { _tag: "Interrupted" } as const) : again
        )
      }
    }

    return {
      isOpen: waits.isSuspending,
      // an end would complete the workflow
      atShutdown: { handOver: options.handOver },
      reply: (round, ask) =>
        Effect.flatMap(
          step(
            `model/${round}`,
            ReplyResult,
            Effect.flatMap(ask, (reply) =>
              Effect.map(
                reply._tag === "Done" ? contractsOf(guard, tools, reply.value) : Effect.succeed({}),
                (contracts) => ({
                  body: execution,
                  contracts,
                  reply
                })
              )
            ),
            ({ reply }) => (reply._tag === "Done" ? { round } : {})
          ),
          (result) => {
            if (result.body === execution) ownRounds.add(round)
            secret = result.body
            contracts.set(round, result.contracts)
            return stopIfStopped<Reply>(result.reply)
          }
        ),
      call: <R>(
        { callId, round, tool }: CallStep,
        make: (state: CallState, settled?: UnknownOutcome) => Effect.Effect<StoppableResult<ModelAnswer>, never, R>
      ) =>
        Effect.suspend(() => {
          const waitingStep = waits.begin(callId, secret)
          /** The stored result of the previous execution, if the call is executed again. */
          let before: JournalledCall | undefined
          const execute: Effect.Effect<CallResult<R>, never, R> = Effect.gen(function* () {
            const name = `call/${callId}/${waitingStep.executions()}`
            const state = Effect.suspend((): Effect.Effect<CallState> => {
              const isNew = ownRounds.has(round) && !started.has(callId)
              started.add(callId)
              if (isNew) return Effect.succeed("new")
              const isChanged = hasChanged(guard, tools, contracts.get(round) ?? {}, tool)
              return Effect.map(isChanged, (isChanged) => (isChanged ? "changed" : "resumed"))
            })
            const settled = before === undefined ? Effect.undefined : guard.settledOf(before)
            const executed = Effect.flatMap(Effect.all([state, settled]), ([state, settled]) => make(state, settled))
            const result = yield* step(
              name,
              StoredCallResult,
              Effect.flatMap(executed.pipe(waitingStep.provide), (answered) =>
                Effect.sync(() => {
                  if (answered._tag !== "Done") return answered
                  const { value } = answered
                  answers()?.set(name, value)
                  const call = asJson(value.journal)
                  const wait = waitingStep.waitOf(isPending(value), urlOf(value))
                  return wait === undefined ? { _tag: "Done", call } : { _tag: "Waits", call, wait }
                })
              ),
              ({ _tag }) => (_tag === "Done" ? { calls: 1 } : {})
            )
            if (result._tag === "TimedOut" || result._tag === "Interrupted")
              return yield* stopIfStopped<ModelAnswer>(result)
            if (result._tag === "Done" || !waitingStep.isNew(result.wait)) {
              const journalled = result.call as unknown as JournalledCall // encoded by asJson above
              const value = answers()?.get(name) ?? (yield* guard.restore(tools, turn, tool, journalled))
              return { _tag: "Done", value }
            }
            events.started(callId)
            before = result.call as unknown as JournalledCall // encoded by asJson above
            return waiting(waitingStep, result.wait, execute)
          })
          return execute
        }),
      keep: (callId, keep) => {
        const times = (storedTimes.get(callId) ?? 0) + 1
        storedTimes.set(callId, times)
        return step(`kept/${callId}/${times}`, Schema.UndefinedOr(Schema.String), keep)
      },
      ask: (question, ask) =>
        Effect.gen(function* () {
          const waitingStep = waits.begin(question, secret)
          while (true) {
            const result = yield* step(
              `ask/${question}/${waitingStep.executions()}`,
              AskResult,
              Effect.map(waitingStep.provide(ask), (decision) => resultOf(decision, waitingStep))
            )
            if (result._tag !== "Waits") return result
            if (!waitingStep.isNew(result.wait)) return { _tag: "No" }
            // the loop ends the run when it is stopped, whatever the answer to this question would be
            if (yield* isCancelledAt(result.wait)) return yield* Effect.andThen(cancellation.stop, Effect.never)
            if (!(yield* Effect.provide(Waits.isDecided(result.wait), services))) yield* options.suspending
            waitingStep.next(result.wait, yield* Effect.provide(waitingStep.decided(result.wait), services))
          }
        }),
      notify: (notice, _, notify) => step(`told/${notice}`, Schema.Void, notify),
      end: (_, decide) => decide
    }
  })

const resultOf = (decision: AskedPerson, waitingStep: Waits.WaitingStep): typeof AskResult.Type => {
  if (decision._tag !== "Later") return decision
  const wait = waitingStep.waitOf(true, decision.approvalUrl)
  return wait === undefined ? { _tag: "No" } : { _tag: "Waits", wait }
}

/**
 * True if a person was asked and has not decided, or if a person must settle an unknown outcome. A refused approval is
 * not pending.
 */
const isPending = ({ decisions, outcome }: ModelAnswer): boolean =>
  (outcome._tag === "Failure" && outcome.failure.code === unknownOutcome) ||
  decisions.some(({ decision, stage }) => (stage === "approve" || stage === "loop") && decision === "pending")

const urlOf = ({ outcome }: ModelAnswer): string | undefined =>
  outcome._tag === "Failure" && outcome.failure._tag === "HumanReview" ? outcome.failure.approvalUrl : undefined

/** Converts a journalled call to JSON, which has no undefined members. */
const asJson = (call: JournalledCall | undefined): Schema.Json => JSON.parse(JSON.stringify(call ?? null))
