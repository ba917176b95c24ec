/**
 * [10.5] Stores the calls whose side effect is unknown, and answers identical calls with the findings of people.
 *
 * **Details**
 *
 * - `done`: identical calls get the result that the person gave, marked as an earlier result. `not_done`: the call is
 *   made again.
 * - A settlement is bound to the idempotency key and the arguments. For a tool without keys it is bound to the turn.
 * - A person who is present at a terminal is asked immediately.
 * - The store is used only after an outcome whose side effect is unknown, so any other call costs nothing.
 */
import { type FailedOutcome, isProven, type Outcome } from "#domain/call/Outcome"
import * as Incident from "#domain/approval/Incident"
import type { UnknownOutcome } from "#domain/approval/UnknownOutcome"
import { unknownOutcome } from "#domain/tool/EscalationPolicy"
import { Digest } from "#services/Digest"
import { Escalation } from "#services/Escalation"
import { Redactor } from "#services/Redactor"
import { TurnMemory } from "#services/TurnMemory"
import { UnknownOutcomes } from "#services/UnknownOutcomes"
import * as ArgumentIssues from "#domain/schema/ArgumentIssues"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Call from "#pipeline/call/Call"
import { changed, interrupted } from "#pipeline/call/Refusal"
import * as SafeEscalation from "#pipeline/call/SafeEscalation"
import * as UnknownCall from "#pipeline/call/UnknownCall"
import type { Stage } from "#pipeline/call/Stage"
import * as SettledOutcome from "#pipeline/record/SettledOutcome"
import { actionOf } from "./idempotency.ts"
import { recordDone } from "./recall.ts"

export const settle: Stage<Digest | Escalation | Redactor | TurnMemory | UnknownOutcomes> = {
  name: "settle",
  question: "has a person settled what an identical call did",
  make: Effect.gen(function* () {
    const outcomes = yield* UnknownOutcomes
    const escalation = yield* Escalation
    const redactor = yield* Redactor
    const memory = yield* TurnMemory
    const { sha256 } = yield* Digest
    return (tool) => (next) => {
      const { contract, definition } = tool
      if (definition.access === "read") return next

      const bindingOf = (call: Call.Call): string => {
        const { conversation, principal, tenant, turn } = call.turn ?? { ...outside, conversation: call.traceId }
        const scope = definition.idempotency.mode === "none" ? [conversation, turn] : [call.trace.idempotencyKey]
        return sha256(JSON.stringify([tenant, principal ?? null, scope, actionOf(call)]))
      }
      const add = (call: Call.Call, outcome: FailedOutcome) =>
        Effect.suspend(() =>
          outcomes.add(
            UnknownCall.describe(call, outcome, redactor, {
              args: contract.encode(call.arguments),
              binding: bindingOf(call)
            })
          )
        ).pipe(Effect.tap(({ id }) => Effect.sync(() => void (call.trace.unknownOutcome = id))))

      /** Asks a person who is present; undefined if no person is present, or the person leaves the outcome open. */
      const askAtOnce = (call: Call.Call, stored: UnknownOutcome): Effect.Effect<UnknownOutcome | undefined, unknown> =>
        escalation.settle === undefined || stored.isAnswered
          ? Effect.undefined
          : Effect.flatMap(
              escalation.settle(
                {
                  level: "confirm",
                  reason: stored.code,
                  tool: stored.tool,
                  sentence: stored.sentence,
                  guidance: Incident.unknownNow({ isInRun: call.loopAsks, isOpen: call.journal !== undefined }),
                  arguments: stored.arguments,
                  binding: stored.binding,
                  turn: call.turn,
                  traceId: call.traceId,
                  outcomeId: stored.id,
                  ...SafeEscalation.namesOf(call)
                },
                (result) => faultIn(tool.result.decode(result))
              ),
              (settling) =>
                settling === undefined
                  ? Effect.sync(() => void (call.trace.isLeftOpen = true))
                  : Effect.map(outcomes.settle(stored.id, settling), (settled) => settled?.outcome)
            )

      /** Returns the outcome with the URL at which a person settles it. */
      const withUrl = (outcome: FailedOutcome, id: string): FailedOutcome =>
        escalation.outcomeUrl === undefined || outcome.failure._tag !== "HumanReview"
          ? outcome
          : { ...outcome, failure: changed(outcome.failure, { approvalUrl: escalation.outcomeUrl(id) }) }

      const unstored = (call: Call.Call, cause: Cause.Cause<unknown>) =>
        Effect.logError(`An unknown outcome of ${call.name} could not be stored or read (${call.traceId})`, cause)

      /** Stores a new unknown outcome, or looks up a person's finding about an earlier one. */
      const ended = (call: Call.Call, outcome: FailedOutcome, isNew: boolean): Effect.Effect<Outcome> => {
        const adding = Effect.flatMap(add(call, outcome), (stored) =>
          Effect.map(askAtOnce(call, stored), (settled) => settled ?? stored)
        )
        const reading = Effect.suspend(() => outcomes.latest(bindingOf(call)))
        // an earlier call may have ended before it stored its outcome, or the store failed
        const isLost = !isNew && outcome.failure.code === unknownOutcome && !isReopenable(call, outcome)
        // a repeated open action has an outcome already, which a person may be about to settle
        const found =
          isNew && !call.mayReopen
            ? adding
            : Effect.flatMap(reading, (stored) =>
                stored === undefined && (isNew || isLost) ? adding : Effect.succeed(stored)
              )
        return Effect.matchCauseEffect(found, {
          onFailure: (cause) => Effect.as(unstored(call, cause), outcome),
          onSuccess: (stored): Effect.Effect<Outcome> => {
            if (isReopenable(call, outcome) && stored?.settlement === undefined) {
              Call.decide(call, "settle", "again", "the upstream honours the key, and the guard had attempts left")
              return make({ ...call, mayReopen: true })
            }
            if (stored === undefined) return Effect.succeed(outcome)
            call.trace.unknownOutcome = stored.id
            return stored.settlement === undefined || stored.id === call.settled?.id
              ? Effect.succeed(withUrl(outcome, stored.id))
              : answer(call, stored)
          }
        })
      }

      /**
       * Settles the unknown outcome of an open action as done, once its repetition has proved that it was done. The store
       * keeps the finding of a person that came first.
       */
      const proven = (call: Call.Call): Effect.Effect<void> =>
        Effect.suspend(() => outcomes.latest(bindingOf(call))).pipe(
          Effect.flatMap((stored) =>
            stored === undefined
              ? Effect.undefined
              : outcomes.settle(stored.id, {
                  finding: "done",
                  by: "effect-toolguard",
                  reason: "The action was repeated under its key, which the upstream honours."
                })
          ),
          Effect.asVoid,
          Effect.catchCause((cause) => unstored(call, cause))
        )

      const make = (call: Call.Call): Effect.Effect<Outcome> => {
        const before = call.trace.attempts.length
        return Effect.flatMap(next(call), (outcome) => {
          if (outcome._tag === "Failure" && outcome.failure.sideEffect === "unknown")
            return ended(call, outcome, isNew(call, outcome, before))
          return call.mayReopen && isDone(outcome) ? Effect.as(proven(call), outcome) : Effect.succeed(outcome)
        })
      }

      const answer = (call: Call.Call, settled: UnknownOutcome): Effect.Effect<Outcome> => {
        const { by = "", finding } = settled.settlement ?? {}
        if (finding === "not_done") {
          Call.decide(call, "settle", "not done", `${by} found that it was not done: it is made again`)
          return make({ ...call, settled, occasion: settled.id })
        }
        Call.decide(call, "settle", "done", `${by} found that it was done`)
        const outcome = SettledOutcome.done(call, settled)
        return Effect.as(recordDone(memory, call, outcome), outcome)
      }

      const cut = (call: Call.Call): Effect.Effect<void> => {
        const outcome = interrupted(call)
        return outcome.failure.code === unknownOutcome && call.journal === undefined
          ? // the outcome is stored in the background, so that storing does not delay the interruption
            Effect.asVoid(
              Effect.forkDetach(
                Effect.catchCause(add(call, outcome), (cause) => unstored(call, cause)),
                { startImmediately: true }
              )
            )
          : Effect.void
      }
      return (call) =>
        Effect.onExitIf(call.settled === undefined ? make(call) : answer(call, call.settled), isInterrupted, () =>
          cut(call)
        )
    }
  })
}

/** The scope of a call outside a turn, whose conversation is its trace id. */
const outside = { tenant: "default", turn: "", principal: undefined } as const

/** True if the call was answered with the outcome of an open action, which it may repeat under its key. */
const isReopenable = ({ mayReopen }: Call.Call, { isOpen, recalled }: FailedOutcome): boolean =>
  !mayReopen && isOpen === true && recalled === true

/** True if the outcome proves that the action was done. */
const isDone = (outcome: Outcome): boolean =>
  outcome._tag === "Success" ? isProven(outcome) : outcome.failure.sideEffect === "committed"

/** True if this call left the side effect unknown. False if it was answered because of an earlier call. */
const isNew = ({ trace }: Call.Call, outcome: FailedOutcome, attemptsBefore: number): boolean =>
  outcome.recalled !== true &&
  (trace.attempts.length > attemptsBefore ||
    trace.decisions.some(({ decision, stage }) => stage === "claim" && decision === "unknown"))

const isInterrupted = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause)

/** Describes why a result cannot be decoded; undefined if it can. */
const faultIn = (decoded: ReturnType<Call.Call["tool"]["result"]["decode"]>): string | undefined =>
  decoded._tag === "Success" ? undefined : ArgumentIssues.mismatch(ArgumentIssues.fromIssue(decoded.failure)).text
