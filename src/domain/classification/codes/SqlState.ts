/**
 * SQLSTATE: the classes of the standard, PostgreSQL's conditions (its Appendix A), and those that ODBC and MySQL add.
 *
 * A statement that the server refused had no side effect. The side effect is unknown if the connection broke, a timeout
 * stopped the statement, the server could not tell its outcome (40003, 08007), or the state is unspecific (HY000).
 */
import { each, none, row, type Table, unknown, type Diagnosis, weak } from "./Diagnosis.ts"

const conditions: Table = {
  ...each(none("connection_failed"), "08001 HV00N 57P03"),
  ...each(none("refused"), "08004 39000 P0004 P0001"),
  ...each(none("tool_failed"), "08P01"),
  ...each(
    none("unknown_reference"),
    `
    42P01 42P02 42703 42704 42883 42S02 42S12 42S22 3D000 3F000 26000 34000 3B001 P0002 42P18 42P10
  `
  ),
  ...each(
    none("conflicting_value"),
    `
    23505 23503 23001 23P01 40002 42701 42710 42712 42723 42P03 42P04 42P05 42P06 42P07 42S01 42S11 42S21
    2BP01
  `
  ),
  ...each(none("invalid_request"), "25001 25P01 25002 54011 54023 P0003 22000 HY090 HY104 IM014"),
  ...each(none("unauthorized"), "42501 28000 28P01 2F002 38002"),
  ...each(none("lock_conflict"), "40001 40P01 55P03 57P06"),
  ...each(none("wrong_state"), "25006 25P02 25P03 55000 55006 55P02 55P04 HY010"),
  ...each(unknown("timeout"), "57014 HYT00 HYT01 25P04"),
  ...each(unknown("connection_lost"), "57P01 57P02 57P05 08S01 08003 08006 08007 40003 01002"),
  ...each(none("unknown_reference"), "57P04 58P01"),
  ...each(none("disk_full"), "53100"),
  ...each(none("out_of_memory"), "53200 HY001 HY013"),
  ...each(none("too_many_open"), "53300"),
  ...each(none("limit_exceeded"), "53000 53400"),
  ...each(none("missing_software"), "IM003 IM004"),
  ...each(none("misconfigured"), "IM002 IM010 IM012"),
  ...each(none("unsupported"), "HYC00 IM001"),
  // MySQL uses HY000 for errors without a specific state, and 42000 for both syntax and access errors.
  ...each(weak(unknown("tool_failed")), "HY000 XX000 58000"),
  ...each(weak(none("invalid_request")), "42000")
}

const classes: Table = {
  "02": none("unknown_reference"),
  "03": none("wrong_state"),
  "07": none("invalid_request"),
  "08": unknown("connection_lost"),
  "09": none("refused"),
  "0A": none("unsupported"),
  "0F": none("invalid_request"),
  "0L": none("unauthorized"),
  "0P": none("invalid_request"),
  "20": none("invalid_request"),
  "21": none("invalid_request"),
  "22": none("invalid_request"),
  "23": none("invalid_request"),
  "24": none("wrong_state"),
  "25": none("wrong_state"),
  "27": none("refused"),
  "28": none("unauthorized"),
  "2B": none("conflicting_value"),
  "2D": none("wrong_state"),
  "2F": none("refused"),
  "38": none("refused"),
  "39": none("refused"),
  "3B": none("invalid_request"),
  "40": none("lock_conflict"),
  "42": none("invalid_request"),
  "44": none("invalid_request"),
  "53": none("limit_exceeded"),
  "54": none("limit_exceeded"),
  "55": none("wrong_state"),
  "57": unknown("unavailable"),
  "58": unknown("tool_failed"),
  "72": none("lock_conflict"),
  F0: none("misconfigured"),
  HV: unknown("refused"),
  P0: none("refused"),
  XX: unknown("tool_failed")
}

/**
 * Returns the diagnosis of a SQLSTATE, alone or as `sqlstate:42P01`. An errno name such as `EPERM` is not a SQLSTATE.
 */
export const ofSqlState = (code: string): Diagnosis | undefined => {
  const state = code.startsWith("sqlstate:") ? code.slice(9) : code
  if (!/^[0-9A-Z]{5}$/.test(state) || !/\d/.test(state)) return undefined
  return (
    row(conditions, state) ??
    (/^(?:[A-Z][0-9A-Z]|\d[0-9A-Z])[0-9A-Z]{3}$/.test(state) ? row(classes, state.slice(0, 2)) : undefined)
  )
}
