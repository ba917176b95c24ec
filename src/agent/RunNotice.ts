/**
 * Builds the questions and notices about a run, delivers the notices, and looks up the escalation level of an event.
 */
import type { Guidance } from "#domain/approval/Guidance"
import * as Incident from "#domain/approval/Incident"
import * as EscalationPolicyTable from "#domain/tool/EscalationPolicy"
import { conversationKey, type Turn } from "#domain/turn/Turn"
import { ofRun } from "#pipeline/call/SafeEscalation"
import { CurrentRun } from "#services/CurrentRun"
import { EscalationPolicy } from "#services/Policies"
import * as Effect from "effect/Effect"
import type { GuardedTurn } from "#src/guard/Guard"
import type { Steps } from "./Steps.ts"

/** The run that a notice is about, and its current round. */
interface NoticeContext {
  readonly guard: GuardedTurn["Service"]
  readonly turn: Turn
  readonly round: number
  readonly steps: Steps
}

/** A question or notification about the run, for a person. */
export interface Question {
  readonly level: EscalationPolicyTable.Level
  readonly reason: string
  readonly sentence: string
  readonly guidance: Guidance
  readonly tool: string
  /** The call that the question is about; empty if it is about the whole run. */
  readonly callId: string
  /** The position of the call in the round. Each call has its own question. */
  readonly place: number
}

/** Returns the request that a person receives. */
export const requestOf = (
  { round, turn }: NoticeContext,
  { callId, place, ...question }: Question,
  run: string | undefined
) => ({
  ...question,
  ...ofRun(run),
  ...(callId === "" ? {} : { callId }),
  arguments: undefined,
  binding: JSON.stringify([conversationKey(turn), turn.turn, question.reason, round, place]),
  turn,
  traceId: ""
})

/** Returns the notice that the run ended because of an incident. */
export const endedBy = ({ steps }: NoticeContext, incident: Question): Question => ({
  ...incident,
  sentence: `${incident.sentence} The run ended.`,
  guidance: Incident.ended(steps)
})

/** Returns the policy's level for an event. If the policy throws, a person is asked and the error is logged. */
export const levelOf = (
  { guard }: Pick<NoticeContext, "guard">,
  event: EscalationPolicyTable.EscalationEvent
): Effect.Effect<EscalationPolicyTable.Level> =>
  Effect.flatMap(guard.policy(EscalationPolicy), (policy) => {
    const { crash, level } = EscalationPolicyTable.levelOf(policy, event)
    return crash === undefined
      ? Effect.succeed(level)
      : Effect.as(Effect.logWarning(`The escalation policy failed at ${event._tag}`, crash.error), level)
  })

/** Informs a person that the run ends at a limit, if the policy says so [10.2]. Never asks. */
export const limitReached = (limit: EscalationPolicyTable.RunLimit, context: NoticeContext): Effect.Effect<void> =>
  Effect.flatMap(levelOf(context, { _tag: "LimitReached", limit }), (level) =>
    level === "auto"
      ? Effect.void
      : notify(context, {
          level,
          reason: `limit_${limit}`,
          tool: "model",
          callId: "",
          place: 0,
          sentence: `${Incident.limitReached(limit)} The run ended.`,
          guidance: Incident.limited(context.steps)
        })
  )

/** Returns the name of a question, which is unique within the run. */
export const nameOf = ({ place, reason }: Question, round: number): string => `${reason}/${round}/${place}`

/** Notifies a person. A resumed run does not repeat the notices of its completed rounds. */
export const notify = (context: NoticeContext, question: Question): Effect.Effect<void> =>
  context.steps.notify(nameOf(question, context.round), context.round, inform(context, question))

/** Notifies a person. A notice that cannot be delivered does not fail the run. */
export const inform = (context: NoticeContext, question: Question): Effect.Effect<void> =>
  Effect.catchCause(
    Effect.flatMap(CurrentRun, (run) => context.guard.inform(requestOf(context, question, run))),
    () => Effect.void
  )
