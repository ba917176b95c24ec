/** [12.1] Calls on their way into the journal of a run, and back. */
import { type JournaledCall, marked, marksOf, settledEvent } from "#domain/journal/JournaledCall"
import * as LoopDetector from "#domain/loop/LoopDetector"
import type { Outcome } from "#domain/call/Outcome"
import type { ToolReference } from "#domain/tool/ToolDefinition"
import { conversationKey, type Turn } from "#domain/turn/Turn"
import * as TurnHistory from "#domain/turn/TurnHistory"
import type { Budgets } from "#services/Budgets"
import type { TurnMemory } from "#services/TurnMemory"
import * as Effect from "effect/Effect"
import { bindingOf } from "#pipeline/stages/approve"
import type { Call } from "#pipeline/call/Call"
import { type CompiledTool, compiledOf } from "#pipeline/call/CompiledTool"
import { isFresh } from "#pipeline/stages/recall"
import type { ModelAnswer } from "./ModelCall.ts"
import { recount } from "./recount.ts"
import * as StoredOutcome from "#pipeline/record/StoredOutcome"
import { unknownTool } from "#pipeline/call/UnknownTool"

/** A call that was answered, as JSON. Its record is in the call log. */
export const write = (call: Call, { outcome, record: _, ...answer }: Omit<ModelAnswer, "journal">): JournaledCall => {
  const { event, key, polled, spent } = call.trace
  return {
    ...answer,
    outcome: StoredOutcome.write(call, withoutParts(outcome)),
    marks: marksOf(outcome),
    idempotencyKey: call.trace.idempotencyKey,
    isFresh: isFresh(call, outcome),
    ...(key === undefined ? {} : { key: key() }),
    ...(spent === undefined || spent.units <= 0 ? {} : { spent }),
    ...(polled === undefined ? {} : { polled }),
    ...(event === undefined ? {} : { event: settledEvent(event) })
  }
}

/** Parts are kept once, as the model got them. */
const withoutParts = (outcome: Outcome): Outcome => {
  if (outcome.parts === undefined) return outcome
  const { parts: _, ...rest } = outcome
  return rest
}

interface Services {
  readonly budgets: Budgets["Service"]
  readonly memory: TurnMemory["Service"]
  readonly sha256: (text: string) => string
}

/** Gives an answer again, after the turn and the conversation have been told of its call as they were then. */
export const restore = (
  { budgets, memory, sha256 }: Services,
  tools: ReadonlyMap<string, ToolReference>,
  turn: Turn,
  name: string,
  journaled: JournaledCall
): Effect.Effect<ModelAnswer> => {
  const found = tools.get(name)
  const tool = found === undefined ? unknownTool : compiledOf(found)
  const { event, isFailure, marks, spent, text, traceId, attempts, decisions } = journaled
  const outcome = marked(StoredOutcome.read({ tool, name, traceId }, journaled.outcome), marks)
  const noted = memory.modifyTurn(turn, (history) => [
    undefined,
    noteTurn(history, tool, journaled, outcome, (key) => bindingOf(sha256, conversationKey(turn), key, tool))
  ])
  const watched =
    event === undefined
      ? Effect.void
      : memory.modifyLoop(turn, (state) => [undefined, LoopDetector.step(judged(state, journaled, turn), event).state])
  const counted = spent === undefined ? Effect.void : recount({ budgets, sha256 }, turn, tool, spent, outcome)
  return Effect.as(Effect.andThen(Effect.andThen(noted, watched), counted), {
    text,
    isFailure,
    outcome,
    traceId,
    attempts,
    decisions,
    ...(journaled.parts === undefined ? {} : { parts: journaled.parts }),
    journal: journaled
  })
}

/** What the stages of the call have noted in its turn. */
const noteTurn = (
  history: TurnHistory.TurnHistory,
  { definition }: CompiledTool,
  { idempotencyKey, isFresh, key, polled }: JournaledCall,
  outcome: Outcome,
  bindingOf: (key: string) => string
): TurnHistory.TurnHistory => {
  if (key === undefined || marksRecalled(outcome)) return history
  const { access, checks, name, poll } = definition
  const ended =
    poll === undefined
      ? TurnHistory.ended(history, { tool: name, access, isChecked: checks.length > 0, key, isFresh }, outcome)
      : polled === undefined
        ? history
        : TurnHistory.polls(history, key, polled)
  const keyed = idempotencyKey === "" ? ended : TurnHistory.keyed(ended, key, idempotencyKey)
  return outcome._tag === "Failure" && outcome.failure.code === "approval_denied"
    ? TurnHistory.denied(keyed, bindingOf(key), outcome.failure)
    : keyed
}

const marksRecalled = (outcome: Outcome): boolean => outcome._tag === "Failure" && outcome.recalled === true

/** What a person said of the loop, in the middle of the call. */
const judged = (state: LoopDetector.LoopState, { decisions }: JournaledCall, turn: Turn): LoopDetector.LoopState => {
  const said = decisions.find(({ stage }) => stage === "loop")?.decision
  if (said === "approved") return LoopDetector.approved(state)
  return said === "stopped" ? LoopDetector.denied(state, turn.turn) : state
}
