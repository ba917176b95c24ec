/** [4.5] Refuses entity ids that appear nowhere in the conversation: a model without an id tends to invent one. */
import { finder } from "#domain/schema/EntityId"
import type { Turn } from "#domain/turn/Turn"
import { TurnMemory } from "#services/TurnMemory"
import * as Effect from "effect/Effect"
import * as Call from "#pipeline/call/Call"
import { refuse } from "#pipeline/call/Refusal"
import type { Stage } from "#pipeline/call/Stage"

export const provenance: Stage<TurnMemory> = {
  name: "provenance",
  question: "have the ids occurred in the conversation",
  make: Effect.map(TurnMemory, (memory) => (tool) => (next) => {
    const idsIn = finder(tool.definition.parameters)
    if (idsIn === undefined) return next
    return (call) => {
      const { turn } = call
      if (turn === undefined || call.purpose !== "request") return next(call)
      // only ids that were sent: the model did not invent a default that the guard fills in
      const unseen = Effect.findFirst(idsIn(call.input), ({ value }) =>
        Effect.map(hasSeen(memory, turn, value), (seen) => !seen)
      )
      return Effect.flatMap(unseen, (found) => {
        if (found._tag === "None") return next(call)
        const { lookup, path } = found.value
        Call.decide(call, "provenance", "refused", `${path} appears nowhere in the conversation`)
        return Effect.succeed(
          refuse(call, "unseen_id", {
            detail: `${path}: this id appears nowhere in the conversation.`,
            hint: lookup === undefined ? undefined : `Look it up with ${lookup} first.`,
            fields: [path]
          })
        )
      })
    }
  })
}

/** Looks for the id and for its JSON escape: the conversation holds results as JSON, which escapes quotes. */
const hasSeen = (memory: TurnMemory["Service"], turn: Turn, value: string): Effect.Effect<boolean> => {
  const escaped = JSON.stringify(value).slice(1, -1)
  return Effect.flatMap(memory.hasSeen(turn, value), (seen) =>
    seen || escaped === value ? Effect.succeed(seen) : memory.hasSeen(turn, escaped)
  )
}
