/**
 * The databases of the benchmarks: a SQLite file, and the servers that `TOOLGUARD_POSTGRES_URL` and `TOOLGUARD_REDIS_URL`
 * name.
 */
import * as Postgres from "#layers/Postgres"
import * as SqliteNode from "#layers/SqliteNode"
import { Effect, type Layer, Redacted } from "effect"
import type { Redis } from "effect/persistence"
import { SqlClient } from "effect/sql"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { clearRedis, redisAt } from "../support/redisKeys.ts"

/** A database that only the benchmark uses. `remove` deletes its contents. */
export interface Database<Client> {
  readonly layer: Layer.Layer<Client, unknown>
  readonly remove: () => Promise<void>
}

/** Creates a SQLite file in a temporary folder. */
export const sqlite = (): Database<SqlClient.SqlClient> => {
  const folder = mkdtempSync(join(tmpdir(), "toolguard-bench-"))
  return {
    layer: SqliteNode.layer({ filename: join(folder, "stores.db") }),
    remove: async () => rmSync(folder, { recursive: true, force: true })
  }
}

/** Creates a schema on the PostgreSQL server. Returns undefined if no server is named. */
export const postgres = async (name = ""): Promise<Database<SqlClient.SqlClient> | undefined> => {
  const schema = `toolguard_bench_${process.pid}${name}`
  const named = process.env["TOOLGUARD_POSTGRES_URL"]
  if (named === undefined) return undefined
  const run = (statement: string) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(
      Effect.provide(Postgres.layer({ url: Redacted.make(named) })),
      Effect.asVoid,
      Effect.runPromise
    )
  await run(`CREATE SCHEMA ${schema}`)
  const url = new URL(named)
  url.searchParams.set("options", `-csearch_path=${schema}`)
  return {
    layer: Postgres.layer({ url: Redacted.make(url.href) }),
    remove: () => run(`DROP SCHEMA ${schema} CASCADE`)
  }
}

/** The prefix of the benchmark's keys in Redis. */
export const prefix = `toolguard-bench-${process.pid}:`

/** Uses the Redis server under `prefix`. Returns undefined if no server is named. */
export const redis = async (): Promise<Database<Redis.Redis> | undefined> => {
  const named = process.env["TOOLGUARD_REDIS_URL"]
  if (named === undefined) return undefined
  return { layer: redisAt(named), remove: () => Effect.runPromise(clearRedis(named, prefix)) }
}
