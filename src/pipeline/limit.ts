/** [4.14] Bounds what a model gets of a result: over 10 KB it reads a preview with the size. */
import * as Effect from "effect/Effect"
import type { ModelStage } from "./ModelStage.ts"

/** SPEC 2.9: 10 KB to the model. */
export const maxResultBytes = 10_240

export const limit: ModelStage = {
  name: "limit",
  make: Effect.succeed(() => (reading) => ({ ...reading, maxResultBytes }))
}
