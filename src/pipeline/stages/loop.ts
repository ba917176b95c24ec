/**
 * [7] Stops a model's call that repeats without progress: asks a person, or refuses the call.
 *
 * A tool that declares `poll` may repeat until its result has arrived or the deadline of the poll has passed. A repeat
 * waits until the interval since the last call is over. A read without this declaration may repeat while it returns the
 * status of unfinished work, at the times that the model reads (`StatusPoll`). An immediate repeat of a read that
 * returned `pending` gets this result again (`PendingResult`). Identical reads that arrive at the same time share one
 * execution (`SharedRead`).
 */
import * as Incident from "#domain/approval/Incident"
import * as PersonAnswer from "#domain/approval/PersonAnswer"
import type { SideEffect } from "#domain/failure/Failure"
import * as LoopDetector from "#domain/loop/LoopDetector"
import * as StatusPoll from "#domain/loop/StatusPoll"
import type { Outcome } from "#domain/call/Outcome"
import type { Poll } from "#domain/tool/ToolDefinition"
import { conversationKey, type Turn } from "#domain/turn/Turn"
import * as EarlierEffect from "#domain/turn/EarlierEffect"
import * as HeldResults from "#domain/turn/HeldResults"
import * as SessionHistory from "#domain/turn/SessionHistory"
import { Digest } from "#services/Digest"
import { Escalation } from "#services/Escalation"
import { EscalationPolicy } from "#services/Policies"
import { Redactor } from "#services/Redactor"
import { TurnMemory } from "#services/TurnMemory"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Call from "#pipeline/call/Call"
import * as Crash from "#pipeline/call/Crash"
import { refuseDrained, untilDraining } from "#pipeline/call/DrainedCall"
import { policyOf } from "#pipeline/call/GuardPolicies"
import * as SafeEscalation from "#pipeline/call/SafeEscalation"
import { refuse } from "#pipeline/call/Refusal"
import type { Stage } from "#pipeline/call/Stage"
import * as StoredOutcome from "#pipeline/record/StoredOutcome"
import * as DeclaredPoll from "./DeclaredPoll.ts"
import * as SharedRead from "./SharedRead.ts"

type Stop = Extract<LoopDetector.LoopVerdict, { readonly _tag: "Stop" }>

type LoopDecision = "stopped" | "drained" | "passed" | "continued" | PersonAnswer.PersonAnswer

export const loop: Stage<Digest | Escalation | Redactor | TurnMemory> = {
  name: "loop",
  question: "do the calls repeat without progress",
  make: Effect.gen(function* () {
    const memory = yield* TurnMemory
    const { sha256 } = yield* Digest
    const escalation = yield* Escalation
    const redactor = yield* Redactor

    /** Asks a person whether the call continues. The call is stopped if no person can be reached. */
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
          sentence: `${Incident.looped(call.tool.definition.id, pattern, count)} Make it again?`,
          guidance:
            level === "inform" ? Incident.repeating(call.tool.definition.id) : Incident.repetition(call.loopAsks),
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
        if (answer._tag === "Drained") return "drained"
        const isApproved = yield* SafeEscalation.agreed(answer)
        if (answer._tag === "Answered") {
          Call.decide(call, "loop", "answered", PersonAnswer.detailOf(answer))
          return answer
        }
        const isPending = answer._tag === "Pending"
        Call.decide(call, "loop", isApproved ? "approved" : isPending ? "pending" : "stopped", reason)
        if (isPending) return "stopped"
        return yield* memory.modifyLoop<LoopDecision>(turn, (state) => [
          isApproved ? "continued" : "stopped",
          isApproved ? LoopDetector.approved(state) : LoopDetector.denied(state, countedIn(call, turn))
        ])
      })

    return (tool) => (next) => {
      const { scope } = tool
      const { access, loop: thresholds, poll } = tool.definition
      const shared = access === "read" ? SharedRead.make() : undefined
      /** Refuses a call. The refusal of a write contains the side effect of the earlier identical calls. */
      const stopped = (call: Call.Call, turn: Turn, detail: string): Effect.Effect<Outcome> =>
        Effect.map(
          access === "read"
            ? Effect.succeed<SideEffect>("none")
            : memory.modifyTurn(turn, (history) => [EarlierEffect.of(history, call.key()), history]),
          (sideEffect) => refuse(call, "loop_detected", { detail, sideEffect })
        )
      const stop = (call: Call.Call, turn: Turn, verdict: Stop): Effect.Effect<Outcome> =>
        Effect.flatMap(decide(call, turn, verdict), (decision) => {
          if (decision === "stopped") return stopped(call, turn, verdict.reason)
          if (decision === "drained") return Effect.succeed(leftWaiting(call))
          if (typeof decision === "object")
            return Effect.succeed(refuse(call, "answered_by_person", { detail: PersonAnswer.detailOf(decision) }))
          return next(decision === "continued" ? { ...call, isContinued: true } : call)
        })
      const guarded = (call: Call.Call, turn: Turn, isPolling: boolean, at?: number): Effect.Effect<Outcome> =>
        Effect.flatMap(
          memory.modifyLoop(turn, (state) => {
            const question = {
              tool: scope,
              key: call.key(),
              poll: isPolling,
              turn: countedIn(call, turn),
              at,
              now: Call.now(call),
              thresholds
            }
            return [{ decision: LoopDetector.ask(state, question), before: state }, state]
          }),
          ({ before, decision }) => {
            switch (decision._tag) {
              case "Stop":
                return stop(call, turn, decision)
              case "Unfinished":
                return reading(call, turn, decision.status)
              case "Early":
                call.trace.statusAt ??= Call.now(call)
                return lastStatus(call, turn, decision.waitMillis)
              default:
                call.trace.isPolling = isPolling || at !== undefined
                // declared polls wait one after another
                return shared === undefined || isPolling ? next(call) : shared(call, turn, before, next(call))
            }
          }
        )
      /** Reads the status of unfinished work again, after the guard's part of the wait. */
      const reading = (call: Call.Call, turn: Turn, status: StatusPoll.StatusPoll): Effect.Effect<Outcome> =>
        Effect.suspend(() => {
          const { at, waitMillis } = StatusPoll.waiting(status, Call.now(call))
          call.trace.statusAt = at
          const asked = Effect.suspend(() => guarded(call, turn, false, at))
          if (waitMillis === 0) return asked
          return Effect.flatMap(untilDraining(call, Effect.sleep(waitMillis)), (slept) =>
            slept._tag === "Some" ? asked : lastStatus(call, turn, waitMillis)
          )
        })
      /** Answers a call that comes too soon with the last status, or refuses it if that status is not held. */
      const lastStatus = (call: Call.Call, turn: Turn, waitMillis: number): Effect.Effect<Outcome> =>
        Effect.map(
          memory.modifyTurn(turn, (history) => [HeldResults.get(history.statuses, call.key()), history]),
          (last) => {
            Call.decide(call, "loop", "answered again", "the status was read a moment ago")
            const status = last === undefined ? undefined : StoredOutcome.revived(call, last)
            if (status?._tag === "Success") return { ...status, readAgainMillis: waitMillis }
            const detail = "This status was read a moment ago; its result is above."
            return refuse(call, "retry_budget_exceeded", { detail, retryAfter: Duration.millis(waitMillis) })
          }
        )
      const polling = (call: Call.Call, turn: Turn, poll: Poll): Effect.Effect<Outcome> =>
        Effect.gen(function* () {
          const { isPolling, waitMillis } = yield* DeclaredPoll.begin(memory, call, turn, poll)
          call.trace.isPolling = isPolling
          if (waitMillis > 0) {
            const slept = yield* untilDraining(call, Effect.sleep(waitMillis))
            if (slept._tag === "None") return leftWaiting(call)
          }
          const outcome = yield* guarded(call, turn, isPolling)
          if (outcome._tag === "Success" && DeclaredPoll.hasArrived(call, poll, outcome))
            yield* DeclaredPoll.end(memory, call, turn)
          return outcome
        })
      return (call) => {
        const { turn } = call
        if (turn === undefined || call.purpose !== "request" || call.requester === "program") return next(call)
        const judged = (one: Call.Call) => (poll === undefined ? guarded(one, turn, false) : polling(one, turn, poll))
        return turn.isSession === true ? inSession(memory, call, turn, judged) : judged(call)
      }
    }
  })
}

/**
 * Returns the outcome of a call that was waiting for a person or for its next poll when the process began to shut down.
 */
const leftWaiting = (call: Call.Call): Outcome =>
  refuseDrained(call, "loop", `${call.name} was waiting when the process began to shut down; it was not made.`)

/** Returns the turn in which the loop detector counts a call. The turn changes whenever the counts of the call lapse. */
const countedIn = ({ trace }: Call.Call, turn: Turn): string => trace.countedIn ?? turn.turn

/**
 * Makes a call of a session. The counts of the call lapse after 60 seconds without the call. A write whose effect is
 * unknown is still not made again.
 */
const inSession = (
  memory: TurnMemory["Service"],
  call: Call.Call,
  turn: Turn,
  judged: (call: Call.Call) => Effect.Effect<Outcome>
): Effect.Effect<Outcome> =>
  Effect.flatMap(
    memory.modifyTurn(turn, (history) => SessionHistory.begin(history, call.key(), Call.now(call))),
    ({ lapses, restarts }) => {
      if (lapses > 0) call.trace.countedIn = JSON.stringify([turn.turn, lapses])
      return Effect.tap(judged(restarts === 0 ? call : { ...call, occasion: `lapse ${restarts}` }), () =>
        memory.modifyTurn(turn, (history) => [undefined, SessionHistory.end(history, call.key(), Call.now(call))])
      )
    }
  )
