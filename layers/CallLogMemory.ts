/**
 * The last call records, in this process.
 *
 * **Gotchas**
 *
 * Holds neither arguments nor results unless asked to: a thousand results of 10 MB would not fit into memory. What is
 * small (16 KB) is held until its digest is read or its record dropped; of what is larger only the digest is.
 */
import { type CallRecord, plain } from "#domain/call/CallRecord"
import type { LateOutcome } from "#domain/call/LateOutcome"
import { CallLog, type Keep } from "#services/CallLog"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export interface CallLogOptions {
  /** Records held, and late outcomes; older ones are dropped. Default 256. */
  readonly limit?: number
  /** What of arguments and results is held. Default `none`. */
  readonly keep?: Keep
}

export const layerWith = ({ keep = "none", limit = 256 }: CallLogOptions): Layer.Layer<CallLog> =>
  Layer.sync(CallLog, () => {
    const records = ring<CallRecord>(limit)
    const late = ring<LateOutcome>(limit)
    return {
      keep,
      append: records.push,
      records: Effect.sync(() => records.all().map(plain)),
      appendLate: late.push,
      lateOutcomes: Effect.sync(late.all)
    }
  })

export const layer: Layer.Layer<CallLog> = layerWith({})

/** The last `limit` values. */
const ring = <A>(limit: number) => {
  const held: Array<A> = []
  let oldest = 0
  return {
    push: (value: A): void => {
      if (held.length < limit) {
        held.push(value)
      } else {
        held[oldest] = value
        oldest = (oldest + 1) % limit
      }
    },
    all: (): ReadonlyArray<A> => [...held.slice(oldest), ...held.slice(0, oldest)]
  }
}
