/**
 * Creates an index on a table that other processes are using.
 *
 * **Details**
 *
 * - PostgreSQL builds the index without blocking writes (`CONCURRENTLY`). If the build is interrupted, an invalid index
 *   remains; the next process that builds the index removes it first.
 * - One process builds the indexes of a table at a time. The others continue without waiting for it.
 * - The build of a large table takes minutes: run it outside of the time limit of a step.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/** The name, the table and the columns of an index, as SQL. */
interface OnlineIndex {
  readonly name: string
  readonly table: string
  readonly columns: string
}

/** Creates the index unless it exists or another process is creating it. */
export const create = (sql: SqlClient, { columns, name, table }: OnlineIndex): Effect.Effect<void, SqlError> =>
  sql.onDialectOrElse({
    pg: () => onPostgres(sql, name, table, `CREATE INDEX CONCURRENTLY ${name} ON ${table} ${columns}`),
    // of several processes that start together, one creates the index and the others wait for its lock
    orElse: () =>
      Effect.asVoid(Effect.retry(sql.unsafe(`CREATE INDEX IF NOT EXISTS ${name} ON ${table} ${columns}`), { times: 3 }))
  })

const onPostgres = (sql: SqlClient, name: string, table: string, statement: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      // the lock belongs to the connection
      const connection = yield* sql.reserve
      const run = (statement: string) => connection.executeUnprepared(statement, [], undefined)
      /** True if the index is valid, false if a build was interrupted, undefined if there is no index. */
      const isValid = Effect.map(
        run(`SELECT indisvalid AS is_valid FROM pg_index WHERE indexrelid = to_regclass('${name}')`),
        ([row]) => row?.is_valid as boolean | undefined
      )
      if ((yield* isValid) === true) return
      // two builds on one table would wait for each other
      const lock = `hashtext('toolguard'), hashtext('${table}')`
      const build = Effect.gen(function* () {
        const found = yield* isValid
        if (found === true) return
        // the server's limit for statements is shorter than the build of a large table
        yield* run("SET statement_timeout = 0")
        if (found === false) yield* run(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`)
        yield* run(statement)
      })
      const [row] = yield* run(`SELECT pg_try_advisory_lock(${lock}) AS is_locked`)
      if (row?.is_locked !== true) return
      yield* Effect.ensuring(
        build,
        Effect.ignore(Effect.andThen(run("RESET statement_timeout"), run(`SELECT pg_advisory_unlock(${lock})`)))
      )
    })
  )
