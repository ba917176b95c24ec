/** Starts runners and clients of durable runs on SQLite and PostgreSQL. */
import * as DurablePostgres from "#layers/DurablePostgres"
import * as DurableSqlite from "#layers/DurableSqlite"
import * as Postgres from "#layers/Postgres"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { type Agent, needsOf, type World } from "./runsWorld.ts"

const interval = "50 millis"

export interface Engines {
  readonly runner: (database: string) => Layer.Layer<any, any>
  readonly client: (database: string) => Layer.Layer<any, any>
}

export const sqliteEngines: Engines = {
  runner: (filename) => DurableSqlite.layer({ filename, interval }),
  client: (filename) => DurableSqlite.client({ filename, interval })
}

export const postgresEngines: Engines = {
  runner: (url) =>
    DurablePostgres.layer({ host: "127.0.0.1", port: 0, interval }).pipe(
      Layer.provideMerge(Postgres.layer({ url: Redacted.make(url) }))
    ),
  client: (url) =>
    DurablePostgres.client({ interval }).pipe(Layer.provideMerge(Postgres.layer({ url: Redacted.make(url) })))
}

/** Runs an effect with a client of the database. */
export const asClient =
  ({ client }: Engines, database: string, atRest: Layer.Layer<never> = Layer.empty) =>
  <A>(use: Effect.Effect<A, any, any>): Effect.Effect<A, any> =>
    Effect.provide(use, Layer.fresh(client(database)).pipe(Layer.provide(atRest))) as Effect.Effect<A, any>

/** Starts a runner of the agent, which runs until the scope closes. */
export const running = (
  agent: Agent,
  seen: World,
  { runner }: Engines,
  database: string,
  provided: Layer.Layer<never> = Layer.empty
) =>
  Layer.build(
    Layer.fresh(agent.layer.pipe(Layer.provide(needsOf(seen)), Layer.provideMerge(runner(database)))).pipe(
      Layer.provide(provided)
    )
  )

/** Counts the rows of a table. */
export const count = (table: string, where = "1 = 1") =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<{ readonly total: unknown }>(`SELECT COUNT(*) AS total FROM ${table} WHERE ${where}`),
      (rows) => Number(rows[0]?.total)
    )
  )
