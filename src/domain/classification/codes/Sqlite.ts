/** Result codes of SQLite, primary and extended (`SQLITE_BUSY_SNAPSHOT` counts as `SQLITE_BUSY`). */
import { each, none, row, type Table, unknown, type Diagnosis, weak } from "./Diagnosis.ts"

const results: Table = {
  ...each(weak(none("invalid_request")), "ERROR"),
  ...each(none("lock_conflict"), "BUSY LOCKED PROTOCOL SCHEMA"),
  ...each(
    none("conflicting_value"),
    `
    CONSTRAINT CONSTRAINT_FOREIGNKEY CONSTRAINT_PRIMARYKEY CONSTRAINT_UNIQUE CONSTRAINT_ROWID
    CONSTRAINT_TRIGGER
  `
  ),
  ...each(none("invalid_request"), "CONSTRAINT_NOTNULL CONSTRAINT_CHECK CONSTRAINT_DATATYPE MISMATCH RANGE EMPTY"),
  ...each(none("arguments_too_large"), "TOOBIG"),
  ...each(none("unauthorized"), "AUTH PERM"),
  ...each(none("wrong_state"), "READONLY"),
  ...each(none("misconfigured"), "CANTOPEN NOTADB NOLFS FORMAT"),
  ...each(none("disk_full"), "FULL"),
  ...each(none("out_of_memory"), "NOMEM"),
  ...each(unknown("timeout"), "INTERRUPT ABORT"),
  ...each(unknown("tool_failed"), "IOERR CORRUPT INTERNAL MISUSE"),
  ...each(none("unknown_reference"), "NOTFOUND")
}

/** Returns the diagnosis of a result code such as `SQLITE_CONSTRAINT_UNIQUE`. */
export const ofSqlite = (code: string): Diagnosis | undefined => {
  if (!code.startsWith("SQLITE_")) return undefined
  const name = code.slice(7)
  return row(results, name) ?? row(results, name.slice(0, (name.indexOf("_") + 1 || name.length + 1) - 1))
}
