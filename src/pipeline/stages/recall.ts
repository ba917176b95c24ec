/** [4.6] Answers a call from memory, without an attempt, if the identical call failed before in this turn. */
import type { Outcome } from "#domain/call/Outcome"
import * as TurnHistory from "#domain/turn/TurnHistory"
import { TurnMemory } from "#services/TurnMemory"
import * as Effect from "effect/Effect"
import * as Call from "#pipeline/call/Call"
import type { Stage } from "#pipeline/call/Stage"

export const recall: Stage<TurnMemory> = {
  name: "recall",
  question: "has an identical call failed before in this turn",
  make: Effect.map(TurnMemory, (memory) => (tool) => (next) => {
    const { access, checks, poll } = tool.definition
    if (poll !== undefined) return next
    return (call) => {
      const { turn } = call
      if (turn === undefined || call.purpose === "lookup") return next(call)
      return Effect.flatMap(
        memory.modifyTurn(turn, (history) => [TurnHistory.recall(history, call.key()), history]),
        (before): Effect.Effect<Outcome> => {
          if (before !== undefined) {
            Call.decide(call, "recall", "recalled", `the identical call failed before: ${before.code}`)
            return Effect.succeed({ _tag: "Failure", failure: before, recalled: true, remaining: 0 })
          }
          return Effect.flatMap(next(call), (outcome) => {
            const isIdle = outcome._tag === "Success" && access === "read" && checks.length === 0
            if (isIdle) return Effect.succeed(outcome)
            const ended = {
              tool: tool.scope,
              access,
              isChecked: checks.length > 0,
              key: call.key(),
              isFresh: isFresh(call, outcome)
            }
            return Effect.as(
              memory.modifyTurn(turn, (history) => [undefined, TurnHistory.ended(history, ended, outcome)]),
              outcome
            )
          })
        }
      )
    }
  })
}

/** True if the tool ran. A replayed result does not count. */
export const isFresh = (call: Call.Call, outcome: Outcome): boolean =>
  call.trace.attempts.length > 0 && !(outcome._tag === "Success" && outcome.idempotent === true)
