/** [4.5] Refuses entity ids that the conversation has never shown: a model that has none tends to invent one. */
import { entityIds } from "#domain/EntityId"
import { TurnMemory } from "#services/TurnMemory"
import * as Effect from "effect/Effect"
import * as Call from "./Call.ts"
import { refuse } from "./Refusal.ts"
import type { Stage } from "./Stage.ts"

export const provenance: Stage<TurnMemory> = {
  name: "provenance",
  make: Effect.map(TurnMemory, (memory) => (tool) => (next) => {
    const marked = entityIds(tool.definition.parameters)
    if (marked.length === 0) return next
    return (call) => {
      const { turn } = call
      if (turn === undefined || call.isInner) return next(call)
      const args = tool.contract.encode(call.arguments)
      const unseen = Effect.findFirst(
        marked.flatMap(({ lookup, path, read }) => read(args).map((value) => ({ lookup, path, value }))),
        ({ value }) => Effect.map(memory.hasSeen(turn, value), (seen) => !seen)
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
