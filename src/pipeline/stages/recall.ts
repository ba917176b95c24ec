/**
 * [4.6] Answers a model's call from memory, without an attempt, if the identical call failed before in this turn, or if
 * it is a write that succeeded before and must not be repeated.
 */
import { failed, type Outcome } from "#domain/call/Outcome"
import * as EffectHint from "#domain/failure/EffectHint"
import { isBarred } from "#domain/tool/FallbackCodes"
import type { ToolDefinition } from "#domain/tool/ToolDefinition"
import * as CallMap from "#domain/turn/CallMap"
import * as DoubtfulWrites from "#domain/turn/DoubtfulWrites"
import * as RepeatedWrites from "#domain/turn/RepeatedWrites"
import * as TurnHistory from "#domain/turn/TurnHistory"
import { TurnMemory } from "#services/TurnMemory"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Call from "#pipeline/call/Call"
import { mayHaveActed, outcomeUnknown, refuse } from "#pipeline/call/Refusal"
import type { Stage } from "#pipeline/call/Stage"

export const recall: Stage<TurnMemory> = {
  name: "recall",
  question: "has an identical call failed, or a write succeeded, before in this turn",
  make: Effect.map(TurnMemory, (memory) => (tool) => (next) => {
    const { definition, scope } = tool
    const { access, checks, poll } = definition
    const isRead = access === "read"
    if (poll !== undefined) return next
    return (call) => {
      const { turn } = call
      if (turn === undefined || call.purpose === "lookup") return next(call)
      const isModels = call.requester === "model"
      const remembered = (
        made: Call.Call,
        isWatched = false,
        wasInDoubt = made.doubt !== undefined
      ): Effect.Effect<Outcome> =>
        Effect.flatMap(next(made), (unjudged) => {
          const outcome = withDoubt(made, unjudged)
          const isIdle = isRead && !isWatched && (outcome._tag === "Success" ? checks.length === 0 : !isModels)
          if (isIdle) return Effect.succeed(outcome)
          const isRunning = handlersOf(call)
          const ended = { ...endedOf(definition, scope, call, isModels, isFresh(call, outcome)), isRunning, wasInDoubt }
          return Effect.as(
            memory.modifyTurn(turn, (history) => [undefined, TurnHistory.ended(history, ended, outcome)]),
            outcome
          )
        })
      if (!isModels) return remembered(call)
      const made = (one: Call.Call, isSettled?: true): Effect.Effect<Outcome> =>
        isRead
          ? remembered(one)
          : Effect.onExitIf(
              Effect.suspend(() => remembered(one, false, isSettled)),
              Exit.isFailure,
              () => memory.modifyTurn(turn, (history) => [undefined, stopped(history, call)])
            )
      // a person found that the identical call was not done
      if (call.settled !== undefined) return made(call, true)
      const write = isRead || call.purpose === "completion" ? undefined : writeOf(definition, call)
      return Effect.flatMap(
        memory.modifyTurn(turn, (history) => {
          const doubt = isRead ? undefined : DoubtfulWrites.get(history.doubts, call.key())
          const [before, after] = TurnHistory.begin(history, call.key(), write)
          return [{ before, doubt }, after]
        }),
        ({ before, doubt }) => {
          if (before === undefined) return made(doubt === undefined ? call : { ...call, doubt })
          if (before._tag === "Watched") return remembered(call, true)
          if (before._tag !== "Again") return Effect.succeed(fromMemory(call, before))
          if (before.isFirst)
            Call.decide(call, "recall", "made again", "a read has succeeded since its effect became unknown")
          return made({ ...call, doubt, isLookedAt: true, occasion: `${call.occasion} after a look` })
        }
      )
    }
  })
}

/** Returns the history after a write that was interrupted. If its handler was started, its effect is unknown. */
const stopped = (before: TurnHistory.TurnHistory, call: Call.Call): TurnHistory.TurnHistory => {
  const history = TurnHistory.stopped(before, call.key())
  if (!mayHaveActed(call)) return history
  return { ...history, doubts: DoubtfulWrites.interrupted(history.doubts, call.key(), handlersOf(call)) }
}

/** Returns a function that returns true while handlers of the call are running. */
const handlersOf = ({ trace }: Call.Call): DoubtfulWrites.RunningTest =>
  trace.running === 0 ? DoubtfulWrites.noneRunning : () => trace.running > 0

const writeOf = ({ idempotency, loop, repeats }: ToolDefinition, call: Call.Call): RepeatedWrites.WriteQuestion => ({
  call: call.key(),
  repeats,
  maxRepeats: loop.repeats,
  isKeyed: idempotency.mode !== "none",
  modelKey: call.idempotencyKey,
  isContinued: call.isContinued,
  resumedId: call.journal === "resumed" ? call.callId : undefined
})

const endedOf = (
  { access, checks, repeats }: ToolDefinition,
  tool: string,
  call: Call.Call,
  isModels: boolean,
  isFresh: boolean
) => ({
  tool,
  access,
  isChecked: checks.length > 0,
  key: call.key(),
  isFresh,
  isModels,
  repeats,
  callId: call.callId,
  idempotencyKey: call.trace.idempotencyKey
})

/** Returns the outcome of a write that was refused without an attempt, although an earlier identical call may have acted. */
const withDoubt = (call: Call.Call, outcome: Outcome): Outcome => {
  if (call.doubt === undefined || outcome._tag === "Success" || isFresh(call, outcome)) return outcome
  const { failure } = outcome
  if (failure.sideEffect !== "none" || failure._tag === "HumanReview" || isBarred(failure.code)) return outcome
  Call.decide(call, "recall", "outcome unknown", `${failure.code}; an earlier identical call may have acted`)
  return outcomeUnknown(call, failure)
}

type AnsweredRecall = Exclude<TurnHistory.RecallResult, { readonly _tag: "Again" | "Watched" }>

const fromMemory = (call: Call.Call, before: AnsweredRecall): Outcome => {
  switch (before._tag) {
    case "Failed":
      Call.decide(call, "recall", "recalled", `the identical call failed before: ${before.failure.code}`)
      return { ...(before.part ?? failed(before.failure)), recalled: true, remaining: 0 }
    case "Running":
      Call.decide(call, "recall", "refused", "the identical write is running")
      return {
        ...refuse(call, "in_progress", { detail: "The same call is already running; its result is next to this one." }),
        remaining: 0
      }
    case "Full":
      Call.decide(call, "recall", "refused", "the turn has made as many different writes as it may")
      return {
        ...refuse(call, "limit_exceeded", {
          detail: `This turn has made ${CallMap.maxCalls} different writes, the maximum that the guard distinguishes; ${call.name} was not called.`,
          hint: "End this turn. A new message of the user, or a new session, starts another one."
        }),
        remaining: 0,
        isFinal: true
      }
    case "Repeated":
      Call.decide(call, "recall", "not made again", "the identical write succeeded before in this turn")
      return notMadeAgain(call, before)
  }
}

/**
 * Returns the outcome of a write that is not made again: its first result, or a refusal if the result is not held. The
 * refusal says `committed` only if the first result proved that the action was done.
 */
export const notMadeAgain = (
  call: Call.Call,
  { first, isProven, times }: Omit<Extract<TurnHistory.RecallResult, { readonly _tag: "Repeated" }>, "_tag">
): Outcome =>
  first === undefined
    ? {
        ...refuse(call, "retry_budget_exceeded", {
          detail: "This call was made before in this turn; its result is above. It was not made again.",
          ...(isProven ? { sideEffect: "committed" } : { sideEffect: "unknown", hint: EffectHint.unproven() })
        }),
        remaining: 0,
        isFinal: true
      }
    : {
        ...first,
        // the model has sent the key of the first call again
        ...(call.idempotencyKey === "" ? {} : { idempotent: true }),
        notExecuted: RepeatedWrites.notAgain(call.name, { isProven, times, by: first.usedFallback })
      }

/**
 * True if the tool ran for this call, here or in an earlier process of the run, or if a person found that it did. A
 * replayed result does not count.
 */
export const isFresh = ({ trace }: Call.Call, outcome: Outcome): boolean =>
  trace.wasDoneBefore || (trace.attempts.length > 0 && !(outcome._tag === "Success" && outcome.idempotent === true))

/** Records that a person found the call to be done, so that the identical write is not made again in the turn. */
export const recordDone = (memory: TurnMemory["Service"], call: Call.Call, outcome: Outcome): Effect.Effect<void> => {
  const { requester, tool, turn } = call
  call.trace.wasDoneBefore = true
  if (turn === undefined || tool.definition.poll !== undefined) return Effect.void
  const ended = endedOf(tool.definition, tool.scope, call, requester === "model", true)
  return memory.modifyTurn(turn, (history) => [undefined, TurnHistory.ended(history, ended, outcome)])
}
