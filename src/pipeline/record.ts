/**
 * [4.17] Writes the one record of the call, whatever happened to it, and lets the loop detector see it.
 *
 * A span is made only where a tracer listens. Nothing here fails a call.
 */
import type { CallRecord } from "#domain/CallRecord"
import * as LoopDetector from "#domain/LoopDetector"
import * as CallKey from "#domain/CallKey"
import type { Failure } from "#domain/Failure"
import { type Outcome, success } from "#domain/Outcome"
import type { Turn } from "#domain/Turn"
import { CallLog } from "#services/CallLog"
import { Digest } from "#services/Digest"
import { Redactor } from "#services/Redactor"
import { TurnMemory } from "#services/TurnMemory"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as Cause from "effect/Cause"
import type { Call } from "./Call.ts"
import { changed, interrupted, refuse } from "./Refusal.ts"
import * as ResultText from "./ResultText.ts"
import { traced } from "./Span.ts"
import type { Stage } from "./Stage.ts"

export const record: Stage<CallLog | Digest | Redactor | TurnMemory> = {
  name: "record",
  make: Effect.gen(function* () {
    const log = yield* CallLog
    const memory = yield* TurnMemory
    const redactor = yield* Redactor
    const { sha256 } = yield* Digest
    const keepsNone = log.keep === "none"
    const keep = (value: unknown): unknown => (log.keep === "full" ? value : redactor.data(value))
    /** Secrets are taken out of what a log holds of a failure, its cause included; its data goes where results go. */
    const failed = (call: Call, failure: Failure): Failure =>
      changed(failure, {
        detail: redactor.text(failure.detail),
        ...(failure.cause === undefined ? {} : { cause: decodeCause(redactor.data(encodeCause(failure.cause))) }),
        ...(failure._tag === "PartialData"
          ? { data: keepsNone ? undefined : keep(call.tool.result.encode(failure.data)) }
          : {})
      })
    const written = (call: Call, outcome: Outcome): CallRecord => {
      const { arguments: args, decisions, attempts, key } = call.trace
      return {
        conversation: call.turn?.conversation ?? call.traceId,
        turn: call.turn?.turn ?? "",
        round: call.round,
        callId: call.callId,
        tool: call.name,
        ...(call.isText && !keepsNone ? { argumentsText: redactor.text(String(call.input).slice(0, 10_240)) } : {}),
        ...(key === undefined || keepsNone ? {} : { arguments: keep(call.tool.contract.encode(args)), key: key() }),
        decisions,
        attempts,
        outcome:
          outcome._tag === "Failure"
            ? { _tag: "Failure", failure: failed(call, outcome.failure) }
            : keepsNone
              ? { _tag: "Success" }
              : { _tag: "Success", result: keep(call.tool.result.encode(outcome.value)) },
        sideEffect:
          outcome._tag === "Failure"
            ? outcome.failure.sideEffect
            : call.tool.definition.access === "read"
              ? "none"
              : "committed",
        ...(outcome.usedFallback === undefined ? {} : { usedFallback: outcome.usedFallback }),
        traceId: call.traceId
      }
    }
    const digest = (call: Call, value: unknown) =>
      ResultText.written(call.tool, success(value), sha256, call.traceId).digest
    const eventOf = (call: Call, outcome: Outcome): LoopDetector.LoopEvent["outcome"] => {
      if (outcome._tag === "Success") {
        return { _tag: "Success", digest: outcome.digest ?? digest(call, outcome.value) }
      }
      const { failure } = outcome
      return {
        _tag: "Failure",
        class: failure._tag,
        code: failure.code,
        path: failure.fields?.[0],
        digest: failure._tag === "PartialData" ? (outcome.digest ?? digest(call, failure.data)) : undefined
      }
    }
    const watched = (call: Call, turn: Turn, outcome: Outcome): Effect.Effect<Outcome> => {
      const { access, name } = call.tool.definition
      return Effect.map(
        memory.modifyLoop(turn, (state) => {
          const { state: after, verdict } = LoopDetector.step(state, {
            tool: call.tool.exists ? name : call.name,
            access,
            key: call.trace.key?.() ?? `${call.name} ${sha256(CallKey.canonical(call.input))}`,
            poll: call.trace.isPolling,
            recalled: isFromMemory(call, outcome),
            turn: turn.turn,
            round: call.round === 0 ? undefined : call.round,
            outcome: eventOf(call, outcome)
          })
          return [verdict, after]
        }),
        (verdict): Outcome => (verdict._tag === "Proceed" ? outcome : { ...outcome, loop: verdict })
      )
    }
    const append = (call: Call, outcome: Outcome): Outcome => {
      try {
        log.append(written(call, outcome))
      } catch {
        // a record that cannot be written does not fail the call (SPEC 15.2)
      }
      return outcome
    }
    const finish = (call: Call, outcome: Outcome): Effect.Effect<Outcome> =>
      call.turn === undefined || call.isInner
        ? Effect.succeed(append(call, outcome))
        : Effect.map(watched(call, call.turn, outcome), (seen) => append(call, seen))
    return () => (next) => {
      const run = (call: Call) => {
        // never asked where the caller is interrupted: this is a defect, or something inside interrupted itself
        const onFailure = (cause: Cause.Cause<unknown>) => finish(call, crashed(call, cause))
        const onSuccess = (outcome: Outcome) => finish(call, outcome)
        try {
          return Effect.matchCauseEffect(next(call), { onSuccess, onFailure })
        } catch (defect) {
          return onFailure(Cause.die(defect)) // thrown by a function of a definition before any Effect began
        }
      }
      const toItsEnd = (call: Call) =>
        Effect.onExitIf(run(call), Exit.isFailure, () => Effect.sync(() => append(call, interrupted(call))))
      return (call) => traced(call, toItsEnd)
    }
  })
}

const encodeCause = Schema.encodeUnknownSync(Schema.Defect({ includeStack: true }))
const decodeCause = Schema.decodeUnknownSync(Schema.Defect({ includeStack: true }))

/** True where nothing was attempted and an earlier outcome was given again. */
const isFromMemory = (call: Call, outcome: Outcome): boolean =>
  outcome._tag === "Failure"
    ? outcome.recalled === true
    : call.trace.attempts.length === 0 && outcome.usedFallback === undefined

/** A defect of a stage or a definition's function: the model is told, the log has the cause. */
const crashed = (call: Call, cause: Cause.Cause<unknown>): Outcome =>
  refuse(call, "tool_crashed", {
    detail: `${call.name} crashed.`,
    sideEffect: call.tool.definition.access === "read" || !call.trace.isStarted ? "none" : "unknown",
    cause: Cause.squash(cause)
  })
