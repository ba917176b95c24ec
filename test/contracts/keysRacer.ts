/**
 * One of the processes that race for a key: `keysRacer.ts STORES`. STORES is a JSON object of files or addresses by name.
 *
 * Prints `ready` when it is connected, and claims the key in every store when it reads from standard input.
 */
import * as IdempotencyKeysRedis from "#layers/IdempotencyKeysRedis"
import * as IdempotencyKeysSql from "#layers/IdempotencyKeysSql"
import * as Postgres from "#layers/Postgres"
import * as RedisNode from "#layers/RedisNode"
import * as SqliteNode from "#layers/SqliteNode"
import { IdempotencyKeys } from "#services/IdempotencyKeys"
import { Duration, Effect, Layer, Redacted } from "effect"
import { once } from "node:events"

const stores = JSON.parse(process.argv[2] ?? "{}") as Readonly<Record<string, string>>

const keysOf = (place: string) => {
  const url = Redacted.make(place)
  if (place.startsWith("postgres:")) {
    return IdempotencyKeysSql.layer.pipe(Layer.provide(Postgres.layer({ url, maxConnections: 1 })))
  }
  return place.startsWith("redis:")
    ? IdempotencyKeysRedis.layerWith({ prefix: place.slice(place.indexOf("#") + 1) }).pipe(
        Layer.provide(RedisNode.layer({ url }))
      )
    : IdempotencyKeysSql.layer.pipe(Layer.provide(SqliteNode.layer({ filename: place, busyTimeout: "30 seconds" })))
}

const claim = (callId: string) =>
  Effect.map(
    Effect.flatMap(IdempotencyKeys, (keys) =>
      keys.claim({
        tenant: "tenant",
        key: "raced",
        binding: "write_it",
        timeToLive: Duration.hours(1),
        lease: Duration.minutes(1),
        callId,
        isResumed: false
      })
    ),
    ({ _tag }) => _tag
  )

const run = Effect.gen(function* () {
  const all = yield* Effect.forEach(Object.entries(stores), ([name, place]) =>
    Effect.map(Layer.build(keysOf(place)), (context) => ({ name, context }))
  )
  process.stdout.write("ready\n")
  yield* Effect.promise(() => once(process.stdin, "data"))
  process.stdin.unref()
  const claims = yield* Effect.forEach(
    all,
    ({ context, name }) =>
      Effect.map(Effect.provide(claim(String(process.pid)), context), (tag) => [name, tag] as const),
    { concurrency: "unbounded" }
  )
  process.stdout.write(JSON.stringify(Object.fromEntries(claims)))
})

await Effect.runPromise(Effect.scoped(run))
