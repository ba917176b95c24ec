/**
 * Describes the differences between SQL databases: the stores write only SQL that every database accepts, and call a
 * dialect for the rest.
 *
 * **Details**
 *
 * - A dialect is one file. `Database.ts` finds it by the dialect of the `SqlClient`.
 * - In expressions, the stores qualify columns by their table, and bind new values instead of using `excluded` or
 *   `VALUES()`.
 * - Text is compared by its code points: `a`, `A` and `a ` are three ids.
 */
import type * as Effect from "effect/Effect"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment, Statement } from "effect/sql/Statement"

/**
 * The type of a column. `id` is text of any length in a key or an index; `word` is text of at most 128 characters in an
 * index; `serial` numbers the rows in the order of their insertion. A `?` allows NULL.
 */
type ColumnType = "id" | "word" | "text" | "smallint" | "integer" | "bigint" | "serial"

/** A table of the stores. */
export interface Table {
  readonly name: string
  readonly columns: Readonly<Record<string, ColumnType | `${ColumnType}?`>>
  readonly primaryKey: readonly [string, ...ReadonlyArray<string>]
  /** Unique among the rows that meet the condition. */
  readonly uniqueWhere?: { readonly name: string; readonly column: string; readonly condition: string }
  /** The columns of each index, by its name. */
  readonly indexes?: Readonly<Record<string, ReadonlyArray<string>>>
}

/** Values by column. A fragment is an expression; any other value is bound. */
export type Values = Readonly<Record<string, unknown>>

/** Inserts a row, or changes the existing row. */
export interface Upsert {
  readonly table: string
  /** The columns of the primary key. */
  readonly key: ReadonlyArray<string>
  /** The row to insert, with its key. */
  readonly row: Values
  /**
   * The changes of an existing row. Some databases assign from first to last, so an expression comes before the
   * assignments of the columns that it reads.
   */
  readonly set: Values
  /** The condition for changing an existing row. */
  readonly where: Fragment
  /** Columns, or expressions with names. */
  readonly returning: ReadonlyArray<string> | Fragment
}

/** Changes rows. */
export interface Update {
  readonly table: string
  readonly set: Values
  readonly where: Fragment
  /** Columns that `set` does not assign, or expressions with names. */
  readonly returning: ReadonlyArray<string> | Fragment
}

/** Changes at most one row and, only if it was changed, other rows. */
export interface UpdateAnd extends Update {
  /**
   * An INSERT, or an UPDATE of other rows. It may not see the changed row yet. Its condition must contain `isChanged`.
   */
  readonly also: (isChanged: Fragment) => Fragment
}

/** The parts of SQL that differ between databases. */
export interface Dialect {
  /** Creates a table with its indexes, as a part of a migration. */
  readonly createTable: (table: Table) => Effect.Effect<void, SqlError>
  /** Adds a column of integers, as a part of a migration. Existing rows get the value zero. */
  readonly addNumber: (table: string, column: string) => Effect.Effect<void, SqlError>
  /** Adds a column of at most 128 characters, which is NULL in existing rows, as a part of a migration. */
  readonly addWord: (table: string, column: string) => Effect.Effect<void, SqlError>
  /** Adds an index, as a part of a migration. */
  readonly addIndex: (name: string, table: string, columns: ReadonlyArray<string>) => Effect.Effect<void, SqlError>
  /** The time of the database in epoch milliseconds, as an expression. */
  readonly now: Fragment
  /**
   * Runs the migrations, by `number_name`, that this database has not run, in order. If several processes start
   * together, each waits until all migrations are done, and no migration is run twice.
   */
  readonly migrate: (
    migrations: Readonly<Record<string, Effect.Effect<void, SqlError>>>
  ) => Effect.Effect<void, SqlError | MigrationError>
  /**
   * Inserts a row. False if a row has its key, or its value of a unique index; a transaction stays usable after that.
   */
  readonly insertIfAbsent: (table: string, row: Values) => Effect.Effect<boolean, SqlError>
  /** Inserts a row as `insertIfAbsent`, and returns expressions with names. Returns no row if none was inserted. */
  readonly insertReturning: <Row extends object>(table: string, row: Values, returning: Fragment) => Statement<Row>
  /**
   * Inserts a row or changes the existing row, in one atomic step. Returns the resulting row, or no row if neither
   * happened.
   */
  readonly upsert: <Row extends object>(upsert: Upsert) => Statement<Row>
  /** Changes rows and returns them. */
  readonly updateReturning: <Row extends object>(update: Update) => Statement<Row>
  /** Runs an UPDATE or DELETE of at most one row. True if a row was changed. */
  readonly changeOne: (statement: Statement<object>) => Effect.Effect<boolean, SqlError>
  /** Returns the statements of both changes, for `together`. */
  readonly updateAnd: <Row extends object>(update: UpdateAnd) => ReadonlyArray<Statement<Row>>
  /**
   * Runs one or two statements in one atomic step. The second runs only if the first returned a row. Returns the rows of
   * the first.
   */
  readonly together: <Row extends object>(
    statements: ReadonlyArray<Statement<Row>>
  ) => Effect.Effect<ReadonlyArray<Row>, SqlError>
  /** Ends a SELECT of rows that are changed next: leaves out the rows that another transaction is changing. */
  readonly skipLocked: Fragment
  /**
   * Runs statements in a transaction. Each statement reads the latest committed data, or transactions run one at a
   * time.
   */
  readonly transaction: SqlClient["withTransaction"]
  /** Returns the remedy for an error: one sentence. */
  readonly remedyOf: (error: SqlError) => string
}
