/** [8.2] Claims the key before the action and records its outcome after it: one effect per key. */
import { IdempotencyKeys } from "#services/IdempotencyKeys"
import * as Effect from "effect/Effect"
import { claimOf, known, unavailable } from "./idempotency.ts"
import { interrupted } from "./Refusal.ts"
import type { Stage } from "./Stage.ts"

export const claim: Stage<IdempotencyKeys> = {
  name: "claim",
  make: Effect.map(IdempotencyKeys, (keys) => (tool) => (next) => {
    if (tool.definition.idempotency.mode === "none") return next
    return (call) => {
      const action = claimOf(call)
      return Effect.uninterruptibleMask((restore) =>
        Effect.matchEffect(keys.claim(action), {
          onFailure: (error) => unavailable(call, error),
          onSuccess: (claimed) => {
            if (claimed._tag !== "Claimed") return restore(known(call, claimed))
            return Effect.onExit(restore(Effect.suspend(() => next(call))), (exit) =>
              // a store that breaks here, however it does so, does not change what the action came to
              Effect.ignoreCause(
                Effect.suspend(() => keys.complete(action, exit._tag === "Success" ? exit.value : interrupted(call)))
              )
            )
          }
        })
      )
    }
  })
}
