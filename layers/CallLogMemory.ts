/**
 * The last call records, in this process.
 *
 * **Gotchas**
 *
 * Holds neither arguments nor results unless asked to: a thousand results of 10 MB would not fit into memory.
 */
import type { CallRecord } from "#domain/CallRecord"
import { CallLog, type Keep } from "#services/CallLog"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export interface CallLogOptions {
  /** Records held; older ones are dropped. Default 256. */
  readonly limit?: number
  /** What of arguments and results is held. Default `none`. */
  readonly keep?: Keep
}

export const layerWith = ({ keep = "none", limit = 256 }: CallLogOptions): Layer.Layer<CallLog> =>
  Layer.sync(CallLog, () => {
    const ring: Array<CallRecord> = []
    let oldest = 0
    return {
      keep,
      append: (record) => {
        if (ring.length < limit) {
          ring.push(record)
        } else {
          ring[oldest] = record
          oldest = (oldest + 1) % limit
        }
      },
      records: Effect.sync(() => [...ring.slice(oldest), ...ring.slice(0, oldest)])
    }
  })

export const layer: Layer.Layer<CallLog> = layerWith({})
