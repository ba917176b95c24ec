/**
 * Decides after a round whether the run continues. The run ends on a final answer, a failed request or a loop, when it
 * is stopped, or if a person does not approve.
 */
import * as Incident from "#domain/approval/Incident"
import * as ModelIncident from "#domain/classification/ModelIncident"
import type { PersonAnswer } from "#domain/approval/PersonAnswer"
import * as EscalationPolicyTable from "#domain/tool/EscalationPolicy"
import type { FailedOutcome } from "#domain/call/Outcome"
import { isContextLimit, isModelMistake } from "#domain/classification/ModelFailure"
import type { Turn } from "#domain/turn/Turn"
import { CurrentRun } from "#services/CurrentRun"
import { type ProcessDrain, started } from "#services/Drain"
import type { EscalationAnswer } from "#services/Escalation"
import * as Effect from "effect/Effect"
import type { EndDecision } from "./AgentEnd.ts"
import type { AgentEvent } from "./AgentEvent.ts"
import type { GuardedTurn } from "#src/guard/Guard"
import type { AnsweredCall, RoundResult } from "./Round.ts"
import { type AskedPerson, decisionOf, type Steps } from "./Steps.ts"
import * as RunNotice from "./RunNotice.ts"
import * as Stop from "./Stop.ts"

interface EndContext {
  /** The number of consecutive unusable responses, including this one. */
  readonly mistakes: number
  readonly guard: GuardedTurn["Service"]
  readonly turn: Turn
  readonly emit: (event: AgentEvent) => Effect.Effect<void>
  readonly round: number
  /** Completes when the run must stop, even while a person is asked. */
  readonly stop: Stop.Stop
  readonly steps: Steps
  /** The drain of the process; undefined if it has none. */
  readonly drain: ProcessDrain | undefined
  /** Receives each answer in words with which a person lets the run continue. */
  readonly onAnswer: (answer: PersonAnswer) => void
}

/** Returns the end of a run that was stopped from outside. */
export const stopped = ({ _tag }: Stop.StopCause): EndDecision =>
  _tag === "TimedOut" ? { _tag: "LimitReached", limit: "time" } : { _tag: "Interrupted" }

/** Returns the end of the run after a round; undefined if the run continues. */
export const decide = ({ result }: RoundResult, context: EndContext): Effect.Effect<EndDecision | undefined> => {
  switch (result._tag) {
    case "Said":
      return Effect.succeed(afterText(result))
    case "TimedOut":
    case "Interrupted":
      return Effect.succeed(stopped(result))
    case "Failed":
      return unlessStopped(context, modelFailed(result.error, context))
    case "Called":
      return unlessStopped(context, afterCalls(result.answers, context))
  }
}

/**
 * Ends the run on a final text. A provider that paused a long turn is asked to continue. A pause without text is an
 * answer, because a new request would start over.
 */
const afterText = ({
  finishReason,
  text
}: Extract<RoundResult["result"], { readonly _tag: "Said" }>): EndDecision | undefined => {
  if (finishReason === "content-filter") return { _tag: "Refused", text }
  if (finishReason === "pause" && text.trim() !== "") return undefined
  return { _tag: "Answered", text, isCut: finishReason === "length" }
}

/**
 * Returns the decision, or the stop of the run if that comes first: a person may take longer than the remaining time,
 * and interrupted calls show nothing about a loop.
 */
const unlessStopped = (context: EndContext, decision: Effect.Effect<EndDecision | undefined>) =>
  Effect.map(Stop.until(context.stop, unlessDraining(context, decision)), (decided) =>
    decided._tag === "Done" ? decided.value : stopped(decided)
  )

/**
 * Ends a question to a person when the process starts to shut down. If the run has a journal, it receives the decision
 * when it is resumed. The questions of a durable run continue.
 */
const unlessDraining = (
  { drain, steps }: EndContext,
  decision: Effect.Effect<EndDecision | undefined>
): Effect.Effect<EndDecision | undefined> =>
  drain === undefined || typeof steps.atShutdown === "object"
    ? decision
    : Effect.raceFirst(decision, Effect.as(started(drain), { _tag: "Interrupted" } as const))

type ModelError = Extract<RoundResult["result"], { readonly _tag: "Failed" }>["error"]

/** The number of consecutive unusable responses that ends the run. */
const maxMistakes = 3

/**
 * Handles a failed request. A mistake of the model costs a round and is retried. Any other failure ends the run or is
 * escalated to a person, as the policy says [10.2]. Without an approval, the run then ends as `NeedsPerson` [10.1].
 */
const modelFailed = (error: ModelError, context: EndContext): Effect.Effect<EndDecision | undefined> => {
  const failed: EndDecision = { _tag: "ModelFailed", error, isContextLimit: isContextLimit(error) }
  if (isModelMistake(error)) return Effect.succeed(context.mistakes < maxMistakes ? undefined : failed)
  const { event, failure, reason } = ModelIncident.of(error)
  const { detail } = failure
  return Effect.flatMap(RunNotice.levelOf(context, event), (level): Effect.Effect<EndDecision | undefined> => {
    if (level === "auto") return Effect.succeed(failed)
    const guidance = Incident.stoppedRun(context.steps)
    const incident = { level, reason, tool: "model", callId: "", place: 0, sentence: detail, guidance }
    if (level === "inform") return Effect.as(RunNotice.notify(context, RunNotice.endedBy(context, incident)), failed)
    return Effect.map(askToContinue(context, incident, "Ask the model again?"), (isApproved) =>
      isApproved ? undefined : { _tag: "NeedsPerson", level, detail, failure, error }
    )
  })
}

const afterCalls = (
  answers: ReadonlyArray<AnsweredCall>,
  context: EndContext
): Effect.Effect<EndDecision | undefined> =>
  Effect.gen(function* () {
    /**
     * Ends the run. Notifies a person of the failures at `from` and later, because no question was asked about them.
     */
    const endAt = (from: number, end: EndDecision) =>
      Effect.as(
        Effect.forEach(
          questionsFrom(from, answers, context),
          (incident) => RunNotice.notify(context, RunNotice.endedBy(context, incident)),
          { discard: true }
        ),
        end
      )
    for (const { outcome } of answers) {
      if (outcome._tag === "Failure" && outcome.failure.code === "loop_detected") {
        return yield* endAt(0, { _tag: "LoopDetected", code: "loop_detected", detail: outcome.failure.detail })
      }
    }
    for (const [place, { callId, outcome, tool }] of answers.entries()) {
      if (outcome.loop?._tag !== "Stop") continue
      const { count, isEnd, pattern } = outcome.loop
      const level = yield* RunNotice.levelOf(context, { _tag: "LoopDetected", tool, pattern })
      if (level === "auto") continue
      const sentence = Incident.looped(tool, pattern, count)
      const guidance = level === "inform" ? Incident.repeating(tool) : Incident.stoppedRun(context.steps)
      const incident = { level, reason: "loop_detected", sentence, guidance, tool, callId, place }
      if (level === "inform") {
        yield* RunNotice.notify(context, incident)
        continue
      }
      const isApproved = !isEnd && (yield* askToContinue(context, incident, "Continue the run?"))
      yield* context.guard.judgeLoop(context.turn, isApproved)
      if (!isApproved) return yield* endAt(0, { _tag: "LoopDetected", code: "loop_detected", detail: sentence })
    }
    for (const [place, answer] of answers.entries()) {
      const { outcome } = answer
      if (outcome._tag !== "Failure" || !needsPerson(outcome)) continue
      const { failure } = outcome
      if (failure._tag === "HumanReview") {
        const { detail } = failure
        return yield* endAt(place + 1, { _tag: "NeedsPerson", level: stoppingLevel(outcome), detail, failure })
      }
      const incident = incidentOfCall(answer, outcome, place, context)
      const { level, sentence: detail } = incident
      const isApproved = yield* askToContinue(context, incident, "Continue the run?")
      if (!isApproved) return yield* endAt(place + 1, { _tag: "NeedsPerson", level, detail, failure })
    }
    return undefined
  })

/**
 * Returns the level at which a failure stops the run. An unknown outcome may have been reported at `inform`, but
 * stopping the run requires at least `confirm`.
 */
const stoppingLevel = ({ level = "confirm" }: FailedOutcome): EscalationPolicyTable.Level =>
  EscalationPolicyTable.strictest(level, "confirm")

/** Returns the questions about the failed calls at position `from` and later. */
const questionsFrom = (
  from: number,
  answers: ReadonlyArray<AnsweredCall>,
  context: EndContext
): ReadonlyArray<RunNotice.Question> =>
  answers.flatMap((answer, place) => {
    const { outcome } = answer
    if (place < from || outcome._tag !== "Failure") return []
    return needsPerson(outcome) && outcome.failure._tag !== "HumanReview"
      ? [incidentOfCall(answer, outcome, place, context)]
      : []
  })

/** Returns the question about a failed call. */
const incidentOfCall = (
  { attempts, callId }: AnsweredCall,
  outcome: FailedOutcome,
  place: number,
  { steps }: EndContext
): RunNotice.Question => {
  const { failure } = outcome
  return {
    level: stoppingLevel(outcome),
    reason: failure.code,
    sentence: Incident.failed({ tool: failure.tool, failure, attempts }),
    guidance: Incident.stoppedByCall(failure, steps),
    tool: failure.tool,
    callId,
    place
  }
}

/** True if a failure stops the run. The model handles denials and pending approvals itself. */
const needsPerson = ({ failure, level }: FailedOutcome): boolean =>
  failure._tag === "HumanReview"
    ? failure.code === "no_person" || failure.code === "outcome_unknown"
    : level !== undefined && EscalationPolicyTable.strictest(level, "confirm") === level

/**
 * Asks a person whether the run may continue after an incident. If no decision can reach the run, because no person can
 * be reached or the run cannot be resumed with a later decision, a person is notified that the run ended.
 */
const askToContinue = (context: EndContext, incident: RunNotice.Question, ask: string): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const { emit, guard, round, steps } = context
    const run = yield* CurrentRun
    const question = { ...incident, sentence: `${incident.sentence} ${ask}` }
    const asked: Effect.Effect<EscalationAnswer> =
      guard.waits || steps.isOpen
        ? Effect.suspend(() => guard.ask(RunNotice.requestOf(context, question, run)))
        : Effect.succeed({ _tag: "NoPerson" })
    // if asking fails, the answer is no
    const decision = asked.pipe(
      Effect.catchCause(() => Effect.succeed<EscalationAnswer>({ _tag: "NoPerson" })),
      Effect.tap(({ _tag }) =>
        _tag === "NoPerson" || (_tag === "Pending" && !steps.isOpen)
          ? RunNotice.inform(context, RunNotice.endedBy(context, incident))
          : Effect.void
      ),
      Effect.flatMap(decisionOf),
      Effect.catchCause(() => Effect.succeed<AskedPerson>({ _tag: "No" }))
    )
    const decided = yield* steps.ask(RunNotice.nameOf(question, round), decision)
    const isApproved = decided._tag === "Yes"
    const answer = isApproved ? decided.answer : undefined
    if (answer !== undefined) context.onAnswer(answer)
    const words = answer === undefined ? {} : { answer: answer.text }
    yield* emit({ _tag: "Escalated", round, detail: question.sentence, isApproved, ...words })
    return isApproved
  })
