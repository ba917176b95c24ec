/** PostgreSQL as the stores use it, 12 or newer, at the default isolation level READ COMMITTED. */
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Dialect, UpdateAnd } from "./Dialect.ts"
import * as OnConflictDialect from "./OnConflictDialect.ts"

export const make = (sql: SqlClient): Dialect => ({
  ...OnConflictDialect.make(sql, "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
  // `now()` would be the time at which the transaction started
  now: sql.literal("CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"),
  // one statement is one round trip; a transaction would be four
  updateAnd: <Row extends object>({ also, ...update }: UpdateAnd) => [
    sql<Row>`WITH changed AS (${OnConflictDialect.update(sql, update)}),
      also AS (${also(sql.literal("EXISTS (SELECT 1 FROM changed)"))}) SELECT * FROM changed`
  ],
  skipLocked: sql.literal(" FOR UPDATE SKIP LOCKED"),
  remedyOf
})

/** Errors of Node and OpenSSL about the certificate of a server. */
const certificate = /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:GET|VERIFY)_)/u

/** Returns the remedy for a connection that fails because of TLS; undefined for other errors. */
const tlsRemedyOf = (cause: unknown): string | undefined => {
  if (!(cause instanceof Error)) return undefined
  const { code } = cause as { readonly code?: unknown }
  if (typeof code === "string" && certificate.test(code))
    return `The server's certificate is not trusted (${code}): name its authority with NODE_EXTRA_CA_CERTS or the option ssl: { ca }.`
  return cause.message.includes("does not support TLS")
    ? "The server offers no TLS: switch it on, or add ?sslmode=disable to the address if no one else can read the network."
    : undefined
}

/** Returns the remedy for an error of the server or of the connection. */
export const remedyOf = ({ reason }: SqlError): string => {
  switch (reason._tag) {
    case "ConnectionError":
      return (
        tlsRemedyOf(reason.cause) ??
        "No server answers at this address: check the host and port, and whether the server is running."
      )
    case "AuthenticationError":
      return "The server rejects the user and password: check them, and the server's pg_hba.conf."
    case "AuthorizationError":
      return "The user may not use this database: grant it the right to connect and to create tables."
    default:
      return `The server says: ${reason.cause instanceof Error ? reason.cause.message : String(reason.cause)}`
  }
}
