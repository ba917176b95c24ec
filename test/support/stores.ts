/** Databases on servers for contract suites. Each use of a layer starts without stored data. */
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { Effect, Layer } from "effect"
import type { Redis } from "effect/persistence"
import { SqlClient } from "effect/sql"
import { clearRedis, redisAt } from "./redisKeys.ts"
import { redis } from "./servers.ts"

/** Removes all tables from a PostgreSQL database before it is used. */
export const emptied = (
  database: Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable>
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> =>
  Layer.effectDiscard(
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.orDie(sql`DROP SCHEMA public CASCADE`.pipe(Effect.andThen(sql`CREATE SCHEMA public`)))
    )
  ).pipe(Layer.provideMerge(database))

let used = 0

/** Builds a layer on Redis, or on a proxy of Redis, with a unique prefix of keys. Closing the layer removes its keys. */
export const onRedis = <A, E>(
  make: (prefix: string) => Layer.Layer<A, E, Redis.Redis>,
  url = redis.url
): Layer.Layer<A, E | DatabaseUnavailable> =>
  Layer.suspend(() => {
    used += 1
    const prefix = `toolguard-test-${process.pid}-${used}:`
    return make(prefix).pipe(Layer.provide(redisAt(url)), Layer.provide(cleared(prefix)))
  })

const cleared = (prefix: string) => Layer.effectDiscard(Effect.addFinalizer(() => clearRedis(redis.url, prefix)))
