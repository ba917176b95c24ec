/**
 * Reaches no person: answers every question with `NoPerson` immediately, and drops notices. The default of the guard.
 */
import { Escalation } from "#services/Escalation"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export const layer: Layer.Layer<Escalation> = Layer.succeed(Escalation, {
  isShared: false,
  inform: () => Effect.void,
  ask: () => Effect.succeed({ _tag: "NoPerson" })
})
