/** Keeps idempotency keys in this process, bounded for each tenant. At a limit, new keys of the tenant are refused. */
import { IdempotencyKeys } from "#services/IdempotencyKeys"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { idempotencyKeys } from "#layers/internal/stores/KeyStore"
import * as MemoryKeyStore from "#layers/internal/stores/MemoryKeyStore"

/** The limits of each tenant. */
export interface IdempotencyKeysMemoryOptions {
  /** The maximum number of keys that have not expired. Default 100,000. */
  readonly maxKeys?: number
  /** The maximum size of all stored outcomes, in UTF-16 code units. Default 64,000,000. */
  readonly maxCharacters?: number
}

/** Keeps keys within custom limits. At a limit, a call with a new key is refused as `store_unavailable`. */
export const layerWith = (options: IdempotencyKeysMemoryOptions): Layer.Layer<IdempotencyKeys> =>
  Layer.sync(IdempotencyKeys, () => {
    let count = 0
    const keys = idempotencyKeys(
      MemoryKeyStore.make(options),
      Effect.sync(() => String((count += 1)))
    )
    return { ...keys, isShared: false }
  })

/** Keeps at most 100,000 keys for each tenant, with outcomes of at most 64,000,000 characters in total. */
export const layer: Layer.Layer<IdempotencyKeys> = layerWith({})
