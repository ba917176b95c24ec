/**
 * Provides a `SqlClient` over the SQLite in Node, the embedded default: one file and no server.
 *
 * **Details**
 *
 * - A committed transaction is on disk: `journal_mode = WAL` and `synchronous = FULL` [12.1].
 * - Statements run one by one on one connection. A transaction holds the connection, and starts with `BEGIN IMMEDIATE`.
 * - Concurrent writes of this process are committed together: each is on disk before its caller continues.
 * - Several processes on one machine can use one file. Each waits up to `busyTimeout` for the others.
 *
 * **Gotchas**
 *
 * A file on a network drive is not safe, because SQLite's locks do not work there. A file that another program has
 * marked as its own (`application_id`) is refused. In an unmarked file, the stores add their tables to the existing
 * tables.
 *
 * A file of 0 bytes is refused, because a new file gets its first page before it has its name: a crash or a copy has
 * truncated the empty file. For the same reason, a missing file is refused if its log (`FILE-wal`) exists.
 */
import { DatabasePlace, DatabaseUnavailable, databaseUnavailable } from "#services/DatabaseUnavailable"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import type { Borrower, Connection } from "effect/sql/SqlConnection"
import { classifySqliteError, SqlError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import * as Stream from "effect/Stream"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import { remedyOf, resultCode } from "#layers/internal/sql/DialectSqlite"
import * as SqliteFile from "#layers/internal/sql/SqliteFile"
import * as SqliteWrites from "#layers/internal/sql/SqliteWrites"
import { StoreTime } from "#layers/internal/sql/StoreTime"

/** The file, and how long to wait for it. */
export interface SqliteOptions {
  /**
   * A path, or `:memory:` for a database that ends with the layer. A missing file is created, and only its owner can
   * read it (0600); the same applies to the files that SQLite creates next to it. A missing folder is not created: the
   * error names it. In a database in memory, leases and requests expire by Effect's `Clock`, so that `TestClock`
   * controls them.
   */
  readonly filename: string
  /** How long a statement waits for another process. Default 5 seconds. */
  readonly busyTimeout?: Duration.Input
}

/** Opens the file. Fails if it cannot be opened, read and written. */
export const layer = (options: SqliteOptions): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> =>
  Layer.effectContext(
    Effect.map(make(options), (client) => {
      const context = Context.make(SqlClient.SqlClient, client).pipe(Context.add(DatabasePlace, placeOf(options)))
      // no other process can open a database in memory
      return isInMemory(options) ? Context.add(context, StoreTime, "process") : context
    })
  ).pipe(Layer.provide(Reactivity.layer))

const isInMemory = ({ filename }: SqliteOptions): boolean => filename === ":memory:"

const placeOf = (options: SqliteOptions): string =>
  isInMemory(options) ? "the SQLite database in memory" : `the SQLite file ${options.filename}`

const make = Effect.fnUntraced(function* (options: SqliteOptions) {
  const db = yield* Effect.acquireRelease(openFile(options), (db) => Effect.sync(() => db.close()))
  const runNow = runner(db)
  const semaphore = yield* Semaphore.make(1)
  const connection = connect(runNow)
  // a database in memory is on no disk
  const writes = isInMemory(options)
    ? undefined
    : SqliteWrites.make(db, semaphore, ([sql, params], isBigInt) => runNow(sql, params, { isBigInt }), failure)
  const shared = SqlClient.makeSqliteAcquirers({
    connection: Effect.try({
      try: () => {
        writes?.flush()
        // a rollback that failed is tried again
        if (db.isTransaction) db.exec("ROLLBACK")
        return connection
      },
      catch: failure
    }),
    semaphore,
    isTransaction: () => db.isTransaction
  })
  const client = yield* SqlClient.make({
    ...shared,
    ...(writes === undefined ? {} : { borrower: borrowerOf(shared.borrower, connection, writes) }),
    isTransaction: () => db.isTransaction,
    compiler: Statement.makeCompilerSqlite(),
    driver: "node:sqlite",
    beginTransaction: "BEGIN IMMEDIATE",
    prepareTransactionControls: true,
    spanAttributes: [["db.system.name", "sqlite"]]
  })
  if (writes !== undefined) SqliteWrites.register(client, writes)
  return client
})

/** Lends a connection whose single writes are committed together, and that runs every other statement at once. */
const borrowerOf = (borrow: Borrower, connection: Connection, writes: SqliteWrites.SqliteWrites): Borrower => {
  const direct = <A>(run: (connection: Connection) => Effect.Effect<A, SqlError>) => borrow(run)
  const lent: Connection = {
    execute: (sql, params, transform) => {
      if (!/^\s*(?:INSERT|UPDATE|DELETE)\b/iu.test(sql)) return direct((one) => one.execute(sql, params, transform))
      const rows = writes.write([sql, params])
      return transform === undefined ? rows : Effect.map(rows, transform)
    },
    executeRaw: (sql, params) => direct((one) => one.executeRaw(sql, params)),
    executeValues: (sql, params) => direct((one) => one.executeValues(sql, params)),
    executeValuesUnprepared: (sql, params) => direct((one) => one.executeValuesUnprepared(sql, params)),
    executeUnprepared: (sql, params, transform) => direct((one) => one.executeUnprepared(sql, params, transform)),
    executeStream: connection.executeStream
  }
  return (use) => use(lent)
}

/** Opens the file and starts a write, so that a foreign or read-only file is reported when the layer is built. */
const openFile = (options: SqliteOptions) =>
  Effect.try({
    try: () => {
      const { busyTimeout = "5 seconds", filename } = options
      const timeout = Duration.toMillis(Duration.fromInputUnsafe(busyTimeout))
      const remedy = SqliteFile.prepare(filename)
      if (remedy !== undefined) throw databaseUnavailable(placeOf(options), remedy, undefined)
      const db = new DatabaseSync(filename, { timeout })
      try {
        refuseForeign(db, placeOf(options))
        toWal(db, performance.now() + timeout)
        db.exec("PRAGMA synchronous = FULL; BEGIN IMMEDIATE; ROLLBACK")
      } catch (cause) {
        db.close()
        throw cause
      }
      return db
    },
    catch: (cause) =>
      cause instanceof DatabaseUnavailable ? cause : databaseUnavailable(placeOf(options), remedyOf(cause), cause)
  })

/**
 * Switches to WAL, with retries: if several processes switch one file, SQLite reports the file as busy without waiting.
 */
const toWal = (db: DatabaseSync, until: number): void => {
  for (;;) {
    try {
      return db.exec("PRAGMA journal_mode = WAL")
    } catch (cause) {
      if (resultCode(cause) !== busy || performance.now() >= until) throw cause
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}

/** SQLITE_BUSY, https://sqlite.org/rescode.html. */
const busy = 5

/** Refuses a file that another program has marked as its own, before any write. */
const refuseForeign = (db: DatabaseSync, place: string): void => {
  const id = Number(db.prepare("PRAGMA application_id").get()?.["application_id"] ?? 0)
  if (id === 0) return
  const hex = (id >>> 0).toString(16).padStart(8, "0")
  const remedy = `It belongs to another program (application id 0x${hex}): choose another file.`
  throw databaseUnavailable(place, remedy, undefined)
}

const failure = (cause: unknown): SqlError => {
  const errno = resultCode(cause)
  const operation = "execute"
  const known =
    typeof cause === "object" && cause !== null && errno !== undefined ? Object.assign(cause, { errno }) : cause
  return new SqlError({ reason: classifySqliteError(known, { message: "Failed to execute statement", operation }) })
}

/** The maximum number of prepared statements. */
const maxPrepared = 200

interface RunOptions {
  readonly isBigInt: boolean
  readonly isRaw?: boolean
  readonly isArrays?: boolean
  readonly isFresh?: boolean
}

type RunNow = (sql: string, params: ReadonlyArray<unknown>, options: RunOptions) => ReadonlyArray<never>

/** A prepared statement, and how it reads its rows. Each setting is a call of the driver, so it is made once. */
interface Prepared {
  readonly statement: StatementSync
  readonly hasRows: boolean
  isBigInt: boolean
  isArrays: boolean
}

/** Returns the function that runs a statement, which is prepared once. */
const runner = (db: DatabaseSync): RunNow => {
  const known = new Map<string, Prepared>()
  const prepare = (sql: string): Prepared => {
    const statement = db.prepare(sql)
    return { statement, hasRows: statement.columns().length > 0, isBigInt: false, isArrays: false }
  }
  const prepareOnce = (sql: string): Prepared => {
    const found = known.get(sql)
    if (found !== undefined) return found
    const prepared = prepare(sql)
    if (known.size >= maxPrepared) known.clear()
    known.set(sql, prepared)
    return prepared
  }
  return (sql, params, { isArrays = false, isBigInt, isFresh, isRaw }) => {
    const prepared = isFresh === true ? prepare(sql) : prepareOnce(sql)
    const { hasRows, statement } = prepared
    if (prepared.isBigInt !== isBigInt) statement.setReadBigInts((prepared.isBigInt = isBigInt))
    if (prepared.isArrays !== isArrays) statement.setReturnArrays((prepared.isArrays = isArrays))
    const values = params as ReadonlyArray<SQLInputValue> // SQLite itself refuses values that it cannot bind
    // the caller declares the type of the rows, which no driver can check
    if (hasRows) return statement.all(...values) as unknown as ReadonlyArray<never>
    const changes = statement.run(...values)
    return isRaw === true ? (changes as never) : [] // a raw result has no rows
  }
}

const connect = (runNow: RunNow): Connection => {
  const run = (sql: string, params: ReadonlyArray<unknown>, options: Omit<RunOptions, "isBigInt"> = {}) =>
    Effect.withFiber((fiber) =>
      Effect.try({
        try: () => runNow(sql, params, { ...options, isBigInt: Context.get(fiber.context, SqlClient.SafeIntegers) }),
        catch: failure
      })
    )
  return {
    execute: (sql, params, transform) =>
      transform === undefined ? run(sql, params) : Effect.map(run(sql, params), transform),
    executeRaw: (sql, params) => run(sql, params, { isRaw: true }),
    executeValues: (sql, params) => run(sql, params, { isArrays: true }),
    executeValuesUnprepared: (sql, params) => run(sql, params, { isArrays: true, isFresh: true }),
    executeUnprepared: (sql, params, transform) => {
      const rows = run(sql, params, { isFresh: true })
      return transform === undefined ? rows : Effect.map(rows, transform)
    },
    executeStream: (sql, params, transform) =>
      Stream.fromIterableEffect(transform === undefined ? run(sql, params) : Effect.map(run(sql, params), transform))
  }
}
