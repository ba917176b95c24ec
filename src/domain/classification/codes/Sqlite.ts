/** Result codes of SQLite, primary and extended (`SQLITE_BUSY_SNAPSHOT` counts as `SQLITE_BUSY`). */
import { diagnose, type Diagnosis, each, row, type Table, weak } from "./Diagnosis.ts"

const results: Table = {
  ...each(weak(diagnose("invalid_request")), "ERROR"),
  ...each(diagnose("lock_conflict"), "BUSY LOCKED PROTOCOL SCHEMA"),
  ...each(
    diagnose("conflicting_value"),
    `
    CONSTRAINT CONSTRAINT_FOREIGNKEY CONSTRAINT_PRIMARYKEY CONSTRAINT_UNIQUE CONSTRAINT_ROWID
    CONSTRAINT_TRIGGER
  `
  ),
  ...each(diagnose("invalid_request"), "CONSTRAINT_NOTNULL CONSTRAINT_CHECK CONSTRAINT_DATATYPE MISMATCH RANGE EMPTY"),
  ...each(diagnose("arguments_too_large"), "TOOBIG"),
  ...each(diagnose("unauthorized"), "AUTH PERM"),
  ...each(diagnose("wrong_state"), "READONLY"),
  ...each(diagnose("misconfigured"), "CANTOPEN NOTADB NOLFS FORMAT"),
  ...each(diagnose("disk_full"), "FULL"),
  ...each(diagnose("out_of_memory"), "NOMEM"),
  ...each(diagnose("timeout"), "INTERRUPT ABORT"),
  ...each(diagnose("tool_failed"), "IOERR CORRUPT INTERNAL MISUSE"),
  ...each(diagnose("unknown_reference"), "NOTFOUND")
}

/** Returns the diagnosis of a result code such as `SQLITE_CONSTRAINT_UNIQUE`. */
export const ofSqlite = (code: string): Diagnosis | undefined => {
  if (!code.startsWith("SQLITE_")) return undefined
  const name = code.slice(7)
  return row(results, name) ?? row(results, name.slice(0, (name.indexOf("_") + 1 || name.length + 1) - 1))
}
