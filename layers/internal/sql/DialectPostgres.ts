/** PostgreSQL as the stores use it, 12 or newer, at the default isolation level READ COMMITTED. */
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Dialect } from "./Dialect.ts"
import * as OnConflictDialect from "./OnConflictDialect.ts"

export const make = (sql: SqlClient): Dialect => ({
  ...OnConflictDialect.make(sql, "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
  remedyOf
})

/** Returns the remedy for an error of the server or of the connection. */
export const remedyOf = ({ reason }: SqlError): string => {
  switch (reason._tag) {
    case "ConnectionError":
      return "No server answers there: check the host and port, and whether the server is running."
    case "AuthenticationError":
      return "The server rejects the user and password: check them, and the server's pg_hba.conf."
    case "AuthorizationError":
      return "The user may not use this database: grant it the right to connect and to create tables."
    default:
      return `The server says: ${reason.cause instanceof Error ? reason.cause.message : String(reason.cause)}`
  }
}
