/**
 * [4.17] Writes the one record of the call, whatever happened to it, and lets the loop detector see it.
 *
 * A span is made only where a tracer listens. Nothing here fails a call.
 */
import type { CallRecord } from "#domain/CallRecord"
import * as LoopDetector from "#domain/LoopDetector"
import type { Outcome } from "#domain/Outcome"
import type { Turn } from "#domain/Turn"
import { CallLog } from "#services/CallLog"
import { Digest } from "#services/Digest"
import { Redactor } from "#services/Redactor"
import { TurnMemory } from "#services/TurnMemory"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Cause from "effect/Cause"
import type { Call } from "./Call.ts"
import { interrupted, refuse } from "./Refusal.ts"
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
    const keep = <A>(value: A): A | undefined =>
      log.keep === "none" ? undefined : log.keep === "full" ? value : (redactor.data(value) as A)
    const written = (call: Call, outcome: Outcome): CallRecord => {
      const { arguments: args, decisions, attempts, key } = call.trace
      return {
        conversation: call.turn?.conversation ?? call.traceId,
        turn: call.turn?.turn ?? "",
        round: call.round,
        callId: call.callId,
        tool: call.name,
        ...(call.isText ? { argumentsText: redactor.text(String(call.input).slice(0, 10_240)) } : {}),
        ...(key === undefined || log.keep === "none"
          ? {}
          : { arguments: keep(call.tool.contract.encode(args)), key: key() }),
        decisions,
        attempts,
        outcome:
          outcome._tag === "Failure"
            ? outcome
            : log.keep === "none"
              ? { _tag: "Success" }
              : { _tag: "Success", result: keep(outcome.value) },
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
    const watched = (call: Call, turn: Turn, outcome: Outcome): Effect.Effect<Outcome> => {
      const { access, name } = call.tool.definition
      return Effect.map(
        memory.modifyLoop(turn, (state) => {
          const { state: after, verdict } = LoopDetector.step(state, {
            tool: call.tool.exists ? name : call.name,
            access,
            key: call.trace.key?.() ?? `${call.name} ${sha256(String(JSON.stringify(call.input)))}`,
            poll: call.trace.isPolling,
            recalled: outcome._tag === "Failure" && outcome.recalled === true,
            turn: turn.turn,
            outcome:
              outcome._tag === "Success"
                ? {
                    _tag: "Success",
                    digest: ResultText.written(call.tool, outcome, sha256, call.traceId).digest
                  }
                : {
                    _tag: "Failure",
                    class: outcome.failure._tag,
                    code: outcome.failure.code,
                    ...(outcome.failure.fields?.[0] === undefined ? {} : { path: outcome.failure.fields[0] })
                  }
          })
          return [verdict, after]
        }),
        (verdict): Outcome => (verdict._tag === "Proceed" ? outcome : { ...outcome, loop: verdict })
      )
    }
    const append = (call: Call, outcome: Outcome): Outcome => {
      log.append(written(call, outcome))
      return outcome
    }
    const finish = (call: Call, outcome: Outcome): Effect.Effect<Outcome> =>
      call.turn === undefined || call.isInner
        ? Effect.succeed(append(call, outcome))
        : Effect.map(watched(call, call.turn, outcome), (seen) => append(call, seen))
    return () => (next) => {
      const run = (call: Call) => {
        const onFailure = (cause: Cause.Cause<unknown>) =>
          Cause.hasDies(cause) ? finish(call, crashed(call, cause)) : Effect.interrupt
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

/** A defect of a stage or a definition's function: the model is told, the log has the cause. */
const crashed = (call: Call, cause: Cause.Cause<unknown>): Outcome =>
  refuse(call, "tool_crashed", {
    detail: `${call.name} crashed.`,
    sideEffect: call.tool.definition.access === "read" || !call.trace.isStarted ? "none" : "unknown",
    cause: Cause.squash(cause)
  })
