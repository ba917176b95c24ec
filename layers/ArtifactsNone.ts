/** No artifacts: a result that is too large is previewed, and its rest is not to be had. */
import { Artifacts, ArtifactsUnavailable } from "#services/Artifacts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export const layer: Layer.Layer<Artifacts> = Layer.succeed(Artifacts, {
  isKeeping: false,
  put: () => Effect.fail(new ArtifactsUnavailable({ cause: new Error("Nothing is kept here.") })),
  read: () => Effect.undefined
})
