/** Where the stores of the bench are: this process, a SQLite file, and the servers of this machine that answer. */
import * as Postgres from "#layers/Postgres"
import * as RedisNode from "#layers/RedisNode"
import * as SqliteNode from "#layers/SqliteNode"
import { Effect, type Layer, Redacted } from "effect"
import type { Redis } from "effect/persistence"
import { SqlClient } from "effect/sql"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { clearRedis } from "../support/stores.ts"

/** A database for the bench alone, and how to remove what was left in it. */
export interface Place<Client> {
  readonly layer: Layer.Layer<Client, unknown>
  readonly remove: () => Promise<void>
}

export const sqlite = (): Place<SqlClient.SqlClient> => {
  const folder = mkdtempSync(join(tmpdir(), "toolguard-bench-"))
  return {
    layer: SqliteNode.layer({ filename: join(folder, "stores.db") }),
    remove: async () => rmSync(folder, { recursive: true, force: true })
  }
}

/** Undefined where no server answers. */
export const postgres = async (name = ""): Promise<Place<SqlClient.SqlClient> | undefined> => {
  const schema = `toolguard_bench_${process.pid}${name}`
  const base = "postgres://postgres@127.0.0.1:5432/test"
  const run = (statement: string) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(
      Effect.provide(Postgres.layer({ url: Redacted.make(base) }))
    )
  const isThere = await Effect.runPromise(Effect.isSuccess(run(`CREATE SCHEMA ${schema}`)))
  return isThere
    ? {
        layer: Postgres.layer({ url: Redacted.make(`${base}?options=-csearch_path%3D${schema}`) }),
        remove: () => Effect.runPromise(Effect.asVoid(run(`DROP SCHEMA ${schema} CASCADE`)))
      }
    : undefined
}

export const prefix = `toolguard-bench-${process.pid}:`

/** Undefined where no server answers. */
export const redis = async (): Promise<Place<Redis.Redis> | undefined> => {
  const layer = RedisNode.layer({ url: Redacted.make("redis://127.0.0.1:6379") })
  const isThere = await Effect.runPromise(Effect.isSuccess(Effect.scoped(Effect.provide(Effect.void, layer))))
  return isThere ? { layer, remove: () => Effect.runPromise(clearRedis(prefix)) } : undefined
}
