/** [4.10] Asks the tool's checks what a decoded result is worth. Garbage outweighs partial, partial outweighs ok. */
import * as TurnHistory from "#domain/TurnHistory"
import * as Verdict from "#domain/Verdict"
import { TurnMemory } from "#services/TurnMemory"
import * as Effect from "effect/Effect"
import * as Call from "./Call.ts"
import { now } from "./deadline.ts"
import type { Stage } from "./Stage.ts"

const none: ReadonlyArray<unknown> = []

export const check: Stage<TurnMemory> = {
  name: "check",
  make: Effect.map(TurnMemory, (memory) => (tool) => (next) => {
    const { checks, enforce, name } = tool.definition
    if (checks.length === 0) return next
    const judge = (call: Call.Call, previous: ReadonlyArray<unknown>) => {
      const context = { arguments: call.arguments, previous, nowMillis: now(call) }
      const verdict = checks.reduce<Verdict.Verdict>(
        (worst, { run }) => Verdict.heavier(worst, run(call.result, context)),
        Verdict.ok
      )
      if (verdict._tag === "Ok" || enforce === "enforce") return next({ ...call, verdict })
      Call.decide(call, "check", "advised", verdict._tag === "Garbage" ? verdict.detail : "the result is incomplete")
      return next(call)
    }
    return (call) => {
      if (call.outcome !== undefined || !isAnswered(call)) return next(call)
      const { turn } = call
      if (turn === undefined) return Effect.suspend(() => judge(call, none))
      return Effect.flatMap(
        memory.modifyTurn(turn, (history) => [TurnHistory.previous(history, name), history]),
        (previous) => judge(call, previous)
      )
    }
  })
}

/** True where the handler answered with something that was decoded. */
const isAnswered = ({ answer }: Call.Call): boolean =>
  answer !== undefined &&
  (answer._tag === "Value" ||
    answer._tag === "Text" ||
    (answer._tag === "Response" && answer.status >= 200 && answer.status <= 299))
