/**
 * Receives the retries and fallbacks of a request to a model as they happen, for user interfaces. The observer is a
 * reference, so it never appears in requirements.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** An event of a request to a model. `model` is the index of the model in the list, from 0. */
export type ModelEvent =
  | {
      readonly _tag: "ModelRetried"
      readonly model: number
      /** The number of failed attempts with this model. */
      readonly attempt: number
      readonly delayMillis: number
      /** The reason, in one line. */
      readonly reason: string
    }
  /** The request falls back to this model. */
  | { readonly _tag: "ModelFellBack"; readonly model: number; readonly reason: string }

export const ModelObserver = Context.Reference<(event: ModelEvent) => Effect.Effect<void>>(
  "effect-toolguard/ModelObserver",
  { defaultValue: () => () => Effect.void }
)
