/**
 * Keeps the latest call records of each tenant in this process.
 *
 * **Gotchas**
 *
 * By default, records hold neither arguments nor results, because a thousand results of 10 MB would not fit into
 * memory. A value of at most 16 KB is stored until its digest is read or its record is dropped; of a larger value only
 * the digest is stored.
 */
import { type CallRecord, plain } from "#domain/call/CallRecord"
import type { LateOutcome } from "#domain/call/LateOutcome"
import { CallLog, type Keep } from "#services/CallLog"
import { isOf } from "#services/Forget"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TenantRings from "#layers/internal/stores/TenantRings"

/** The number and the content of records. */
export interface CallLogOptions {
  /**
   * The maximum number of records, and of late outcomes, of each tenant. All tenants together have ten times as many.
   * Older entries are dropped. Default 256.
   */
  readonly limit?: number
  /** Whether records hold arguments and results. Default `none`. */
  readonly keep?: Keep
}

/** Provides a call log with custom limits. */
export const layerWith = ({ keep = "none", limit = 256 }: CallLogOptions): Layer.Layer<CallLog> =>
  Layer.sync(CallLog, () => {
    const records = TenantRings.make<CallRecord>(limit)
    const late = TenantRings.make<LateOutcome>(limit)
    return {
      keep,
      append: (record) => records.push(record.tenant, record),
      records: Effect.sync(() => records.all().map(plain)),
      recordsOf: (owner) =>
        Effect.sync(() =>
          records
            .of(owner.tenant)
            .filter((record) => isOf(owner, record))
            .map(plain)
        ),
      appendLate: (outcome) => late.push(outcome.tenant, outcome),
      lateOutcomes: Effect.sync(late.all)
    }
  })

/** The latest 256 records of each tenant, without arguments and results. */
export const layer: Layer.Layer<CallLog> = layerWith({})
