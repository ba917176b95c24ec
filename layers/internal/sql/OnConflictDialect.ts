/**
 * Creates the statements that SQLite and PostgreSQL share: `ON CONFLICT`, `RETURNING`, indexes with a condition,
 * transactional DDL.
 */
import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import type { Dialect, Table, Update, Upsert, Values } from "./Dialect.ts"

type OnConflictDialect = Omit<Dialect, "remedyOf" | "now" | "updateAnd" | "skipLocked">

/** Creates the shared statements. `serial` is the type of a primary key that the database numbers. */
export const make = (sql: SqlClient.SqlClient, serial: string): OnConflictDialect => {
  const names = (columns: ReadonlyArray<string>) => expressions(sql, columns)
  const insert = (table: string, row: Values) =>
    sql`INSERT INTO ${sql.literal(table)} (${names(Object.keys(row))}) VALUES (${list(row, () => "")})`

  const columnsOf = ({ columns, primaryKey }: Table): ReadonlyArray<string> => {
    const types = { id: "TEXT", word: "TEXT", text: "TEXT", smallint: "SMALLINT", integer: "INTEGER", bigint: "BIGINT" }
    const [first, ...rest] = primaryKey
    return Object.entries(columns).map(([name, type]) => {
      if (type === "serial") return `${name} ${serial}`
      const declared = types[type.replace("?", "") as keyof typeof types]
      if (rest.length === 0 && name === first) return `${name} ${declared} PRIMARY KEY`
      return `${name} ${declared}${type.endsWith("?") ? "" : " NOT NULL"}`
    })
  }

  return {
    createTable: (table) => {
      const key = table.primaryKey.length > 1 ? [`PRIMARY KEY (${table.primaryKey.join(", ")})`] : []
      const { indexes = {}, name, uniqueWhere: unique } = table
      const statements = [
        `CREATE TABLE ${name} (\n    ${[...columnsOf(table), ...key].join(",\n    ")}\n  )`,
        ...(unique === undefined
          ? []
          : [`CREATE UNIQUE INDEX ${unique.name} ON ${name} (${unique.column}) WHERE ${unique.condition}`]),
        ...Object.entries(indexes).map(([index, columns]) => `CREATE INDEX ${index} ON ${name} (${columns.join(", ")})`)
      ]
      return Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
    },
    addNumber: (table, column) =>
      Effect.asVoid(sql.unsafe(`ALTER TABLE ${table} ADD COLUMN ${column} BIGINT NOT NULL DEFAULT 0`)),
    addWord: (table, column) => Effect.asVoid(sql.unsafe(`ALTER TABLE ${table} ADD COLUMN ${column} TEXT`)),
    addIndex: (name, table, columns) =>
      Effect.asVoid(sql.unsafe(`CREATE INDEX ${name} ON ${table} (${columns.join(", ")})`)),
    migrate: (migrations) =>
      Migrator.make({})({ loader: Migrator.fromRecord(migrations), table: "toolguard_migrations" }).pipe(
        Effect.provideService(SqlClient.SqlClient, sql),
        Effect.asVoid
      ),
    insertReturning: <Row extends object>(table: string, row: Values, returning: Statement.Fragment) =>
      sql<Row>`${insert(table, row)} ON CONFLICT DO NOTHING RETURNING ${returning}`,
    insertIfAbsent: (table, row) =>
      Effect.map(sql`${insert(table, row)} ON CONFLICT DO NOTHING RETURNING 1`, ({ length }) => length === 1),
    upsert: <Row extends object>({ key, returning, row, set, table, where }: Upsert) =>
      sql<Row>`${insert(table, row)} ON CONFLICT (${names(key)}) DO UPDATE SET ${assignments(set)}
          WHERE ${where} RETURNING ${expressions(sql, returning)}`,
    updateReturning: <Row extends object>(change: Update) => update<Row>(sql, change),
    changeOne: (statement) => Effect.map(sql`${statement} RETURNING 1`, ({ length }) => length === 1),
    together: (statements) => together(sql, statements),
    transaction: sql.withTransaction
  }
}

const assignments = (set: Values) => list(set, (column) => `${column} = `)

/** Returns names or expressions. Names come from this package and need no quotes. */
const expressions = (sql: SqlClient.SqlClient, returning: ReadonlyArray<string> | Statement.Fragment) =>
  Statement.isFragment(returning) ? returning : sql.literal(returning.join(", "))

/** Returns an UPDATE that returns the changed rows. */
export const update = <Row extends object>(
  sql: SqlClient.SqlClient,
  { returning, set, table, where }: Update
): Statement.Statement<Row> =>
  sql<Row>`UPDATE ${sql.literal(table)} SET ${assignments(set)} WHERE ${where} RETURNING ${expressions(sql, returning)}`

/** Runs one statement, or two in a transaction: the second only if the first returned a row. */
export const together = <Row extends object>(
  sql: SqlClient.SqlClient,
  [first, second]: ReadonlyArray<Statement.Statement<Row>>
): Effect.Effect<ReadonlyArray<Row>, SqlError> => {
  if (first === undefined) return Effect.succeed([])
  if (second === undefined) return first
  return sql.withTransaction(
    Effect.flatMap(first, (rows) => (rows.length === 0 ? Effect.succeed(rows) : Effect.as(second, rows)))
  )
}

/** Joins values with commas into one fragment, each with a prefix. A fragment for each value would be slower. */
const list = (values: Values, prefix: (column: string) => string): Statement.Fragment => {
  const segments: Array<Statement.Segment> = []
  for (const [column, value] of Object.entries(values)) {
    segments.push(Statement.literal(`${segments.length === 0 ? "" : ", "}${prefix(column)}`))
    if (Statement.isFragment(value)) segments.push(...value.segments)
    else segments.push(Statement.parameter(value))
  }
  return Statement.fragment(segments)
}
