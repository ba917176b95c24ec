/**
 * Keeps the latest call records in this process.
 *
 * **Gotchas**
 *
 * By default records hold neither arguments nor results, because a thousand results of 10 MB would not fit into memory.
 * A value of at most 16 KB is stored until its digest is read or its record is dropped; of a larger value only the
 * digest is stored.
 */
import { type CallRecord, plain } from "#domain/call/CallRecord"
import type { LateOutcome } from "#domain/call/LateOutcome"
import { CallLog, type Keep } from "#services/CallLog"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The number and the content of records. */
export interface CallLogOptions {
  /** The maximum number of records, and of late outcomes. Older ones are dropped. Default 256. */
  readonly limit?: number
  /** Whether records hold arguments and results. Default `none`. */
  readonly keep?: Keep
}

/** Provides a call log with custom limits. */
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

/** The latest 256 records, without arguments and results. */
export const layer: Layer.Layer<CallLog> = layerWith({})

/** Creates a buffer that holds the last `limit` values. */
const ring = <A>(limit: number) => {
  const values: Array<A> = []
  let oldest = 0
  return {
    push: (value: A): void => {
      if (values.length < limit) {
        values.push(value)
      } else {
        values[oldest] = value
        oldest = (oldest + 1) % limit
      }
    },
    all: (): ReadonlyArray<A> => [...values.slice(oldest), ...values.slice(0, oldest)]
  }
}
