/** A guard with stores that do not declare that their state is in this process only. */
import { Effect, Layer } from "effect"
import * as CallLogMemory from "#layers/CallLogMemory"
import { Guard } from "#src/guard/Guard"
import { Circuits } from "#services/Circuits"
import { IdempotencyKeys } from "#services/IdempotencyKeys"
import { RetryQuota } from "#services/RetryQuota"

/** Returns a guard with stores that other processes may share, and the names that the guard sends to the stores. */
export const sharedStores = () => {
  const asked = new Set<string>()
  const layer = Layer.mergeAll(
    CallLogMemory.layer,
    Layer.effect(
      IdempotencyKeys,
      Effect.map(IdempotencyKeys, ({ isShared: _, ...keys }) => ({
        ...keys,
        claim: ((claim, consume) => {
          asked.add(`key ${claim.binding}`)
          return keys.claim(claim, consume)
        }) as typeof keys.claim
      }))
    ),
    Layer.effect(
      Circuits,
      Effect.map(Circuits, ({ execute }) => ({
        execute: ((name, ...rest) => {
          asked.add(`circuit ${name}`)
          return execute(name, ...rest)
        }) as typeof execute
      }))
    ),
    Layer.effect(
      RetryQuota,
      Effect.map(RetryQuota, ({ called, take }) => ({
        called: (name: string) => {
          asked.add(`quota ${name}`)
          called(name)
        },
        take
      }))
    )
  ).pipe(Layer.provide(Guard.memory))
  return { asked, guard: Guard.layerMemoryWith(layer) }
}
