/** What a person can do about a database that fails: one sentence, by what the database or its driver says. */
import { isSqlError, type SqlError } from "effect/sql/SqlError"

/** By SQLite's result codes, https://sqlite.org/rescode.html. */
const sqlite: Readonly<Record<number, string>> = {
  5: "Another process holds its lock: end it, or raise `busyTimeout`.",
  8: "It is read-only: give this user the right to write the file and its folder.",
  10: "The disk gives an error: look at the disk and its mount.",
  11: "The file is damaged: restore a copy. It was left as it is.",
  13: "The disk is full: free some space.",
  14: "It cannot be opened: the folder must exist, and this user must be allowed to write in it.",
  26: "It is no SQLite database: name another file. It was left as it is."
}

/** SQLite's extended result code, where the error has one. */
export const sqliteCode = (cause: unknown): number | undefined =>
  typeof cause === "object" && cause !== null && "errcode" in cause && typeof cause.errcode === "number"
    ? cause.errcode
    : undefined

const says = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const ofSql = ({ reason }: SqlError): string => {
  const code = sqliteCode(reason.cause)
  if (code !== undefined) return sqlite[code & 0xff] ?? `SQLite says: ${says(reason.cause)}`
  switch (reason._tag) {
    case "ConnectionError":
      return "Nothing answers there: check host and port, and whether the server runs."
    case "AuthenticationError":
      return "It does not accept user and password: check them, and the server's pg_hba.conf."
    case "AuthorizationError":
      return "The user may not use this database: grant it the right to connect and to create tables."
    default:
      return `The server says: ${says(reason.cause)}`
  }
}

/** What to do about an error of SQLite, of a `SqlClient`, or of a wait for either. */
export const remedyOf = (cause: unknown): string => {
  if (isSqlError(cause)) return ofSql(cause)
  const code = sqliteCode(cause)
  if (code !== undefined) return sqlite[code & 0xff] ?? `SQLite says: ${says(cause)}`
  return typeof cause === "object" && cause !== null && "_tag" in cause && cause._tag === "TimeoutError"
    ? "It does not answer in time: look at its load, and at the network."
    : `The cause: ${says(cause)}`
}
