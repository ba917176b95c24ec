/** [4.11] Leaves a tool alone that fails again and again. Hears each attempt; a rejection costs no budget. */
import { Circuits } from "#services/Circuits"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { now } from "./Call.ts"
import * as Call from "./Call.ts"
import { refuse } from "./Refusal.ts"
import type { Stage } from "./Stage.ts"

export const circuit: Stage<Circuits> = {
  name: "circuit",
  make: Effect.map(Circuits, (circuits) => (tool) => (next) => {
    const { circuit: policy, name } = tool.definition
    if (policy === undefined) return next
    return (call) =>
      circuits.execute(name, policy, next(call), ({ retryAfter }) => {
        Call.decide(call, "circuit", "rejected", `open for another ${Duration.format(retryAfter)}`)
        return {
          ...refuse(call, "circuit_open", {
            detail: `${name} failed repeatedly and is left alone for ${Duration.format(retryAfter)}.`,
            retryAfter
          }),
          isRefund: true,
          isFinal: now(call) + Duration.toMillis(retryAfter) > call.deadlineAt
        }
      })
  })
}
