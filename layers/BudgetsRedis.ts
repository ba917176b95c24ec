/**
 * Keeps budgets in Redis: a hash and a list for each turn, so any number of processes can share a turn's budget.
 *
 * **Details**
 *
 * - `Account` decides. A script writes only if the account has not changed since it was read.
 * - Turns and keys are stored as SHA-256 digests, so that no argument of a call appears in a Redis key.
 * - Redis deletes a turn `timeToLive` after its last attempt, unless the host has ended the turn earlier.
 *
 * **Gotchas**
 *
 * If Redis does not respond within 5 seconds, calls that write are refused and calls that read run uncounted. A Redis
 * that evicts keys (`maxmemory-policy` other than `noeviction`) loses counts.
 */
import { heldResults } from "#domain/turn/Budget"
import { AtRest } from "#services/AtRest"
import { Budgets, BudgetsUnavailable } from "#services/Budgets"
import { DatabasePlace, databaseUnavailable } from "#services/DatabaseUnavailable"
import { unguessableId } from "#services/Unguessable"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redis from "effect/persistence/Redis"
import { type AccountStore, budgets } from "#layers/internal/stores/AccountStore"
import * as Timeout from "#layers/internal/stores/Timeout"
import { remedyOf } from "#layers/internal/redis/Remedy"

export interface BudgetsRedisOptions {
  /** The prefix of every key. Default `toolguard:`. */
  readonly prefix?: string
  /** How long a turn is kept after its last attempt, if the host does not end the turn. Default 24 hours. */
  readonly timeToLive?: Duration.Input
}

/** Keeps budgets in the Redis of the context. */
export const layerWith = (options: BudgetsRedisOptions): Layer.Layer<Budgets, never, Redis.Redis> =>
  Layer.effect(
    Budgets,
    Effect.gen(function* () {
      const store = makeStore(yield* Redis.Redis, yield* DatabasePlace, options)
      return budgets(store, yield* AtRest, yield* unguessableId)
    })
  )

/** Keeps budgets in the Redis of the context. A turn that is not ended is kept for 24 hours after its last attempt. */
export const layer: Layer.Layer<Budgets, never, Redis.Redis> = layerWith({})

/** Reads the state and the result of an account, and the time of Redis. */
const readScript = Redis.script((turn: string, key: string) => [turn, key], {
  numberOfKeys: 1,
  lua: `
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local found = redis.call("HMGET", KEYS[1], "s:" .. ARGV[1], "r:" .. ARGV[1])
return {string.format("%.0f", now), found[1], found[2]}`
}).withReturnType<readonly [now: string, state: string | null, result: string | null]>()

/**
 * Changes an account if its state is the given one, and returns the time of Redis. A turn is a hash and a list. The hash has `s:key`, the state
 * after a `+` (open) or `-`, and `r:key`, a stored result. The list has the keys of the stored results, oldest first.
 */
const swapScript = Redis.script(
  (turn: string, held: string, ...args: ReadonlyArray<string | number>) => [turn, held, ...args],
  {
    numberOfKeys: 2,
    lua: `
local key, before, after, result, ttl, most = unpack(ARGV)
if string.sub(redis.call("HGET", KEYS[1], "s:" .. key) or "", 2) ~= before then return false end
if result == "" then
  redis.call("HSET", KEYS[1], "s:" .. key, after)
  if before ~= "" and redis.call("HDEL", KEYS[1], "r:" .. key) == 1 then redis.call("LREM", KEYS[2], 0, key) end
else
  if redis.call("HSET", KEYS[1], "s:" .. key, after, "r:" .. key, result) == 0 then
    redis.call("LREM", KEYS[2], 0, key)
  end
  if redis.call("RPUSH", KEYS[2], key) > tonumber(most) then
    redis.call("HDEL", KEYS[1], "r:" .. redis.call("LPOP", KEYS[2]))
  end
end
redis.call("PEXPIRE", KEYS[1], ttl)
redis.call("PEXPIRE", KEYS[2], ttl)
local time = redis.call("TIME")
return string.format("%.0f", time[1] * 1000 + math.floor(time[2] / 1000))`
  }
).withReturnType<string | null>()

const progressScript = Redis.script((turn: string, held: string, key: string) => [turn, held, key], {
  numberOfKeys: 2,
  lua: `
for _, field in ipairs(redis.call("HKEYS", KEYS[1])) do
  local key = string.sub(field, 3)
  if string.sub(field, 1, 2) == "s:" and key ~= ARGV[1]
    and string.sub(redis.call("HGET", KEYS[1], field), 1, 1) == "-" then
    redis.call("HDEL", KEYS[1], field, "r:" .. key)
    redis.call("LREM", KEYS[2], 0, key)
  end
end
return 0`
}).withReturnType<number>()

const timeout = Duration.seconds(5)

const makeStore = (
  redis: Redis.Redis["Service"],
  place: string,
  { prefix = "toolguard:", timeToLive = "24 hours" }: BudgetsRedisOptions
): AccountStore => {
  const [read, swap, progress] = [redis.eval(readScript), redis.eval(swapScript), redis.eval(progressScript)]
  const millis = Math.max(1, Math.ceil(Duration.toMillis(Duration.fromInputUnsafe(timeToLive))))
  const withTimeout = <A>(step: Effect.Effect<A, Redis.RedisError>): Effect.Effect<A, BudgetsUnavailable> =>
    Effect.mapError(
      Timeout.within(step, timeout),
      (cause) => new BudgetsUnavailable({ cause: databaseUnavailable(place, remedyOf(cause), cause) })
    )
  // the braces keep both keys of a turn on one node of a cluster
  const hashOf = (turn: string) => `${prefix}budget:{${turn}}`
  const heldOf = (turn: string) => `${prefix}budget:{${turn}}:held`
  return {
    read: (turn, key) =>
      Effect.map(withTimeout(read(hashOf(turn), key)), ([now, state, result]) => ({
        account: state === null ? undefined : { state: state.slice(1), result: result ?? undefined },
        now: Number(now)
      })),
    swap: (turn, key, before, { isOpen, result, state }) => {
      const after = `${isOpen ? "+" : "-"}${state}`
      return Effect.map(
        withTimeout(swap(hashOf(turn), heldOf(turn), key, before ?? "", after, result ?? "", millis, heldResults)),
        (now) => (now === null ? undefined : { now: Number(now) })
      )
    },
    progress: (turn, key) => withTimeout(Effect.asVoid(progress(hashOf(turn), heldOf(turn), key))),
    end: (turn) => withTimeout(Effect.asVoid(redis.send("DEL", hashOf(turn), heldOf(turn))))
  }
}
