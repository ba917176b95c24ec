/** A retry quota in this process: one token bucket for each tool (10 % of calls, at least 10 a minute) [4.11]. */
import { RetryQuota } from "#services/RetryQuota"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The limits of a quota. */
export interface RetryQuotaOptions {
  /** The share of a retry that each call earns. Default 0.1. */
  readonly share?: number
  /** The number of retries per minute that are always granted. Default 10. */
  readonly floorPerMinute?: number
  /** The maximum number of earned retries that are kept. Default 100. */
  readonly burst?: number
}

/** The tokens that one retry needs: slightly less than 1, because ten additions of 0.1 give slightly less than 1. */
const one = 1 - 1e-9

interface Bucket {
  earned: number
  floor: number
  refilledAt: number
}

/** Provides a quota with custom limits. */
export const layerWith = ({
  burst = 100,
  floorPerMinute = 10,
  share = 0.1
}: RetryQuotaOptions): Layer.Layer<RetryQuota> =>
  Layer.sync(RetryQuota, () => {
    const buckets = new Map<string, Bucket>()
    const of = (tool: string): Bucket => {
      const known = buckets.get(tool)
      if (known !== undefined) return known
      const bucket: Bucket = { earned: 0, floor: floorPerMinute, refilledAt: Number.NaN }
      buckets.set(tool, bucket)
      return bucket
    }
    const refill = (bucket: Bucket, now: number) => {
      if (!Number.isNaN(bucket.refilledAt)) {
        bucket.floor = Math.min(floorPerMinute, bucket.floor + ((now - bucket.refilledAt) / 60_000) * floorPerMinute)
      }
      bucket.refilledAt = now
    }
    return {
      isShared: false,
      called: (tool) => {
        const bucket = of(tool)
        bucket.earned = Math.min(burst, bucket.earned + share)
      },
      take: (tool) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const bucket = of(tool)
          refill(bucket, now)
          const from = bucket.floor >= one ? "floor" : bucket.earned >= one ? "earned" : undefined
          if (from === undefined) return false
          bucket[from] -= 1
          return true
        })
    }
  })

/** The default quota [4.11]. */
export const layer: Layer.Layer<RetryQuota> = layerWith({})
