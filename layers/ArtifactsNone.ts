/** Stores no artifacts: the model reads only the preview of a result that is too large. */
import { Artifacts, ArtifactsUnavailable } from "#services/Artifacts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export const layer: Layer.Layer<Artifacts> = Layer.succeed(Artifacts, {
  isKeeping: false,
  put: () => Effect.fail(new ArtifactsUnavailable({ cause: new Error("This layer stores no artifacts.") })),
  read: () => Effect.undefined
})
