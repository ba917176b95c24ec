/**
 * [4.11] Retries after a Transient failure, by the tool's schedule.
 *
 * **Details**
 *
 * - A call that comes too early waits once until the time that the model has read, if the wait is at most 10 seconds
 *   and the deadline leaves time for a full attempt. The wait counts against the deadline. A call does not wait while
 *   an identical call runs.
 * - The schedule is set up only after a first failure.
 * - A failure after more than one attempt states their number in `attempts` and, if it is Transient, at the start of
 *   its detail.
 * - A write is retried only if the retry cannot repeat its effect: if the failed attempt had none (`sideEffect:
 *   "none"`) [2.9], or if the upstream honours the key.
 * - An action that another process has taken over is not retried.
 * - When the process starts to shut down, a call that waits for a retry ends with its last failure. A call whose effect
 *   is unknown is still retried within the grace time, because the retry settles it, and so is a call that is part of a
 *   call in progress.
 * - If the effect of a write stays unknown, an answered error keeps its class and detail, and the identical call is
 *   refused for the rest of the turn. Without an answer, and for a tool that its owner declared destructive, the
 *   outcome becomes HumanReview `outcome_unknown` here, before any outer stage sees it [3.3].
 */
import * as EffectHint from "#domain/failure/EffectHint"
import type { Failure } from "#domain/failure/Failure"
import type { FailedOutcome, Outcome } from "#domain/call/Outcome"
import * as RetryPolicy from "#domain/tool/RetryPolicy"
import { isOwnedDestructive, type ToolDefinition } from "#domain/tool/ToolDefinition"
import * as LoopDetector from "#domain/loop/LoopDetector"
import { type Doubt, noneRunning } from "#domain/turn/DoubtfulWrites"
import type { Turn } from "#domain/turn/Turn"
import type { CallEvent } from "#services/CallObserver"
import { TurnMemory } from "#services/TurnMemory"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Call from "#pipeline/call/Call"
import { drainOf, isDraining, refuseDrained, untilDraining } from "#pipeline/call/DrainedCall"
import { changed, openAfter, outcomeUnknown } from "#pipeline/call/Refusal"
import type { Next, Stage } from "#pipeline/call/Stage"

export const retry: Stage<TurnMemory> = {
  name: "retry",
  question: "is another attempt worthwhile",
  make: Effect.map(TurnMemory, (memory) => (tool) => (next) => {
    const { definition, scope } = tool
    const repeats = definition.retry.attempts > 1
    /** True if the model has read when it may make the call, or a person lets it make the call again. */
    const isTold = (call: Call.Call, turn: Turn): Effect.Effect<boolean> => {
      const question = { tool: scope, key: call.key(), turn: call.trace.countedIn ?? turn.turn }
      return call.isContinued
        ? Effect.succeed(true)
        : memory.modifyLoop(turn, (state) => [LoopDetector.isTold(state, question), state])
    }
    /** Makes a call again that came too early, if the model has read for how long it must wait. */
    const onTime = (call: Call.Call, outcome: FailedOutcome): Effect.Effect<Outcome> => {
      const { turn } = call
      const waitMillis = restMillis(definition, call, outcome)
      if (waitMillis === undefined || turn === undefined) return Effect.succeed(outcome)
      return Effect.flatMap(isTold(call, turn), (isWaitRead) => {
        if (!isWaitRead) return Effect.succeed(outcome)
        Call.decide(call, "retry", "waited", `${waitMillis} ms, the rest of the wait that the model has read`)
        call.trace.observe?.(scheduled(call, call.attempt, waitMillis))
        // a clock of recorded calls does not advance while the call waits
        const made = { ...call, waitedUntil: Call.now(call) + waitMillis }
        return Effect.flatMap(untilDraining(call, Effect.sleep(waitMillis)), (waited) =>
          Option.isSome(waited) ? next(made) : Effect.succeed(refuseDrained(call, "retry", drainedDetail(call)))
        )
      })
    }
    const afterFirst = (call: Call.Call, made: Outcome): Effect.Effect<Outcome> => {
      const outcome = stillUnknown(call.doubt, made)
      if (outcome._tag === "Success") return Effect.succeed(outcome)
      const all =
        repeats && isRetried(definition, call, outcome)
          ? Effect.map(repeated(definition, next, call, outcome), counted(call))
          : Effect.succeed(counted(call)(outcome))
      return definition.access === "read" ? all : Effect.map(all, settleUnknown(call))
    }
    return (call) =>
      Effect.flatMap(next(call), (first) =>
        first._tag === "Success"
          ? Effect.succeed(first)
          : Effect.flatMap(onTime(call, first), (made) => afterFirst(call, made))
      )
  })
}

const drainedDetail = ({ name }: Call.Call): string =>
  `${name} was waiting to be made again when the process began to shut down.`

/** The longest time that a call waits if it comes too early, in milliseconds. */
const longestWaitMillis = 10_000

/** Returns how long a call that comes too early waits, in milliseconds; undefined if it does not wait. */
const restMillis = (definition: ToolDefinition, call: Call.Call, outcome: FailedOutcome): number | undefined => {
  if (outcome.readyAt === undefined) return undefined
  const { readyAt } = outcome
  const waitMillis = Math.ceil(readyAt - Call.now(call))
  const isInTime = readyAt + definition.attemptMillis <= call.deadlineAt
  return isInTime && waitMillis > 0 && waitMillis <= longestWaitMillis ? waitMillis : undefined
}

const isRetried = (definition: ToolDefinition, call: Call.Call, outcome: Outcome): boolean =>
  !call.trace.isTakenOver &&
  outcome._tag === "Failure" &&
  outcome.failure._tag === "Transient" &&
  outcome.isFinal !== true &&
  ((outcome.failure.sideEffect === "none" && !isDraining(call)) ||
    (outcome.failure.sideEffect === "unknown" && definition.idempotency.upstreamHonoursKey))

const repeated = (
  definition: ToolDefinition,
  next: Next,
  call: Call.Call,
  first: FailedOutcome
): Effect.Effect<Outcome> => {
  let attempt = 1
  let last: FailedOutcome = first
  let isWaiting = true
  const attempts = Effect.suspend((): Effect.Effect<Outcome, Failure> => {
    isWaiting = false
    const doubt = doubtAfter(call, last)
    const outcome =
      attempt === 1 ? Effect.succeed<Outcome>(first) : next({ ...call, attempt, doubt, lastFailure: last.failure })
    return Effect.flatMap(outcome, (latest): Effect.Effect<Outcome, Failure> => {
      attempt += 1
      const result = stillUnknown(doubt, latest)
      if (result._tag === "Success") return Effect.succeed(result)
      last = result
      if (!isRetried(definition, call, result)) return Effect.succeed(result)
      isWaiting = true
      return Effect.fail(result.failure)
    })
  })
  const schedule = RetryPolicy.schedule(definition.retry, call.deadlineAt - Call.now(call))
  const retried = Effect.catch(Effect.retry(attempts, observed(call, schedule)), () => {
    Call.decide(call, "retry", "gave up", `after ${attempt - 1} attempts: ${last.failure.code}`)
    return Effect.succeed(last)
  })
  const drain = drainOf(call)
  if (drain === undefined) return retried
  const drained = Effect.callback<Outcome>((resume) => {
    const cancel = drain.onStart(() => {
      if (!isWaiting || last.failure.sideEffect !== "none") return
      Call.decide(call, "retry", "gave up", "the process is shutting down")
      resume(Effect.succeed(last))
    })
    return Effect.sync(cancel)
  })
  return Effect.raceFirst(retried, drained)
}

/** Returns the unknown side effect of an attempt; undefined if it is known. */
const doubtAfter = ({ doubt }: Call.Call, { failure, isAnswered }: FailedOutcome): Doubt | undefined =>
  failure.sideEffect === "unknown"
    ? { isAnswered: isAnswered === true, isRunning: doubt?.isRunning ?? noneRunning }
    : undefined

/**
 * Returns the outcome after another attempt. A side effect that an earlier attempt or an earlier identical call left
 * unknown stays unknown, unless the latest attempt proves the action or a lookup finds no effect. A refusal of the
 * latest attempt proves nothing: the upstream may refuse to repeat an action that was done.
 */
const stillUnknown = (doubt: Doubt | undefined, latest: Outcome): Outcome => {
  if (doubt === undefined || latest._tag === "Success" || latest.failure.sideEffect === "committed") return latest
  if (latest.isAbsent === true) return latest
  const { isAnswered, ...rest } = latest
  const failure = changed(latest.failure, { sideEffect: "unknown" })
  return doubt.isAnswered && isAnswered === true ? { ...rest, failure, isAnswered } : { ...rest, failure }
}

/**
 * Adds to a failure how often the handler was executed, if more than once. A number that another guard added is
 * removed.
 */
const counted =
  ({ trace }: Call.Call) =>
  (outcome: Outcome): Outcome => {
    const attempts = trace.attempts.length
    if (outcome._tag === "Success") return outcome
    const { failure } = outcome
    if (attempts < 2) return { ...outcome, failure: changed(failure, { attempts: undefined }) }
    // a failure of another class ended the retries before they were used up
    const detail =
      failure._tag === "Transient" ? `Failed after ${attempts} attempts: ${failure.detail}` : failure.detail
    return { ...outcome, failure: changed(failure, { attempts, detail }) }
  }

type Delays = ReturnType<typeof RetryPolicy.schedule>

/** Returns a schedule that notifies the observer of each wait before the wait starts. */
const observed = (call: Call.Call, schedule: Delays): Delays => {
  const { observe } = call.trace
  return observe === undefined
    ? schedule
    : Schedule.tap(schedule, ({ attempt, duration }) =>
        Effect.sync(() => observe(scheduled(call, attempt + 1, Duration.toMillis(duration))))
      )
}

const scheduled = ({ callId, name }: Call.Call, attempt: number, delayMillis: number): CallEvent => ({
  _tag: "RetryScheduled",
  callId,
  tool: name,
  attempt,
  delayMillis
})

/** Settles a failure whose effect is unknown: an answered error keeps its class, any other is `outcome_unknown`. */
const settleUnknown =
  (call: Call.Call) =>
  (outcome: Outcome): Outcome => {
    if (outcome._tag === "Success" || outcome.failure.sideEffect !== "unknown") return outcome
    const isReview = outcome.failure._tag === "HumanReview"
    if (isReview && outcome.failure.code !== "review_requested") return outcome
    if (outcome.isAnswered === true && !isOwnedDestructive(call.tool.definition)) {
      Call.decide(call, "retry", "answered", `${outcome.failure.code}; it is not known whether anything was done`)
      const { failure } = outcome
      // a refusal by `budget` already has the hint for the earlier result, which need not be a failure
      const hasHint = failure._tag === "PartialData" || failure.code === "retry_budget_exceeded"
      if (hasHint) return { ...outcome, remaining: 0 }
      return {
        ...outcome,
        failure: changed(failure, { hint: isReview ? EffectHint.unproven() : EffectHint.uncertain() }),
        remaining: 0
      }
    }
    Call.decide(call, "retry", "outcome unknown", outcome.failure.code)
    return { ...outcomeUnknown(call, outcome.failure), ...openAfter(call, outcome.failure) }
  }
