/** Finds and removes the Redis keys of a suite, which have a common prefix, since the server may also contain other keys. */
import * as RedisNode from "#layers/RedisNode"
import { Effect, Redacted } from "effect"
import { Redis } from "effect/persistence"

export const redisAt = (url: string) => RedisNode.layer({ url: Redacted.make(url) })

/** Finds the keys with a prefix. */
export const redisKeys = (prefix: string): Effect.Effect<ReadonlyArray<string>, Redis.RedisError, Redis.Redis> =>
  Effect.gen(function* () {
    const { send } = yield* Redis.Redis
    const keys = new Set<string>()
    let cursor = "0"
    do {
      // SCAN, since KEYS would block all other clients of the server
      const page = yield* send<readonly [string, ReadonlyArray<string>]>("SCAN", cursor, "MATCH", `${prefix}*`)
      for (const key of page[1]) keys.add(key)
      cursor = page[0]
    } while (cursor !== "0")
    return [...keys]
  })

/** Removes the keys with a prefix. */
export const clearRedis = (url: string, prefix: string): Effect.Effect<void> =>
  Effect.flatMap(redisKeys(prefix), (keys) =>
    keys.length === 0 ? Effect.void : Effect.flatMap(Redis.Redis, ({ send }) => Effect.asVoid(send("DEL", ...keys)))
  ).pipe(Effect.provide(redisAt(url)), Effect.orDie)
