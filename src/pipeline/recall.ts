/** [4.6] Answers the identical call that already failed in this turn from memory, without an attempt. */
import type { Outcome, Success } from "#domain/Outcome"
import * as TurnHistory from "#domain/TurnHistory"
import { TurnMemory } from "#services/TurnMemory"
import * as Effect from "effect/Effect"
import * as Call from "./Call.ts"
import type { Stage } from "./Stage.ts"

export const recall: Stage<TurnMemory> = {
  name: "recall",
  make: Effect.map(TurnMemory, (memory) => (tool) => (next) => {
    const { access, checks, name, poll } = tool.definition
    if (poll !== undefined) return next
    return (call) => {
      const { turn } = call
      if (turn === undefined || call.isLookup) return next(call)
      return Effect.flatMap(
        memory.modifyTurn(turn, (history) => [TurnHistory.recall(history, call.key()), history]),
        (before): Effect.Effect<Outcome> => {
          if (before !== undefined) {
            Call.decide(call, "recall", "recalled", `the identical call failed before: ${before.code}`)
            return Effect.succeed({ _tag: "Failure", failure: before, recalled: true, remaining: 0 })
          }
          return Effect.flatMap(next(call), (outcome): Effect.Effect<Outcome> => {
            if (outcome._tag === "Success") {
              if ((access === "read" && checks.length === 0) || !isFresh(call, outcome)) return Effect.succeed(outcome)
              return Effect.as(
                memory.modifyTurn(turn, (history) => {
                  const written = access === "read" ? history : TurnHistory.wrote(history)
                  const held = checks.length === 0 ? written : TurnHistory.answered(written, name, outcome.value)
                  return [undefined, held]
                }),
                outcome
              )
            }
            return Effect.as(
              memory.modifyTurn(turn, (history) => [undefined, TurnHistory.failed(history, call.key(), outcome)]),
              outcome
            )
          })
        }
      )
    }
  })
}

/** True where the tool was run; a replay, or a result that is given again, changes nothing. */
const isFresh = (call: Call.Call, outcome: Success): boolean =>
  call.trace.attempts.length > 0 && outcome.idempotent !== true
