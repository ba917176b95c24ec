/** [12.1] Converts answered calls to entries of a run's journal, and restores them when the run is resumed. */
import { whole } from "#domain/json/Steps"
import { type JournalledCall, marked, marksOf, settledEvent } from "#domain/journal/JournalledCall"
import * as LoopDetector from "#domain/loop/LoopDetector"
import type { Outcome } from "#domain/call/Outcome"
import type { ToolReference } from "#domain/tool/ToolDefinition"
import { conversationKey, type Turn } from "#domain/turn/Turn"
import * as TurnHistory from "#domain/turn/TurnHistory"
import type { Budgets } from "#services/Budgets"
import type { TurnMemory } from "#services/TurnMemory"
import * as Effect from "effect/Effect"
import { bindingOf } from "#pipeline/stages/approve"
import { isUnitReturned, isProgress, limitOf, settlementOf } from "#pipeline/stages/budget"
import type { Call } from "#pipeline/call/Call"
import type { CompiledTool } from "#pipeline/call/CompiledTool"
import { isFresh } from "#pipeline/stages/recall"
import type { ModelAnswer } from "./ModelCall.ts"
import { refuse } from "#pipeline/call/Refusal"
import * as ResultText from "#pipeline/record/ResultText"
import * as StoredOutcome from "#pipeline/record/StoredOutcome"

/** Converts an answered call to JSON, without its record, which the call log stores. */
export const write = (call: Call, { outcome, record: _, ...answer }: Omit<ModelAnswer, "journal">): JournalledCall => {
  const { event, key, polled, readyAt, spent, unknownOutcome } = call.trace
  return {
    ...answer,
    outcome: StoredOutcome.write(call, withoutParts(outcome)),
    marks: marksOf(outcome),
    idempotencyKey: call.trace.idempotencyKey,
    isFresh: isFresh(call, outcome),
    ...(key === undefined ? {} : { key: key() }),
    ...(spent === undefined || spent.units <= 0
      ? {}
      : { spent: readyAt === undefined ? spent : { ...spent, readyAt } }),
    ...(polled === undefined ? {} : { polled }),
    ...(unknownOutcome === "" || !isUnknown(outcome) ? {} : { unknownOutcome }),
    ...(event === undefined ? {} : { event: settledEvent(event) })
  }
}

const isUnknown = (outcome: Outcome): boolean => outcome._tag === "Failure" && outcome.failure.sideEffect === "unknown"

/** Removes the parts from the outcome, because the journal stores them once, in the form that the model received. */
const withoutParts = ({ parts: _, ...outcome }: Outcome): Outcome => outcome

interface Services {
  readonly budgets: Budgets["Service"]
  readonly memory: TurnMemory["Service"]
  readonly sha256: (text: string) => string
  /** Returns the compiled tool that the guard uses for a reference. */
  readonly toolOf: (reference: ToolReference | undefined) => CompiledTool
}

/**
 * Returns a journalled answer, after restoring the effects of its call on the turn's memory, the loop state and the
 * budget.
 */
export const restore = (
  { budgets, memory, sha256, toolOf }: Services,
  tools: ReadonlyMap<string, ToolReference>,
  turn: Turn,
  name: string,
  journalled: JournalledCall
): Effect.Effect<ModelAnswer> => {
  const tool = toolOf(tools.get(name))
  const { event, isFailure, marks, spent, text, traceId, attempts, decisions } = journalled
  const outcome = marked(
    StoredOutcome.read({ tool, name, traceId, turn, acceptsAnyShape: true }, journalled.outcome),
    marks
  )
  const restoreMemory = memory.modifyTurn(turn, (history) => [
    undefined,
    restoreHistory(history, tool, journalled, outcome, (key) => bindingOf(sha256, conversationKey(turn), key, tool))
  ])
  const restoreLoop =
    event === undefined
      ? Effect.void
      : memory.modifyLoop(turn, (state) => [
          undefined,
          LoopDetector.step(withDecision(state, journalled, turn), { ...event, thresholds: tool.definition.loop }).state
        ])
  const restoreBudget = spent === undefined ? Effect.void : recount({ budgets, sha256 }, turn, tool, spent, outcome)
  return Effect.as(Effect.andThen(Effect.andThen(restoreMemory, restoreLoop), restoreBudget), {
    text,
    isFailure,
    outcome,
    traceId,
    attempts,
    decisions,
    ...(journalled.parts === undefined ? {} : { parts: journalled.parts }),
    journal: journalled
  })
}

/** Returns the turn's history, updated as the stages updated it for the call. */
const restoreHistory = (
  history: TurnHistory.TurnHistory,
  { definition, scope }: CompiledTool,
  { decisions, event, idempotencyKey, isFresh, key, polled }: JournalledCall,
  outcome: Outcome,
  bindingOf: (key: string) => string
): TurnHistory.TurnHistory => {
  if (key === undefined || (isRecalled(outcome) && !isFresh)) return history
  const { access, checks, poll, repeats } = definition
  const isChecked = checks.length > 0
  const before =
    repeats === "allowed" && loopDecisionOf(decisions) === "approved" ? TurnHistory.restarted(history, key) : history
  const ended =
    poll === undefined
      ? TurnHistory.ended(
          before,
          { tool: scope, access, isChecked, key, isFresh, isModels: true, callId: "", repeats, idempotencyKey },
          outcome
        )
      : polled === undefined
        ? history
        : TurnHistory.polls(history, key, polled)
  const isStatus = event?.isUnfinished === true || event?.isPending === true
  const read = isStatus && outcome._tag === "Success" ? TurnHistory.holdStatus(ended, key, outcome) : ended
  const keyed = idempotencyKey === "" ? read : TurnHistory.keyed(read, key, idempotencyKey)
  if (outcome._tag === "Success") return keyed
  const { code } = outcome.failure
  return code === "approval_denied" || (code === "answered_by_person" && loopDecisionOf(decisions) !== "answered")
    ? TurnHistory.denied(keyed, bindingOf(key), outcome.failure)
    : keyed
}

/** Returns the decision of a person on a loop. */
const loopDecisionOf = (decisions: JournalledCall["decisions"]): string | undefined =>
  decisions.find(({ stage }) => stage === "loop")?.decision

const isRecalled = (outcome: Outcome): boolean => outcome._tag === "Failure" && outcome.recalled === true

/** Adds to the loop state the decision that a person made during the call. */
const withDecision = (
  state: LoopDetector.LoopState,
  { decisions }: JournalledCall,
  turn: Turn
): LoopDetector.LoopState => {
  const decision = loopDecisionOf(decisions)
  if (decision === "approved") return LoopDetector.approved(state)
  return decision === "stopped" ? LoopDetector.denied(state, turn.turn) : state
}

/**
 * [4.7, 12.2] Restores the budget of a resumed run by counting the units of one completed call again.
 *
 * All attempts except the last count as failed, because they were retried. Refunded units become available at the time
 * that the model has read. If the store does not respond, nothing is counted.
 */
const recount = (
  { budgets, sha256 }: Pick<Services, "budgets" | "sha256">,
  turn: Turn,
  tool: CompiledTool,
  { key, readyAt, units }: NonNullable<JournalledCall["spent"]>,
  outcome: Outcome
): Effect.Effect<void> => {
  const { definition } = tool
  const limit = limitOf(definition)
  const settled = whole(ResultText.compared(tool, outcome, sha256, ""))
  const retried = refuse({ name: definition.name, traceId: "" }, "interrupted", { detail: "It was retried." })
  const spend = (unit: number) =>
    Effect.flatMap(budgets.spend(turn, key, limit, { now: 0, isRepeat: unit > 1 }), (spending) => {
      if (spending._tag === "Exhausted") return Effect.void
      const outcome = unit === units ? settled : retried
      const isLast = unit === units && (spending.remaining === 0 || limit.onlyAfterTransient)
      const settlement = {
        ...settlementOf(limit, outcome, isLast),
        readyAt: isUnitReturned(outcome) ? readyAt : undefined
      }
      return Effect.asVoid(budgets.settle(turn, key, settlement))
    })
  const all = Effect.forEach(
    Array.from({ length: units }, (_, index) => index + 1),
    spend,
    { discard: true }
  )
  return Effect.ignore(Effect.andThen(all, isProgress(definition, settled) ? budgets.progress(turn, key) : Effect.void))
}
