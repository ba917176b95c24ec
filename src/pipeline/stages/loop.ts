/**
 * [7] Stops a model's call that repeats without progress: asks a person, or refuses the call.
 *
 * A tool that declares `poll` may repeat until its result has arrived or the deadline of the poll has passed. A repeat
 * waits until the interval since the last call is over.
 */
import * as LoopDetector from "#domain/loop/LoopDetector"
import type { Outcome } from "#domain/call/Outcome"
import type { Poll } from "#domain/tool/ToolDefinition"
import { conversationKey, type Turn } from "#domain/turn/Turn"
import * as TurnHistory from "#domain/turn/TurnHistory"
import { Digest } from "#services/Digest"
import { Escalation } from "#services/Escalation"
import { EscalationPolicy } from "#services/Policies"
import { Redactor } from "#services/Redactor"
import { TurnMemory } from "#services/TurnMemory"
import * as Effect from "effect/Effect"
import * as Call from "#pipeline/call/Call"
import * as Crash from "#pipeline/call/Crash"
import { policyOf } from "#pipeline/call/GuardPolicies"
import * as SafeEscalation from "#pipeline/call/SafeEscalation"
import { refuse } from "#pipeline/call/Refusal"
import type { Stage } from "#pipeline/call/Stage"

type Stop = Extract<LoopDetector.LoopVerdict, { readonly _tag: "Stop" }>

type LoopDecision = "stopped" | "passed" | "continued"

export const loop: Stage<Digest | Escalation | Redactor | TurnMemory> = {
  name: "loop",
  question: "do the calls repeat without progress",
  make: Effect.gen(function* () {
    const memory = yield* TurnMemory
    const { sha256 } = yield* Digest
    const escalation = yield* Escalation
    const redactor = yield* Redactor

    /** Decides whether the call is stopped: a person stops it or lets it continue, and it stops if no person can be reached. */
    const decide = (
      call: Call.Call,
      turn: Turn,
      { count, isEnd, pattern, reason }: Stop
    ): Effect.Effect<LoopDecision> =>
      Effect.gen(function* (): Effect.fn.Return<LoopDecision> {
        const policy = policyOf(call, EscalationPolicy)
        const { level } = Crash.askPolicy(call, "loop", policy, { _tag: "LoopDetected", tool: call.name, pattern })
        if (level === "auto") return "passed"
        const request = {
          level,
          reason: "loop_detected",
          tool: call.tool.definition.id,
          sentence: redactor.text(`${call.name} repeats itself (${pattern}, ${count} times). Let it continue?`),
          arguments: redactor.data(call.tool.contract.encode(call.arguments)),
          binding: sha256(JSON.stringify([conversationKey(turn), "loop", call.key()])),
          turn,
          traceId: call.traceId,
          ...SafeEscalation.namesOf(call)
        }
        if (isEnd) return "stopped"
        if (level === "inform") {
          yield* SafeEscalation.inform(escalation, request)
          return "passed"
        }
        const answer = yield* SafeEscalation.ask(escalation, call, request)
        const isApproved = yield* SafeEscalation.agreed(answer)
        const isPending = answer._tag === "Pending"
        Call.decide(call, "loop", isApproved ? "approved" : isPending ? "pending" : "stopped", reason)
        if (isPending) return "stopped"
        return yield* memory.modifyLoop<LoopDecision>(turn, (state) => [
          isApproved ? "continued" : "stopped",
          isApproved ? LoopDetector.approved(state) : LoopDetector.denied(state, turn.turn)
        ])
      })

    return (tool) => (next) => {
      const { scope } = tool
      const { poll } = tool.definition
      const stop = (call: Call.Call, turn: Turn, verdict: Stop): Effect.Effect<Outcome> =>
        Effect.flatMap(decide(call, turn, verdict), (decision) =>
          decision === "stopped"
            ? Effect.succeed(refuse(call, "loop_detected", { detail: verdict.reason }))
            : next(decision === "continued" ? { ...call, isContinued: true } : call)
        )
      const guarded = (call: Call.Call, turn: Turn, isPolling: boolean): Effect.Effect<Outcome> =>
        Effect.flatMap(
          memory.modifyLoop(turn, (state) => [
            LoopDetector.ask(state, { tool: scope, key: call.key(), poll: isPolling, turn: turn.turn }),
            state
          ]),
          (verdict) => (verdict._tag === "Stop" ? stop(call, turn, verdict) : next(call))
        )
      const polling = (call: Call.Call, turn: Turn, poll: Poll): Effect.Effect<Outcome> =>
        Effect.gen(function* () {
          const { isPolling, waitMillis } = yield* begin(memory, call, turn, poll)
          call.trace.isPolling = isPolling
          if (waitMillis > 0) yield* Effect.sleep(waitMillis)
          const outcome = yield* guarded(call, turn, isPolling)
          if (outcome._tag === "Success" && hasArrived(call, poll, outcome.value)) yield* end(memory, call, turn)
          return outcome
        })
      return (call) => {
        const { turn } = call
        if (turn === undefined || call.purpose !== "request" || call.requester === "program") return next(call)
        return poll === undefined ? guarded(call, turn, false) : polling(call, turn, poll)
      }
    }
  })
}

/** True if the awaited result has arrived. If `until` throws, the poll is over. */
const hasArrived = (call: Call.Call, poll: Poll, result: unknown): boolean => {
  try {
    return poll.until(result)
  } catch (error) {
    Crash.note(call, "loop", "the poll's `until`", error)
    return true
  }
}

/** Records another poll. Returns whether the tool still polls, and how long this poll must wait. */
const begin = (memory: TurnMemory["Service"], call: Call.Call, turn: Turn, poll: Poll) => {
  const at = Call.now(call)
  return memory.modifyTurn(turn, (history) => {
    const before = TurnHistory.polled(history, call.key())
    const startedAt = before?.startedAt ?? at
    const isPolling = before?.isOver !== true && at - startedAt <= poll.deadlineMillis
    const waitMillis = isPolling && before !== undefined ? Math.max(0, before.lastAt + poll.intervalMillis - at) : 0
    const polled = { startedAt, lastAt: at + waitMillis, isOver: before?.isOver ?? false }
    call.trace.polled = polled
    return [{ isPolling, waitMillis }, TurnHistory.polls(history, call.key(), polled)]
  })
}

/** Records that the poll is over. */
const end = (memory: TurnMemory["Service"], call: Call.Call, turn: Turn) =>
  memory.modifyTurn(turn, (history) => {
    const before = TurnHistory.polled(history, call.key())
    if (before === undefined) return [undefined, history]
    call.trace.polled = { ...before, isOver: true }
    return [undefined, TurnHistory.polls(history, call.key(), call.trace.polled)]
  })
