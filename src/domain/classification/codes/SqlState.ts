/** SQLSTATE: the classes of the standard, PostgreSQL's conditions (its Appendix A), and those that ODBC and MySQL add. */
import { diagnose, type Diagnosis, each, row, type Table, weak } from "./Diagnosis.ts"

const conditions: Table = {
  ...each(diagnose("connection_failed"), "08001 HV00N 57P03"),
  ...each(diagnose("refused"), "08004 39000 P0004 P0001"),
  ...each(diagnose("tool_failed"), "08P01"),
  ...each(
    diagnose("unknown_reference"),
    `
    42P01 42P02 42703 42704 42883 42S02 42S12 42S22 3D000 3F000 26000 34000 3B001 P0002 42P18 42P10
  `
  ),
  ...each(
    diagnose("conflicting_value"),
    `
    23505 23503 23001 23P01 40002 42701 42710 42712 42723 42P03 42P04 42P05 42P06 42P07 42S01 42S11 42S21
    2BP01
  `
  ),
  ...each(diagnose("invalid_request"), "25001 25P01 25002 54011 54023 P0003 22000 HY090 HY104 IM014"),
  ...each(diagnose("unauthorized"), "42501 28000 28P01 2F002 38002"),
  ...each(diagnose("lock_conflict"), "40001 40P01 55P03 57P06"),
  ...each(diagnose("wrong_state"), "25006 25P02 25P03 55000 55006 55P02 55P04 57019 HY010"),
  ...each(diagnose("timeout"), "57014 HYT00 HYT01 25P04"),
  ...each(diagnose("connection_lost"), "57P01 57P02 57P05 08S01 08003 08006 08007 40003 01002"),
  ...each(diagnose("unknown_reference"), "57P04 58P01"),
  ...each(diagnose("disk_full"), "53100"),
  ...each(diagnose("out_of_memory"), "53200 HY001 HY013"),
  ...each(diagnose("too_many_open"), "53300"),
  ...each(diagnose("limit_exceeded"), "53000 53400"),
  ...each(diagnose("missing_software"), "IM003 IM004"),
  ...each(diagnose("misconfigured"), "IM002 IM010 IM012"),
  ...each(diagnose("unsupported"), "HYC00 IM001"),
  // MySQL uses HY000 for errors without a specific state, and 42000 for both syntax and access errors.
  ...each(weak(diagnose("tool_failed")), "HY000 XX000 58000"),
  ...each(weak(diagnose("invalid_request")), "42000")
}

const classes: Table = {
  "02": diagnose("unknown_reference"),
  "03": diagnose("wrong_state"),
  "07": diagnose("invalid_request"),
  "08": diagnose("connection_lost"),
  "09": diagnose("refused"),
  "0A": diagnose("unsupported"),
  "0F": diagnose("invalid_request"),
  "0L": diagnose("unauthorized"),
  "0P": diagnose("invalid_request"),
  "20": diagnose("invalid_request"),
  "21": diagnose("invalid_request"),
  "22": diagnose("invalid_request"),
  "23": diagnose("invalid_request"),
  "24": diagnose("wrong_state"),
  "25": diagnose("wrong_state"),
  "27": diagnose("refused"),
  "28": diagnose("unauthorized"),
  "2B": diagnose("conflicting_value"),
  "2D": diagnose("wrong_state"),
  "2F": diagnose("refused"),
  "38": diagnose("refused"),
  "39": diagnose("refused"),
  "3B": diagnose("invalid_request"),
  "40": diagnose("lock_conflict"),
  "42": diagnose("invalid_request"),
  "44": diagnose("invalid_request"),
  "53": diagnose("limit_exceeded"),
  "54": diagnose("limit_exceeded"),
  "55": diagnose("wrong_state"),
  "57": diagnose("unavailable"),
  "58": diagnose("tool_failed"),
  "72": diagnose("lock_conflict"),
  F0: diagnose("misconfigured"),
  HV: diagnose("refused"),
  P0: diagnose("refused"),
  XX: diagnose("tool_failed")
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

/** Fields in errors of drivers, and of APIs that forward a database error. */
const drivers =
  /^(?:severity|severity_local|routine|constraint|constraint_name|schema|table|table_name|column|column_name|detail|details|hint|position|sqlState|sqlMessage|sql|query|state|meta|clientVersion)$/

/** Names of a code and of its message in APIs that have their own five-digit codes: WeChat, Alipay, DingTalk. */
const ofApis = /^(?:err_?code|err_?msg|msg|sub_?code|sub_?msg|ret_?code|ret_?msg)$/i

/** Matches a message with the severity that PostgreSQL prints, or with words of databases. */
const ofDatabases =
  /^(?:ERROR|FATAL|PANIC): |\b(?:sql(?:state)?|relation|constraint|duplicate key|serializ\w+|deadlock|transaction|database|statement|syntax error at|null value|value too long|column|table|cursor|savepoint|foreign key)\b/i

/**
 * Returns the code of an object as a SQLSTATE; `undefined` if it is not one. `40001` may also be the code of an API, so
 * five digits count only as text, in an `Error`, next to a driver's fields, or next to a message that reads like one of
 * a database.
 */
export const stateIn = (object: object, field: string, code: unknown): string | undefined => {
  if (typeof code !== "string" || ofSqlState(code) === undefined) return undefined
  if (!/^\d{5}$/.test(code) || /^sqlstate$/i.test(field)) return code
  const names = Object.keys(object)
  if (names.some((name) => drivers.test(name))) return code
  if (names.some((name) => ofApis.test(name))) return undefined
  const message: unknown = "message" in object ? object.message : undefined
  return object instanceof Error || (typeof message === "string" && ofDatabases.test(message)) ? code : undefined
}
