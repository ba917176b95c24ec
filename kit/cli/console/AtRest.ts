/** Reads the settings for encrypting stored texts from the environment. */
import { AtRest, type AtRestCipher } from "effect-toolguard/services/AtRest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { misuse, type Problem } from "./Problem.ts"

/**
 * The cipher that the environment configures. Fails with a `Problem` if the configured key is malformed. `AtRestAes` is
 * imported only when this effect runs.
 */
export const atRestCipher: Effect.Effect<AtRestCipher, Problem> = Effect.flatMap(
  Effect.promise(() => import("effect-toolguard/layers/AtRestAes")),
  ({ fromConfig }) => Effect.mapError(fromConfig, ({ detail, remedy }) => misuse(detail, remedy))
)

/** Provides `atRestCipher` to the layers of stores. */
export const atRest: Layer.Layer<never, Problem> = Layer.effect(AtRest, atRestCipher)
