/** Databases on servers for contract suites: each use of a layer finds its database empty. */
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { Effect, Layer } from "effect"
import type { Redis } from "effect/persistence"
import { SqlClient } from "effect/sql"
import { clearRedis, redisAt } from "./redisKeys.ts"
import { redis } from "./servers.ts"

/** A PostgreSQL database of a suite, emptied. */
export const emptied = (
  database: Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable>
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> =>
  Layer.effectDiscard(
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.orDie(sql`DROP SCHEMA public CASCADE`.pipe(Effect.andThen(sql`CREATE SCHEMA public`)))
    )
  ).pipe(Layer.provideMerge(database))

let used = 0

/** A layer over Redis, or over a proxy of it, whose keys have a unique prefix. They are removed when it closes. */
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
