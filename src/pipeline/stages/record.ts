/**
 * [4.17] Writes one record per call, whatever happens to it, counts the call, and passes it to the loop detector.
 *
 * A span is created only if a tracer is installed. No error in this stage fails a call.
 */
import * as LoopDetector from "#domain/loop/LoopDetector"
import * as StatusResult from "#domain/answers/StatusResult"
import * as CallKey from "#domain/call/CallKey"
import { type Outcome, type Success, success } from "#domain/call/Outcome"
import { isRefusal, refusalOf } from "#domain/failure/Failure"
import type { Turn } from "#domain/turn/Turn"
import * as TurnHistory from "#domain/turn/TurnHistory"
import { CallLog } from "#services/CallLog"
import { Digest } from "#services/Digest"
import { Redactor } from "#services/Redactor"
import { TurnMemory } from "#services/TurnMemory"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Cause from "effect/Cause"
import { now, type Call } from "#pipeline/call/Call"
import * as Digests from "#pipeline/record/Digests"
import { inSteps, isLargeInput } from "#pipeline/call/LargeData"
import * as Metrics from "#pipeline/record/Metrics"
import { interrupted, mayHaveActed, refuse } from "#pipeline/call/Refusal"
import * as ResultText from "#pipeline/record/ResultText"
import { traced } from "#pipeline/record/Span"
import type { Stage } from "#pipeline/call/Stage"
import { writer } from "#pipeline/record/RecordWriter"

export const record: Stage<CallLog | Digest | Redactor | TurnMemory> = {
  name: "record",
  make: Effect.gen(function* () {
    const log = yield* CallLog
    const memory = yield* TurnMemory
    const redactor = yield* Redactor
    const { sha256 } = yield* Digest
    const recordOf = writer(log.keep, redactor, sha256)
    const digest = (call: Call, value: unknown, { parts }: Outcome) =>
      ResultText.written(call.tool, success(value, parts), sha256, call.traceId).digest
    const received = ({ input, trace }: Call): string => trace.received?.alone ?? sha256(CallKey.canonical(input))
    const eventOf = (call: Call, outcome: Outcome): LoopDetector.LoopEvent["outcome"] => {
      if (outcome._tag === "Success") {
        return { _tag: "Success", digest: outcome.digest ?? digest(call, outcome.value, outcome) }
      }
      const { failure } = outcome
      // a refusal with other fields tells the model something new
      return {
        _tag: "Failure",
        class: failure._tag,
        code: failure.code,
        path: isRefusal(failure) ? sha256(CallKey.canonical(refusalOf(failure))) : failure.fields?.[0],
        digest: failure._tag === "PartialData" ? (outcome.digest ?? digest(call, failure.data, outcome)) : undefined
      }
    }
    const withLoopVerdict = (call: Call, turn: Turn, ended: Outcome, startedAt: number): Effect.Effect<Outcome> => {
      const { access, loop, poll, repeats } = call.tool.definition
      const isUnfinished = readsStatus(call, ended) && StatusResult.isUnfinished(ended.value)
      const isPending =
        !isUnfinished && !call.isUntimed && readsStatus(call, ended) && StatusResult.isPending(ended.value)
      const status = isUnfinished || isPending ? ResultText.written(call.tool, ended, sha256, call.traceId) : undefined
      const outcome = status ?? ended
      const seen = Effect.map(
        memory.modifyLoop(turn, (state) => {
          const isRepeatable = access !== "read" && repeats === "allowed"
          const event: LoopDetector.LoopEvent = {
            tool: call.tool.exists ? call.tool.scope : call.name,
            access,
            key: call.trace.key?.() ?? `${call.name} ${received(call)}`,
            poll: poll !== undefined && call.trace.isPolling,
            recalled: isFromMemory(call, outcome),
            ...(isRepeatable ? { isRepeatable } : {}),
            ...statusOf(call, isUnfinished, isPending),
            ...retryOf(call, outcome, startedAt),
            turn: call.trace.countedIn ?? turn.turn,
            round: call.round === 0 ? undefined : call.round,
            thresholds: loop,
            outcome: eventOf(call, outcome)
          }
          call.trace.event = event
          const { state: after, verdict } = LoopDetector.step(state, event)
          return [
            { verdict, readAgainMillis: isUnfinished ? LoopDetector.statedMillis(after, event) : undefined },
            after
          ]
        }),
        ({ readAgainMillis, verdict }): Outcome => {
          const timed =
            outcome._tag === "Success" && readAgainMillis !== undefined ? { ...outcome, readAgainMillis } : outcome
          return verdict._tag === "Proceed" ? timed : { ...withoutRepetition(timed, verdict), loop: verdict }
        }
      )
      return status === undefined ? seen : Effect.tap(seen, holdStatus(call, turn, status))
    }
    const holdStatus = (call: Call, turn: Turn, outcome: Success) =>
      memory.modifyTurn(turn, (history) => [
        undefined,
        TurnHistory.holdStatus(history, call.trace.key?.() ?? "", outcome)
      ])
    /** Returns the outcome with the loop detector's verdict. If the memory fails, the detector misses the call. */
    const seenByLoop = (call: Call, turn: Turn, outcome: Outcome, startedAt: number): Effect.Effect<Outcome> =>
      Effect.catchCause(
        Effect.suspend(() => withLoopVerdict(call, turn, outcome, startedAt)),
        (cause) =>
          Effect.as(Effect.logWarning("A call could not be added to the memory of its conversation", cause), outcome)
      )
    /** Restarts the counts of loops after a program's write, which may change what reads return. */
    const afterProgram = (call: Call, turn: Turn, outcome: Outcome): Effect.Effect<void> =>
      call.tool.definition.access === "read" || outcome._tag === "Failure" || outcome.idempotent === true
        ? Effect.void
        : Effect.catchCause(
            Effect.suspend(() => memory.modifyLoop(turn, (state) => [undefined, LoopDetector.wrote(state)])),
            () => Effect.void
          )
    const append = (call: Call, outcome: Outcome, startedAt: number): Outcome => {
      try {
        const { unguarded } = call.trace
        const record =
          unguarded === undefined
            ? recordOf(call, outcome, startedAt)
            : recordOf(
                { ...call, trace: { ...call.trace, attempts: [...unguarded.attempts] } },
                unguarded.outcome,
                unguarded.startedAt
              )
        call.trace.record = record
        Metrics.of(call.tool).called(record, call.context)
        log.append(record)
      } catch {
        // a record that cannot be written does not fail the call [15.2]
      }
      return outcome
    }
    const ended = (call: Call, outcome: Outcome, startedAt: number): Effect.Effect<Outcome> => {
      const { purpose, requester, turn } = call
      if (turn === undefined || purpose !== "request" || call.trace.isShared)
        return Effect.succeed(append(call, outcome, startedAt))
      return requester === "model"
        ? Effect.map(seenByLoop(call, turn, outcome, startedAt), (judged) => append(call, judged, startedAt))
        : Effect.map(afterProgram(call, turn, outcome), () => append(call, outcome, startedAt))
    }
    const finish = (call: Call, outcome: Outcome, startedAt: number): Effect.Effect<Outcome> =>
      call.trace.key === undefined && isLargeInput(call)
        ? Effect.flatMap(inSteps(Digests.ofReceived(call, sha256)), () => logged(ended(call, outcome, startedAt), call))
        : logged(ended(call, outcome, startedAt), call)
    return () => (next) => {
      const run = (call: Call, startedAt: number) => {
        // not called if the caller is interrupted: the cause is a defect, or an inner effect that interrupted itself
        const onFailure = (cause: Cause.Cause<unknown>) => finish(call, crashed(call, cause), startedAt)
        const onSuccess = (outcome: Outcome) => finish(call, outcome, startedAt)
        try {
          return Effect.matchCauseEffect(next(call), { onSuccess, onFailure })
        } catch (defect) {
          return onFailure(Cause.die(defect)) // a function of a definition threw before any effect started
        }
      }
      const recorded = (call: Call) => {
        const startedAt = now(call)
        return Effect.onExitIf(run(call, startedAt), Exit.isFailure, () =>
          Effect.sync(() => append(call, interrupted(call), startedAt))
        )
      }
      return (call) => traced(call, recorded)
    }
  })
}

/** Removes the remaining attempts from the outcome of a call that the loop detector no longer lets pass. */
const withoutRepetition = (outcome: Outcome, verdict: LoopDetector.LoopVerdict): Outcome =>
  outcome._tag === "Failure" && verdict._tag !== "Proceed" && verdict.pattern === "identical"
    ? { ...outcome, remaining: 0 }
    : outcome

/** True if no attempt was made and an earlier outcome was returned again. */
const isFromMemory = (call: Call, outcome: Outcome): boolean =>
  outcome._tag === "Failure"
    ? outcome.recalled === true
    : outcome.notExecuted !== undefined || (call.trace.attempts.length === 0 && outcome.usedFallback === undefined)

/** True for the result of a read without a declared poll, which may be the status of unfinished work. */
const readsStatus = ({ tool: { definition }, trace }: Call, outcome: Outcome): outcome is Success =>
  definition.access === "read" &&
  definition.watchesStatus &&
  outcome._tag === "Success" &&
  outcome.usedFallback === undefined &&
  trace.attempts.length > 0

/** Returns the times of an event about the status of unfinished work; nothing for any other event. */
const statusOf = (
  call: Call,
  isUnfinished: boolean,
  isPending: boolean
): Pick<LoopDetector.LoopEvent, "at" | "endedAt" | "isPending" | "isUnfinished"> => {
  const { statusAt } = call.trace
  if (!isUnfinished && !isPending && statusAt === undefined) return {}
  const endedAt = now(call)
  return {
    at: statusAt ?? endedAt,
    endedAt,
    ...(isUnfinished ? { isUnfinished } : {}),
    ...(isPending ? { isPending } : {})
  }
}

/** Returns the times of a Transient failure after which the model may make the call again; nothing for any other event. */
const retryOf = (
  { trace }: Call,
  outcome: Outcome,
  startedAt: number
): Pick<LoopDetector.LoopEvent, "isUnmade" | "now" | "readyAt"> => {
  const { attempts, innerAttempts, readyAt } = trace
  if (outcome._tag === "Success" || outcome.failure._tag !== "Transient" || readyAt === undefined) return {}
  const isUnmade = attempts.length + innerAttempts === 0
  return { now: startedAt, readyAt, ...(isUnmade ? { isUnmade } : {}) }
}

/** Returns the outcome of a defect of a stage or its services. Defects of handlers are classified instead. */
const crashed = (call: Call, cause: Cause.Cause<unknown>): Outcome => {
  call.trace.crash = cause
  return refuse(call, "tool_crashed", {
    detail: `The guard around ${call.name} crashed ${call.trace.isStarted ? "after" : "before"} the tool ran.`,
    sideEffect: mayHaveActed(call) ? "unknown" : "none",
    cause: Cause.squash(cause)
  })
}

/** Logs the redacted defect of the call's record at level Error, with the trace id. */
const logged = <A>(ended: Effect.Effect<A>, call: Call): Effect.Effect<A> =>
  call.trace.crash === undefined
    ? ended
    : Effect.tap(ended, () =>
        Effect.logError(`${call.name} crashed (trace ${call.traceId}): ${call.trace.record?.crash ?? "cause withheld"}`)
      )
