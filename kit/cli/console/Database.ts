/**
 * Opens the database of the guard's stores: a SQLite file, or PostgreSQL by its URL. The layers are loaded when they are
 * needed, because a command uses one kind of database, and most commands use one store.
 */
import type { Stores } from "effect-toolguard/layers/StoresSql"
import { AtRestUnreadable } from "effect-toolguard/services/AtRest"
import type { DatabaseUnavailable } from "effect-toolguard/services/DatabaseUnavailable"
import * as Config from "effect/Config"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { existsSync, statSync } from "node:fs"
import { atRest } from "./AtRest.ts"
import { missingFile, misuse, type Problem, problem } from "./Problem.ts"

const variable = "TOOLGUARD_DATABASE"
const howTo = `Name the database of the guard's stores: --database FILE, --database postgres://user@host/name, or ${variable}.`

/** Returns the database named by the flag or, without the flag, by the environment. */
const databaseOf = (flag: Option.Option<string>): Effect.Effect<string, Problem> =>
  Option.isSome(flag)
    ? hasPassword(flag.value)
      ? misuse(
          "--database contains a password, which other programs can read on the command line.",
          `Set ${variable} to the address, and remove --database.`
        )
      : Effect.succeed(flag.value)
    : Effect.flatMap(
        Effect.orElseSucceed(Config.option(Config.String(variable)), () => Option.none<string>()),
        Option.match({
          onNone: () => Effect.fail(misuse("No database is named.", howTo)),
          onSome: Effect.succeed
        })
      )

/** True if the flag or the environment names a database. */
export const isNamed = (flag: Option.Option<string>): Effect.Effect<boolean> =>
  Effect.match(databaseOf(flag), { onFailure: () => false, onSuccess: () => true })

const isPostgres = (database: string): boolean => /^postgres(?:ql)?:\/\//u.test(database)

const hasPassword = (database: string): boolean => {
  if (!isPostgres(database) || !URL.canParse(database)) return false
  const { password, searchParams } = new URL(database)
  return password !== "" || searchParams.has("password")
}

/** Creates a layer from a module that is loaded when the layer is built. */
const loaded = <Module, A, E, R>(
  load: () => Promise<Module>,
  make: (module: Module) => Layer.Layer<A, E, R>
): Layer.Layer<A, E, R> => Layer.unwrap(Effect.map(Effect.promise(load), make))

const clientOf = (
  database: string,
  mayCreate: boolean
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable | Problem> => {
  if (isPostgres(database)) {
    return loaded(
      () => import("effect-toolguard/layers/Postgres"),
      (Postgres) => Postgres.layer({ url: Redacted.make(database), maxConnections: 4 })
    )
  }
  const exists = existsSync(database)
  if (!exists && !mayCreate) return unusable(missingFile(database))
  return exists && !statSync(database).isFile()
    ? unusable(problem(`${database} is not a file.`, howTo))
    : loaded(
        () => import("effect-toolguard/layers/SqliteNode"),
        (SqliteNode) => SqliteNode.layer({ filename: database })
      )
}

const unusable = (reason: Problem) => Layer.effect(SqlClient.SqlClient, Effect.fail(reason))

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

/** Returns the problem of a store that failed: its texts cannot be decrypted, or the database does not respond. */
export const failed = ({ cause }: { readonly cause: unknown }, remedy: string): Problem =>
  cause instanceof AtRestUnreadable
    ? problem(cause.detail, cause.remedy)
    : problem("The database stopped responding.", remedy)

interface Store<Self, Shape> {
  readonly service: Context.Key<Self, Shape>
  readonly layer: Layer.Layer<Self, DatabaseUnavailable, SqlClient.SqlClient>
  /** The name of a table of the store. */
  readonly table: string
  /** The contents of the store, as messages name them. */
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
        Layer.provide(atRest),
        Layer.catchTag("DatabaseUnavailable", ({ place, remedy }) =>
          Layer.effect(service, Effect.fail(problem(`Cannot use ${place}.`, remedy)))
        )
      )
    )
  )

/** Opens every store of the guard in one database. Creates the file and the tables if they do not exist. */
export const stores = (flag: Option.Option<string>): Layer.Layer<Stores, Problem> =>
  Layer.unwrap(
    Effect.map(databaseOf(flag), (database) =>
      loaded(
        () => import("effect-toolguard/layers/StoresSql"),
        ({ layer }) => layer
      ).pipe(
        Layer.provide(clientOf(database, true)),
        Layer.provide(atRest),
        Layer.catchTag("DatabaseUnavailable", ({ place, remedy }) =>
          Layer.effectContext(Effect.fail(problem(`Cannot use ${place}.`, remedy)))
        )
      )
    )
  )
