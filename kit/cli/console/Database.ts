/** Opens the database of the guard's stores: an SQLite file, or PostgreSQL by its URL. */
import * as Postgres from "effect-toolguard/layers/Postgres"
import * as SqliteNode from "effect-toolguard/layers/SqliteNode"
import * as StoresSql from "effect-toolguard/layers/StoresSql"
import type { DatabaseUnavailable } from "effect-toolguard/services/DatabaseUnavailable"
import * as Config from "effect/Config"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { existsSync, statSync } from "node:fs"
import { misuse, type Problem, problem } from "./Problem.ts"

const variable = "TOOLGUARD_DATABASE"
const howTo = `Name the database of the guard's stores: --database FILE, --database postgres://user@host/name, or ${variable}.`

/** Returns the database that the flag names, or without the flag the one that the environment names. */
const databaseOf = (flag: Option.Option<string>): Effect.Effect<string, Problem> =>
  Option.isSome(flag)
    ? Effect.succeed(flag.value)
    : Effect.flatMap(
        Effect.orElseSucceed(Config.option(Config.String(variable)), () => Option.none<string>()),
        Option.match({
          onNone: () => Effect.fail(misuse("No database is named.", howTo)),
          onSome: Effect.succeed
        })
      )

const isPostgres = (database: string): boolean => /^postgres(?:ql)?:\/\//u.test(database)

const clientOf = (
  database: string,
  mayCreate: boolean
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable | Problem> => {
  if (isPostgres(database)) return Postgres.layer({ url: Redacted.make(database), maxConnections: 4 })
  const exists = existsSync(database)
  if (!exists && !mayCreate) return unusable(`There is no file ${database}.`)
  return exists && !statSync(database).isFile()
    ? unusable(`${database} is not a file.`)
    : SqliteNode.layer({ filename: database })
}

const unusable = (message: string) => Layer.effect(SqlClient.SqlClient, Effect.fail(problem(message, howTo)))

/** Fails if the database lacks the table, so that a foreign database is not changed. */
const requireTable = (table: string, contents: string) =>
  Layer.effectDiscard(
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.mapError(sql`SELECT 1 FROM ${sql(table)} LIMIT 1`, () =>
        problem(
          `This database has no ${contents}.`,
          `A guard creates the tables when it first opens a database. ${howTo}`
        )
      )
    )
  )

interface Store<Self, Shape> {
  readonly service: Context.Key<Self, Shape>
  readonly layer: Layer.Layer<Self, DatabaseUnavailable, SqlClient.SqlClient>
  /** The name of a table of the store. */
  readonly table: string
  /** What the store contains, for messages. */
  readonly contents: string
}

/** Opens a store of a database. If `mayCreate`, creates the file and the tables if they do not exist. */
export const open = <Self, Shape>(
  { contents, layer, service, table }: Store<Self, Shape>,
  flag: Option.Option<string>,
  mayCreate = false
): Layer.Layer<Self, Problem> =>
  Layer.unwrap(
    Effect.map(databaseOf(flag), (database) =>
      layer.pipe(
        Layer.provide(mayCreate ? Layer.empty : requireTable(table, contents)),
        Layer.provide(clientOf(database, mayCreate)),
        Layer.catchTag("DatabaseUnavailable", ({ place, remedy }) =>
          Layer.effect(service, Effect.fail(problem(`Cannot use ${place}.`, remedy)))
        )
      )
    )
  )

/** Opens every store of the guard in one database. Creates the file and the tables if they do not exist. */
export const stores = (flag: Option.Option<string>): Layer.Layer<StoresSql.Stores, Problem> =>
  Layer.unwrap(
    Effect.map(databaseOf(flag), (database) =>
      StoresSql.layer.pipe(
        Layer.provide(clientOf(database, true)),
        Layer.catchTag("DatabaseUnavailable", ({ place, remedy }) =>
          Layer.effectContext(Effect.fail(problem(`Cannot use ${place}.`, remedy)))
        )
      )
    )
  )
