/**
 * Hears what happens inside a request to a model while it happens: what is tried again, and who is asked instead. For user
 * interfaces; a reference, so it shows in no requirements.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Something that happened inside a request. Models count from 0, the first being the one that is meant. */
export type ModelEvent =
  | {
      readonly _tag: "ModelRetried"
      readonly model: number
      /** How many attempts at this model have failed. */
      readonly attempt: number
      readonly delayMillis: number
      /** Why, in one line. */
      readonly reason: string
    }
  /** The next model is asked. */
  | { readonly _tag: "ModelFellBack"; readonly model: number; readonly reason: string }

export const ModelObserver = Context.Reference<(event: ModelEvent) => Effect.Effect<void>>(
  "effect-toolguard/ModelObserver",
  { defaultValue: () => () => Effect.void }
)
