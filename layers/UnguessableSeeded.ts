/**
 * Provides ids that follow from a seed: equal seeds give equal ids in equal order.
 *
 * **When to use**
 *
 * Use it in simulations and tests whose ids must be the same in every run.
 *
 * **Gotchas**
 *
 * Anyone who knows the seed knows every id. Never use this layer where an id grants access.
 */
import { Unguessable, type UnguessableSource } from "#services/Unguessable"
import * as Layer from "effect/Layer"
import { hash } from "node:crypto"

/** Creates a source whose sequence follows from a seed. */
export const make = (seed: string | number): UnguessableSource => {
  let block = 0
  return {
    bytes: (count) => {
      const bytes = new Uint8Array(count)
      for (let filled = 0; filled < count; filled += 32) {
        bytes.set(hash("sha256", JSON.stringify([seed, (block += 1)]), "buffer").subarray(0, count - filled), filled)
      }
      return bytes
    }
  }
}

/** Provides ids that follow from a seed. Each build of the layer restarts the sequence. */
export const layer = (seed: string | number): Layer.Layer<never> => Layer.sync(Unguessable, () => make(seed))
