/**
 * Provides the database of the stores: its client and its dialect, with all tables created. All stores share one
 * instance.
 */
import { DatabasePlace, databaseUnavailable, type DatabaseUnavailable } from "#services/DatabaseUnavailable"
import type { TimeoutError } from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { MigrationError } from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import * as Timeout from "#layers/internal/stores/Timeout"
import type { Dialect } from "./Dialect.ts"
import * as DialectPostgres from "./DialectPostgres.ts"
import * as DialectSqlite from "./DialectSqlite.ts"
import * as SqliteWrites from "./SqliteWrites.ts"
import * as StoreTime from "./StoreTime.ts"
import * as StatementSpans from "./StatementSpans.ts"
import * as StatementText from "./StatementText.ts"
import { migrations } from "./Tables.ts"

/**
 * Finds the dialect of a client. To add a kind of database, add a line here and a file with its dialect in this folder.
 */
const dialectOf = (sql: SqlClient.SqlClient): Dialect | undefined =>
  sql.onDialectOrElse({
    sqlite: () => DialectSqlite.make(sql, SqliteWrites.of(sql)),
    pg: () => DialectPostgres.make(sql),
    orElse: () => undefined
  })

/** The maximum time that a step waits for the database. */
const timeout = Duration.seconds(5)

export class Database extends Context.Service<
  Database,
  {
    readonly sql: SqlClient.SqlClient
    readonly dialect: Dialect
    /** The time by which the stores expire their rows. Read it again for each statement. */
    readonly time: Effect.Effect<StoreTime.Time>
    /** Reads the same time as a number, in epoch milliseconds. This takes another statement. */
    readonly millis: Effect.Effect<number, SqlError>
    /**
     * Returns the function that runs statements with values. The text is built once. The second of two statements runs
     * only if the first returned a row, in the same transaction; the rows are those of the first.
     */
    readonly prepare: <Values extends object, Row extends object>(
      build: StatementText.Build<Values, Row>
    ) => (values: Values) => Effect.Effect<ReadonlyArray<Row>, SqlError>
    /**
     * Runs a step, with spans for its statements only on request. The other methods trace statements in the same way.
     */
    readonly run: StatementSpans.Run
    /** Runs a step, for at most 5 seconds. */
    readonly ask: <A>(step: Effect.Effect<A, SqlError>) => Effect.Effect<A, DatabaseUnavailable>
    /** Runs a step that is safe to repeat: if the connection broke, it runs again on another connection of the pool. */
    readonly askAgain: <A>(step: Effect.Effect<A, SqlError>) => Effect.Effect<A, DatabaseUnavailable>
  }
>()("effect-toolguard/internal/Database") {}

/** True if a connection that was open broke. */
const isBroken = ({ reason }: SqlError): boolean => reason._tag === "ConnectionError" && reason.operation !== "connect"

/** True if a connection could not be opened. */
const isUnopened = ({ reason }: SqlError): boolean =>
  reason._tag === "ConnectionError" && reason.operation === "connect"

/**
 * Runs a step that is safe to repeat again on another connection, if its connection broke. When a server restarts, all idle
 * connections of the pool are broken, by default at most ten. A connection that could not be opened is opened once more,
 * because the pool may have tried it before the server was back.
 */
export const reconnecting = <A, R>(step: Effect.Effect<A, SqlError, R>): Effect.Effect<A, SqlError, R> => {
  const attempt = (broken: number, unopened: number): Effect.Effect<A, SqlError, R> =>
    Effect.catch(step, (error) => {
      if (isBroken(error) && broken < 10) return attempt(broken + 1, unopened)
      if (isUnopened(error) && unopened < 1) return attempt(0, unopened + 1)
      return Effect.fail(error)
    })
  return attempt(0, 0)
}

/** Returns the remedy for a failing database: one sentence. */
export const remedyOf = (sql: SqlClient.SqlClient, error: SqlError | TimeoutError | MigrationError): string => {
  const cause = error._tag === "MigrationError" ? (error.cause ?? error) : error
  const remedy = isSqlError(cause) ? dialectOf(sql)?.remedyOf(cause) : undefined
  if (remedy !== undefined) return remedy
  return error._tag === "TimeoutError"
    ? "The database did not respond in time: check its load and the network."
    : `The cause: ${cause instanceof Error ? cause.message : String(cause)}`
}

/** Finds the dialect, and creates missing tables. */
export const layer: Layer.Layer<Database, DatabaseUnavailable, SqlClient.SqlClient> = Layer.effect(
  Database,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const place = yield* DatabasePlace
    const dialect = dialectOf(sql)
    if (dialect === undefined) {
      return yield* databaseUnavailable(place, "The stores support SQLite and PostgreSQL: use one of these.", undefined)
    }
    const run = yield* StatementSpans.make
    yield* Effect.mapError(run(dialect.migrate(migrations(dialect))), (error) =>
      databaseUnavailable(place, `Its tables cannot be created. ${remedyOf(sql, error)}`, error)
    )
    const ask = <A>(step: Effect.Effect<A, SqlError>) =>
      Effect.mapError(Timeout.within(run(step), timeout), (error) =>
        databaseUnavailable(place, remedyOf(sql, error), error)
      )
    const storeTime = yield* StoreTime.make(sql, dialect.now)
    const time = Effect.isEffect(storeTime) ? storeTime : Effect.succeed(storeTime)
    return {
      sql,
      dialect,
      time,
      prepare: (build) => StatementText.make(sql, storeTime, build, dialect.together),
      millis: StoreTime.millis(sql, time),
      run,
      ask,
      askAgain: (step) => ask(reconnecting(step))
    }
  })
)
