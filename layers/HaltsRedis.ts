/**
 * Halts in Redis: a hash of the halts in force, and a list of the last 100 orders.
 *
 * **Gotchas**
 *
 * A Redis that evicts keys (`maxmemory-policy` other than `noeviction`) loses halts.
 */
import type { HaltEntry, HaltOrder } from "#domain/tool/Halt"
import { DatabasePlace, databaseUnavailable } from "#services/DatabaseUnavailable"
import { Halts, HaltsUnavailable } from "#services/Halts"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redis from "effect/persistence/Redis"
import * as Schema from "effect/Schema"
import { remedyOf } from "#layers/internal/redis/Remedy"
import * as CachedHalts from "#layers/internal/stores/CachedHalts"
import * as Timeout from "#layers/internal/stores/Timeout"

export interface HaltsRedisOptions {
  /** The prefix of every key. Default `toolguard:`. */
  readonly prefix?: string
}

/** Halts in the Redis of the context. */
export const layerWith = ({ prefix = "toolguard:" }: HaltsRedisOptions): Layer.Layer<Halts, never, Redis.Redis> =>
  Layer.effect(
    Halts,
    Effect.gen(function* () {
      return yield* CachedHalts.make(makeStore(yield* Redis.Redis, yield* DatabasePlace, prefix))
    })
  )

/** Halts in the Redis of the context, with the default prefix. */
export const layer: Layer.Layer<Halts, never, Redis.Redis> = layerWith({})

/**
 * Adds an order to the list, changes the hash, and returns the former halt. An order to resume a tool that is not
 * halted has no effect.
 */
const orderScript = Redis.script((hash: string, log: string, ...args: ReadonlyArray<string>) => [hash, log, ...args], {
  numberOfKeys: 2,
  lua: `
local tool, action, entry = unpack(ARGV)
local before = redis.call("HGET", KEYS[1], tool)
if action == "halted" then
  redis.call("HSET", KEYS[1], tool, entry)
else
  if not before then return false end
  redis.call("HDEL", KEYS[1], tool)
end
redis.call("LPUSH", KEYS[2], entry)
redis.call("LTRIM", KEYS[2], 0, 99)
return before`
}).withReturnType<string | null>()

const Entry = Schema.fromJsonString(
  Schema.Struct({
    tool: Schema.String,
    action: Schema.Literals(["halted", "resumed"]),
    by: Schema.String,
    reason: Schema.String,
    at: Schema.Finite
  })
)
const decode = Schema.decodeUnknownSync(Entry)

const timeout = Duration.seconds(5)

const makeStore = (redis: Redis.Redis["Service"], place: string, prefix: string): CachedHalts.HaltStore => {
  const order = redis.eval(orderScript)
  // the braces keep both keys on one node of a cluster
  const [hash, log] = [`${prefix}halts:{all}`, `${prefix}halts:{all}:log`]
  const asked = <A, B>(step: Effect.Effect<A, Redis.RedisError>, read: (answer: A) => B) =>
    Timeout.within(step, timeout).pipe(
      Effect.flatMap((answer) => Effect.try(() => read(answer))),
      Effect.mapError((cause) => new HaltsUnavailable({ cause: databaseUnavailable(place, remedyOf(cause), cause) }))
    )
  const add = (action: HaltEntry["action"], { by, reason, tool }: HaltOrder) =>
    Effect.flatMap(Clock.currentTimeMillis, (at) => {
      const entry: HaltEntry = { tool, action, by, reason, at }
      return asked(order(hash, log, tool, action, JSON.stringify(entry)), (before) => ({
        entry,
        before: before === null ? undefined : decode(before)
      }))
    })
  return {
    read: asked(redis.send<ReadonlyArray<string>>("HVALS", hash), (all) => all.map((entry) => decode(entry))),
    halt: (halt) => Effect.map(add("halted", halt), ({ entry }) => entry),
    resume: (resumption) => Effect.map(add("resumed", resumption), ({ before }) => before),
    history: asked(redis.send<ReadonlyArray<string>>("LRANGE", log, "0", "99"), (all) =>
      all.map((entry) => decode(entry))
    )
  }
}
