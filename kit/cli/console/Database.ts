/** Opens the database of the guard's stores, by a file's name or a PostgreSQL address. */
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

/** What the flag names, or the environment. */
const named = (given: Option.Option<string>): Effect.Effect<string, Problem> =>
  Option.isSome(given)
    ? Effect.succeed(given.value)
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
  mayMake: boolean
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable | Problem> => {
  if (isPostgres(database)) return Postgres.layer({ url: Redacted.make(database), maxConnections: 4 })
  const isThere = existsSync(database)
  if (!isThere && !mayMake) return absent(`There is no file ${database}.`)
  return isThere && !statSync(database).isFile()
    ? absent(`${database} is no file.`)
    : SqliteNode.layer({ filename: database })
}

const absent = (what: string) => Layer.effect(SqlClient.SqlClient, Effect.fail(problem(what, howTo)))

/** A database of something else is left as it is. */
const known = (table: string, what: string) =>
  Layer.effectDiscard(
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.mapError(sql`SELECT 1 FROM ${sql(table)} LIMIT 1`, () =>
        problem(`This database holds no ${what}.`, `Its tables are made when a guard opens it first. ${howTo}`)
      )
    )
  )

interface Store<Self, Shape> {
  readonly service: Context.Key<Self, Shape>
  readonly layer: Layer.Layer<Self, DatabaseUnavailable, SqlClient.SqlClient>
  /** A table that every such store has, and what is in it. */
  readonly table: string
  readonly what: string
}

/** A store of a database. `mayMake`: whether a file, or its tables, are made where they are missing. */
export const open = <Self, Shape>(
  { layer, service, table, what }: Store<Self, Shape>,
  given: Option.Option<string>,
  mayMake = false
): Layer.Layer<Self, Problem> =>
  Layer.unwrap(
    Effect.map(named(given), (database) =>
      layer.pipe(
        Layer.provide(mayMake ? Layer.empty : known(table, what)),
        Layer.provide(clientOf(database, mayMake)),
        Layer.catchTag("DatabaseUnavailable", ({ place, remedy }) =>
          Layer.effect(service, Effect.fail(problem(`Cannot use ${place}.`, remedy)))
        )
      )
    )
  )

/** Every store of the guard in one database: a file, and its tables, are made where they are missing. */
export const stores = (given: Option.Option<string>): Layer.Layer<StoresSql.Stores, Problem> =>
  Layer.unwrap(
    Effect.map(named(given), (database) =>
      StoresSql.layer.pipe(
        Layer.provide(clientOf(database, true)),
        Layer.catchTag("DatabaseUnavailable", ({ place, remedy }) =>
          Layer.effectContext(Effect.fail(problem(`Cannot use ${place}.`, remedy)))
        )
      )
    )
  )
