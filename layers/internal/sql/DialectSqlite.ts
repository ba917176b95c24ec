/**
 * SQLite as the stores use it, 3.35 or newer.
 *
 * The `SqlClient` must run one transaction at a time (`BEGIN IMMEDIATE`).
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as References from "effect/References"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Dialect, UpdateAnd } from "./Dialect.ts"
import type { Statement } from "effect/sql/Statement"
import * as OnConflictDialect from "./OnConflictDialect.ts"
import type { SqliteWrites } from "./SqliteWrites.ts"

export const make = (sql: SqlClient, writes: SqliteWrites | undefined): Dialect => ({
  ...OnConflictDialect.make(sql, "INTEGER PRIMARY KEY AUTOINCREMENT"),
  // the Julian day of 1970-01-01, and half a millisecond to round
  now: sql.literal("CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER)"),
  updateAnd: <Row extends object>({ also, ...update }: UpdateAnd) => [
    OnConflictDialect.update<Row>(sql, update),
    sql<Row>`${also(sql.literal("1 = 1"))}`
  ],
  together: <Row extends object>(statements: ReadonlyArray<Statement<Row>>) =>
    Effect.withFiber((fiber): Effect.Effect<ReadonlyArray<Row>, SqlError> => {
      const [first, also] = statements
      // the writes have no spans, and are transactions of their own
      return writes === undefined ||
        first === undefined ||
        fiber.getRef(References.TracerEnabled) ||
        Option.isSome(Context.getOption(fiber.context, sql.transactionService))
        ? OnConflictDialect.together(sql, statements)
        : writes.write(first.compile(), also?.compile())
    }),
  // transactions run one at a time
  skipLocked: sql.literal(""),
  remedyOf
})

/** The remedies by SQLite's result code, https://sqlite.org/rescode.html. */
const remedies: Readonly<Record<number, string>> = {
  5: "Another process holds its lock: end it, or raise `busyTimeout`.",
  8: "It is read-only: give this user the right to write the file and its folder.",
  10: "The disk reports an error: check the disk and its mount.",
  11: "The file is damaged: restore a copy. It was left unchanged.",
  13: "The disk is full: free some space.",
  14: "It cannot be opened: the folder must exist, and this user must be allowed to write in it.",
  26: "It is not a SQLite database: choose another file. It was left unchanged."
}

/** SQLITE_IOERR_SHMSIZE: the index of the log could not grow when the file was opened, as on a disk without space. */
const noRoomForIndex = 4874

/** Returns SQLite's extended result code, if the error has one. */
export const resultCode = (cause: unknown): number | undefined =>
  typeof cause === "object" && cause !== null && "errcode" in cause && typeof cause.errcode === "number"
    ? cause.errcode
    : undefined

/** Returns the remedy for an error of `node:sqlite` or of its `SqlClient`. */
export const remedyOf = (error: unknown): string => {
  const cause = isSqlError(error) ? error.reason.cause : error
  const extended = resultCode(cause)
  const code = extended === noRoomForIndex ? 13 : extended
  return (
    (code === undefined ? undefined : remedies[code & 0xff]) ??
    `SQLite says: ${cause instanceof Error ? cause.message : String(cause)}`
  )
}
