/**
 * Idempotency keys in Redis: one hash for each key, and one script for each step, so that exactly one process wins.
 *
 * **Gotchas**
 *
 * - Redis must be durable: `appendonly yes` with `appendfsync always`, and no eviction (`noeviction`). If a key is lost, its action
 *   may run again. A failover can lose keys too, because replication is asynchronous.
 * - An approval is used up before the claim, in a separate write.
 * - Claims lapse by the clocks of the processes: keep the clocks synchronized.
 */
import { IdempotencyKeys, type KeyClaim } from "#services/IdempotencyKeys"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redis from "effect/persistence/Redis"
import * as Schedule from "effect/Schedule"
import {
  endTime,
  idempotencyKeys,
  type KeyStore,
  ownerOf,
  remote,
  type Stored,
  type StoredClaim
} from "#layers/internal/stores/KeyStore"
import * as RandomId from "#layers/internal/stores/RandomId"

export interface IdempotencyKeysRedisOptions {
  /** The prefix of every key. Default `toolguard:`. */
  readonly prefix?: string
}

/** Provides idempotency keys in the Redis of the context. */
export const layerWith = (options: IdempotencyKeysRedisOptions): Layer.Layer<IdempotencyKeys, never, Redis.Redis> =>
  Layer.effect(
    IdempotencyKeys,
    Effect.map(Redis.Redis, (redis) =>
      idempotencyKeys(remote(makeStore(redis, options.prefix ?? "toolguard:")), RandomId.make)
    )
  )

/** Idempotency keys in the Redis of the context, with the default prefix. */
export const layer: Layer.Layer<IdempotencyKeys, never, Redis.Redis> = layerWith({})

/** Retries while the client reconnects. */
const again = Schedule.exponential("50 millis").pipe(Schedule.upTo({ times: 3 }))

/** The Lua function `known`, shared by the scripts: returns the state of a key at a time. */
const known = `
local function known(key, binding, call, resumed, now)
  local row = redis.call("HMGET", key, "binding", "call", "lease", "outcome", "expires")
  if not row[1] then return {"Free"} end
  if row[4] and tonumber(row[5]) <= now then return {"Free"} end
  if row[1] ~= binding then return {"Conflict"} end
  if row[4] then return {"Done", row[4], row[2]} end
  if tonumber(row[3]) <= now or (resumed == "1" and row[2] == call) then return {"Lapsed", row[3]} end
  return {"InFlight"}
end`

type Reply =
  | readonly ["Free" | "Conflict" | "InFlight"]
  | readonly ["Done", outcome: string, callId: string]
  | readonly ["Lapsed", until: string]
  | readonly ["Claimed"]

const findScript = Redis.script(
  (key: string, binding: string, call: string, resumed: string, now: number) => [key, binding, call, resumed, now],
  {
    numberOfKeys: 1,
    lua: `${known}
return known(KEYS[1], ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]))`
  }
).withReturnType<Reply>()

/** Claims a key. An owner that repeats a claim because the answer was lost gets the same answer. */
const claimScript = Redis.script(
  (key: string, binding: string, call: string, resumed: string, now: number, owner: string, lease: number) => [
    key,
    binding,
    call,
    resumed,
    now,
    owner,
    lease
  ],
  {
    numberOfKeys: 1,
    lua: `${known}
local mine = redis.call("HMGET", KEYS[1], "owner", "lapsed")
local found = known(KEYS[1], ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]))
if mine[1] == ARGV[5] then found = mine[2] and {"Lapsed", mine[2]} or {"Free"} end
if found[1] ~= "Free" and found[1] ~= "Lapsed" then return found end
redis.call("DEL", KEYS[1])
redis.call("HSET", KEYS[1], "binding", ARGV[1], "call", ARGV[2], "owner", ARGV[5], "lease", ARGV[6])
if found[1] == "Free" then return {"Claimed"} end
redis.call("HSET", KEYS[1], "lapsed", found[2])
return found`
  }
).withReturnType<Reply>()

const completeScript = Redis.script(
  (key: string, owner: string, outcome: string, isKept: string, expires: number, ttl: number) => [
    key,
    owner,
    outcome,
    isKept,
    expires,
    ttl
  ],
  {
    numberOfKeys: 1,
    lua: `
local row = redis.call("HMGET", KEYS[1], "owner", "outcome")
if row[1] ~= ARGV[1] or row[2] then return 0 end
if ARGV[3] == "0" then
  redis.call("DEL", KEYS[1])
else
  redis.call("HSET", KEYS[1], "outcome", ARGV[2], "expires", ARGV[4])
  redis.call("PEXPIRE", KEYS[1], ARGV[5])
end
return 1`
  }
).withReturnType<0 | 1>()

const releaseScript = Redis.script((key: string, outcome: string) => [key, outcome], {
  numberOfKeys: 1,
  lua: `
if redis.call("HGET", KEYS[1], "outcome") ~= ARGV[1] then return 0 end
return redis.call("DEL", KEYS[1])`
}).withReturnType<0 | 1>()

const makeStore = (redis: Redis.Redis["Service"], prefix: string): KeyStore<Redis.RedisError> => {
  const [find, claim, complete] = [redis.eval(findScript), redis.eval(claimScript), redis.eval(completeScript)]
  const release = redis.eval(releaseScript)
  const nameOf = (claim: KeyClaim) => `${prefix}key:${JSON.stringify([ownerOf(claim), claim.key])}`
  const argumentsOf = (request: KeyClaim, now: number) =>
    [nameOf(request), request.binding, request.callId, request.isResumed ? "1" : "0", now] as const
  const findNow = (request: KeyClaim) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.map(find(...argumentsOf(request, now)), stored))
  const claimNow = (request: KeyClaim, owner: string): Effect.Effect<StoredClaim, Redis.RedisError> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.map(claim(...argumentsOf(request, now), owner, endTime(now, request.lease)), (reply): StoredClaim => {
        const answer = stored(reply)
        if (answer === undefined) return { _tag: "Claimed", lapsed: undefined }
        return answer._tag === "Lapsed" ? { _tag: "Claimed", lapsed: { until: answer.until } } : answer
      })
    ).pipe(Effect.retry(again))
  return {
    find: findNow,
    claim: (request, owner, consume) =>
      consume === undefined
        ? claimNow(request, owner)
        : Effect.flatMap(findNow(request), (answer): Effect.Effect<StoredClaim, Redis.RedisError> => {
            if (answer !== undefined && answer._tag !== "Lapsed") return Effect.succeed(answer)
            return Effect.flatMap(consume, (isApproved) =>
              isApproved ? claimNow(request, owner) : Effect.succeed({ _tag: "NotApproved" })
            )
          }),
    complete: (request, owner, outcome, isKept) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const expires = endTime(now, request.timeToLive)
        return Effect.map(
          complete(nameOf(request), owner, outcome, isKept ? "1" : "0", expires, Math.max(1, expires - now)),
          (answer) => answer === 1
        )
      }),
    release: (request, outcome) =>
      Effect.map(release(nameOf(request), outcome).pipe(Effect.retry(again)), (answer) => answer === 1)
  }
}

/** Decodes the stored state. Returns undefined if the key was free, or if this step has claimed it. */
const stored = (reply: Reply): Stored | undefined => {
  switch (reply[0]) {
    case "Free":
    case "Claimed":
      return undefined
    case "Done":
      return { _tag: "Done", outcome: reply[1], callId: reply[2] }
    case "Lapsed":
      return { _tag: "Lapsed", until: Number(reply[1]) }
    case "Conflict":
    case "InFlight":
      return { _tag: reply[0] }
  }
}
