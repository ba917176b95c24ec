/**
 * A retry quota that processes share, in Redis: one token bucket for each tool (10 % of calls, at least 10 a minute)
 * [4.11].
 *
 * **Details**
 *
 * - Calls are counted in this process and sent with the next retry, or every second. Redis provides the time.
 * - The bucket of a tool without calls is deleted after an hour.
 *
 * **Gotchas**
 *
 * While Redis is unavailable, every retry is granted, and a warning is logged once a minute.
 */
import { RetryQuota } from "#services/RetryQuota"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redis from "effect/persistence/Redis"
import * as Schedule from "effect/Schedule"
import * as Fallback from "#layers/internal/redis/Fallback"

export interface RetryQuotaRedisOptions {
  /** The prefix of every key. Default `toolguard:`. */
  readonly prefix?: string
  /** The share of a retry that each call earns. Default 0.1. */
  readonly share?: number
  /** The number of retries per minute that are always granted. Default 10. */
  readonly floorPerMinute?: number
  /** The maximum number of earned retries that are kept. Default 100. */
  readonly burst?: number
}

/**
 * Adds calls to the bucket and, if `wanted`, takes one retry from it. The rule is the same as in `RetryQuotaMemory`.
 */
const bucketScript = Redis.script((key: string, ...args: ReadonlyArray<number>) => [key, ...args], {
  numberOfKeys: 1,
  lua: `
local calls, wanted, share, perMinute, burst = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local bucket = redis.call("HMGET", KEYS[1], "earned", "floor", "at")
local earned = math.min(burst, (tonumber(bucket[1]) or 0) + calls * share)
local floor = tonumber(bucket[2]) or perMinute
local at = tonumber(bucket[3])
local granted = 0
if wanted == "1" then
  if at then floor = math.min(perMinute, floor + math.max(0, now - at) / 60000 * perMinute) end
  at = now
  local one = 1 - 1e-9
  if floor >= one then
    floor = floor - 1
    granted = 1
  elseif earned >= one then
    earned = earned - 1
    granted = 1
  end
end
redis.call("HSET", KEYS[1], "earned", string.format("%.17g", earned), "floor", string.format("%.17g", floor))
if at then redis.call("HSET", KEYS[1], "at", string.format("%.0f", at)) end
redis.call("PEXPIRE", KEYS[1], 3600000)
return granted`
}).withReturnType<0 | 1>()

/** Provides the quota in the Redis of the context. */
export const layerWith = ({
  burst = 100,
  floorPerMinute = 10,
  prefix = "toolguard:",
  share = 0.1
}: RetryQuotaRedisOptions): Layer.Layer<RetryQuota, never, Redis.Redis> =>
  Layer.effect(
    RetryQuota,
    Effect.gen(function* () {
      const redis = yield* Redis.Redis
      const orElse = yield* Fallback.make("Every retry is granted in the meantime.")
      const bucket = redis.eval(bucketScript)
      const uncounted = new Map<string, number>()
      const add = (tool: string, calls: number) => {
        if (calls > 0) uncounted.set(tool, (uncounted.get(tool) ?? 0) + calls)
      }
      const send = (tool: string, wanted: 0 | 1): Effect.Effect<boolean> =>
        Effect.suspend(() => {
          const calls = uncounted.get(tool) ?? 0
          uncounted.delete(tool)
          return orElse(
            Effect.map(
              bucket(`${prefix}quota:${tool}`, calls, wanted, share, floorPerMinute, burst),
              (granted) => granted === 1
            ),
            () => {
              add(tool, Math.min(calls, burst / share))
              return true
            }
          )
        })
      const sendAll = Effect.suspend(() =>
        Effect.forEach([...uncounted.keys()], (tool) => send(tool, 0), { discard: true })
      )
      yield* Effect.forkScoped(Effect.repeat(sendAll, Schedule.spaced("1 second")))
      yield* Effect.addFinalizer(() => sendAll)
      return { called: (tool) => add(tool, 1), take: (tool) => send(tool, 1) }
    })
  )

/** The default quota [4.11]. */
export const layer: Layer.Layer<RetryQuota, never, Redis.Redis> = layerWith({})
