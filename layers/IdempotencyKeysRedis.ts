/**
 * Keeps idempotency keys in Redis: one hash for each key, and one script for each step, so that exactly one process
 * wins.
 *
 * **Gotchas**
 *
 * - Redis must be durable: `appendonly yes` with `appendfsync always`, and no eviction (`noeviction`). If a key is
 *   lost, its action may run again. A failover can lose keys too, because replication is asynchronous.
 * - An approval is consumed before the claim, in a separate write.
 * - The clock of Redis decides which claims have lapsed and which outcomes have expired.
 */
import { AtRest } from "#services/AtRest"
import { IdempotencyKeys, type KeyClaim } from "#services/IdempotencyKeys"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redis from "effect/persistence/Redis"
import * as Schedule from "effect/Schedule"
import {
  bindingOf,
  idempotencyKeys,
  type KeyStore,
  ownerOf,
  remote,
  type StoredState,
  type StoredClaim
} from "#layers/internal/stores/KeyStore"
import * as Retries from "#layers/internal/stores/Retries"
import { unguessableId } from "#services/Unguessable"

export interface IdempotencyKeysRedisOptions {
  /** The prefix of every key. Default `toolguard:`. */
  readonly prefix?: string
}

/** Provides idempotency keys in the Redis of the context. */
export const layerWith = (options: IdempotencyKeysRedisOptions): Layer.Layer<IdempotencyKeys, never, Redis.Redis> =>
  Layer.effect(
    IdempotencyKeys,
    Effect.gen(function* () {
      const store = makeStore(yield* Redis.Redis, options.prefix ?? "toolguard:")
      return idempotencyKeys(remote(store, yield* AtRest), unguessableId)
    })
  )

/** Provides idempotency keys in the Redis of the context, with the default prefix. */
export const layer: Layer.Layer<IdempotencyKeys, never, Redis.Redis> = layerWith({})

const retrySchedule = Schedule.exponential("50 millis").pipe(Schedule.upTo({ times: 3 }))

/** Retries while the client reconnects. */
const retried = <A>(step: Effect.Effect<A, Redis.RedisError>) => Retries.retry(step, retrySchedule)

/** The longest expiry that Redis accepts at any current time, in milliseconds: about 100,000 years. */
const longestExpiry = 3_000_000_000_000_000

/**
 * The Lua functions of the scripts: `time` returns Redis' time in epoch milliseconds, and `after` a later time. Times
 * are written without an exponent.
 */
const times = `
local function time()
  local now = redis.call("TIME")
  return tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000)
end
local function after(now, millis)
  return string.format("%.0f", math.min(${Number.MAX_SAFE_INTEGER}, now + tonumber(millis)))
end`

/** More Lua functions: `known` returns the state of a key, and `remaining` how long a lease still runs. */
const functions = `${times}
local function known(row, binding, call, resumed, now)
  if not row[1] then return {"Free"} end
  if row[4] and tonumber(row[5]) <= now then return {"Free"} end
  if row[1] ~= binding then return {"Conflict"} end
  if row[4] then return {"Done", row[4], row[2]} end
  if tonumber(row[3]) <= now or (resumed == "1" and row[2] == call) then return {"Lapsed", row[3]} end
  return {"InFlight"}
end
local function remaining(lease, now)
  return string.format("%.0f", math.max(0, tonumber(lease) - now))
end`

type Reply =
  | readonly ["Free" | "Conflict" | "InFlight"]
  | readonly ["Done", outcome: string, callId: string]
  | readonly ["Lapsed", remainingMillis: string]
  | readonly ["Claimed", fencingToken: string]
  | readonly ["TakenOver", fencingToken: string, remainingMillis: string]

const findScript = Redis.script(
  (key: string, binding: string, call: string, resumed: string) => [key, binding, call, resumed],
  {
    numberOfKeys: 1,
    lua: `${functions}
local now = time()
local row = redis.call("HMGET", KEYS[1], "binding", "call", "lease", "outcome", "expires")
local found = known(row, ARGV[1], ARGV[2], ARGV[3], now)
if found[1] == "Lapsed" then return {"Lapsed", remaining(found[2], now)} end
return found`
  }
).withReturnType<Reply>()

/** Claims a key. An owner that repeats a claim because the answer was lost gets the same answer. */
const claimScript = Redis.script(
  (key: string, binding: string, call: string, resumed: string, owner: string, lease: number) => [
    key,
    binding,
    call,
    resumed,
    owner,
    lease
  ],
  {
    numberOfKeys: 1,
    lua: `${functions}
local now = time()
local row = redis.call("HMGET", KEYS[1], "binding", "call", "lease", "outcome", "expires", "owner", "lapsed", "fence")
local found = known(row, ARGV[1], ARGV[2], ARGV[3], now)
local fence = string.format("%.0f", math.max(tonumber(row[8] or "0") + 1, now))
if row[6] == ARGV[4] then
  found = row[7] and {"Lapsed", row[7]} or {"Free"}
  fence = row[8]
end
if found[1] ~= "Free" and found[1] ~= "Lapsed" then return found end
if row[1] then redis.call("DEL", KEYS[1]) end
redis.call("HSET", KEYS[1], "binding", ARGV[1], "call", ARGV[2], "owner", ARGV[4], "lease", after(now, ARGV[5]),
  "fence", fence)
if found[1] == "Free" then return {"Claimed", fence} end
redis.call("HSET", KEYS[1], "lapsed", found[2])
return {"TakenOver", fence, remaining(found[2], now)}`
  }
).withReturnType<Reply>()

const renewScript = Redis.script((key: string, owner: string, lease: number) => [key, owner, lease], {
  numberOfKeys: 1,
  lua: `${times}
local row = redis.call("HMGET", KEYS[1], "owner", "outcome")
if row[1] ~= ARGV[1] or row[2] then return 0 end
redis.call("HSET", KEYS[1], "lease", after(time(), ARGV[2]))
return 1`
}).withReturnType<0 | 1>()

/**
 * Completes a claim. The same outcome can be stored again, because the answer to the first attempt may have been lost.
 */
const completeScript = Redis.script(
  (key: string, owner: string, outcome: string, isKept: string, timeToLive: number) => [
    key,
    owner,
    outcome,
    isKept,
    timeToLive
  ],
  {
    numberOfKeys: 1,
    lua: `${times}
local row = redis.call("HMGET", KEYS[1], "owner", "outcome")
if row[1] ~= ARGV[1] or (row[2] and (ARGV[3] == "0" or row[2] ~= ARGV[2])) then return 0 end
if ARGV[3] == "0" then
  redis.call("DEL", KEYS[1])
else
  redis.call("HSET", KEYS[1], "outcome", ARGV[2], "expires", after(time(), ARGV[4]))
  redis.call("PEXPIRE", KEYS[1], string.format("%.0f", math.max(1, math.min(${longestExpiry}, tonumber(ARGV[4])))))
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
  const [find, claim, renew] = [redis.eval(findScript), redis.eval(claimScript), redis.eval(renewScript)]
  const [complete, release] = [redis.eval(completeScript), redis.eval(releaseScript)]
  const nameOf = (claim: KeyClaim) => `${prefix}key:${JSON.stringify([ownerOf(claim), claim.key])}`
  const argumentsOf = (request: KeyClaim) =>
    [nameOf(request), bindingOf(request), request.callId, request.isResumed ? "1" : "0"] as const
  const findNow = (request: KeyClaim) => Effect.map(find(...argumentsOf(request)), stored)
  const claimNow = (request: KeyClaim, owner: string): Effect.Effect<StoredClaim, Redis.RedisError> =>
    Effect.map(retried(claim(...argumentsOf(request), owner, wholeMillis(request.lease))), (reply): StoredClaim => {
      switch (reply[0]) {
        case "Claimed":
          return { _tag: "Claimed", fencingToken: Number(reply[1]), lapsed: undefined }
        case "TakenOver":
          return {
            _tag: "Claimed",
            fencingToken: Number(reply[1]),
            lapsed: { remainingMillis: Number(reply[2]) }
          }
        case "Done":
          return done(reply)
        // the script claims a free or lapsed key
        default:
          return { _tag: reply[0] === "Conflict" ? "Conflict" : "InFlight" }
      }
    })
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
    renew: (request, owner) =>
      Effect.map(retried(renew(nameOf(request), owner, wholeMillis(request.lease))), (answer) => answer === 1),
    complete: (request, owner, outcome, isKept) =>
      Effect.map(
        complete(nameOf(request), owner, outcome, isKept ? "1" : "0", wholeMillis(request.timeToLive)),
        (answer) => answer === 1
      ),
    release: (request, outcome) => Effect.map(retried(release(nameOf(request), outcome)), (answer) => answer === 1)
  }
}

/** Returns a duration in whole milliseconds; an infinite duration as the largest safe integer. */
const wholeMillis = (time: Duration.Duration): number =>
  Math.min(Number.MAX_SAFE_INTEGER, Math.ceil(Duration.toMillis(time)))

const done = ([, outcome, callId]: Extract<Reply, { readonly 0: "Done" }>) =>
  ({ _tag: "Done", outcome, callId }) as const

/** Decodes the stored state. Returns undefined if the key is free. */
const stored = (reply: Reply): StoredState | undefined => {
  switch (reply[0]) {
    case "Done":
      return done(reply)
    case "Lapsed":
      return { _tag: "Lapsed", remainingMillis: Number(reply[1]) }
    case "Conflict":
    case "InFlight":
      return { _tag: reply[0] }
    default:
      return undefined
  }
}
