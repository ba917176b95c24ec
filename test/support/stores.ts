/** Real databases for contract suites: each use of a layer finds its database empty. */
import * as RedisNode from "#layers/RedisNode"
import * as SqliteNode from "#layers/SqliteNode"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { Effect, Layer, Redacted } from "effect"
import { Redis } from "effect/persistence"
import { SqlClient } from "effect/sql"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A folder of its own, removed when the scope closes. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "toolguard-stores-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** A new SQLite file. */
export const sqliteFile: Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> = Layer.unwrap(
  Effect.map(folder, (path) => SqliteNode.layer({ filename: join(path, "stores.db") }))
)

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

const redisOn = (port: number) => RedisNode.layer({ url: Redacted.make(`redis://127.0.0.1:${port}`) })

/** A layer over Redis, or a proxy of it, whose keys have a prefix of their own. They are removed when it closes. */
export const onRedis = <A, E>(
  make: (prefix: string) => Layer.Layer<A, E, Redis.Redis>,
  port = 6379
): Layer.Layer<A, E | DatabaseUnavailable> =>
  Layer.suspend(() => {
    used += 1
    const prefix = `toolguard-test-${process.pid}-${used}:`
    return make(prefix).pipe(Layer.provide(redisOn(port)), Layer.provide(cleared(prefix)))
  })

const cleared = (prefix: string) => Layer.effectDiscard(Effect.addFinalizer(() => clearRedis(prefix)))

/** Removes the keys with a prefix. */
export const clearRedis = (prefix: string): Effect.Effect<void> =>
  Effect.flatMap(Redis.Redis, (redis) =>
    Effect.flatMap(redis.send<ReadonlyArray<string>>("KEYS", `${prefix}*`), (keys) =>
      keys.length === 0 ? Effect.void : Effect.asVoid(redis.send("DEL", ...keys))
    )
  ).pipe(Effect.provide(redisOn(6379)), Effect.orDie)
