/** [4.11] Stops calling a tool that keeps failing. Counts each attempt; a rejected attempt costs no budget. */
import { Circuits } from "#services/Circuits"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Call from "#pipeline/call/Call"
import { refuse } from "#pipeline/call/Refusal"
import type { Stage } from "#pipeline/call/Stage"

export const circuit: Stage<Circuits> = {
  name: "circuit",
  question: "is the circuit of the tool open",
  make: Effect.map(Circuits, (circuits) => (tool) => (next) => {
    const { circuit: policy, name } = tool.definition
    if (policy === undefined) return next
    return (call) =>
      circuits.execute(tool.scope, policy, next(call), ({ retryAfter }) => {
        Call.decide(call, "circuit", "rejected", `open for another ${Duration.format(retryAfter)}`)
        return {
          ...refuse(call, "circuit_open", {
            // the time is in `retryAfter`, from which the time that a model reads is calculated
            detail: `${name} failed repeatedly and is not called for now.`,
            retryAfter
          }),
          isRefund: true,
          isFinal: Call.now(call) + Duration.toMillis(retryAfter) > call.deadlineAt
        }
      })
  })
}
