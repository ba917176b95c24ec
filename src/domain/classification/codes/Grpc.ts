/** The canonical status codes of gRPC, which Google's JSON APIs and Connect use as well, by name and number. */
import { each, none, row, type Table, unknown, type Verdict, weak } from "./Verdict.ts"

const names = [
  "OK",
  "CANCELLED",
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED"
]

const statuses: Table = {
  ...each(unknown("timeout"), "CANCELLED DEADLINE_EXCEEDED"),
  ...each(weak(unknown("tool_failed")), "UNKNOWN"),
  ...each(weak(unknown("unavailable")), "INTERNAL"),
  ...each(weak(none("invalid_request")), "INVALID_ARGUMENT"),
  ...each(none("invalid_request"), "OUT_OF_RANGE"),
  ...each(none("unknown_reference"), "NOT_FOUND"),
  ...each(none("conflicting_value"), "ALREADY_EXISTS"),
  ...each(none("unauthorized"), "PERMISSION_DENIED UNAUTHENTICATED"),
  // Rate limits that pass and quotas that do not share this code; what is a quota was said by the words before.
  ...each(none("rate_limited"), "RESOURCE_EXHAUSTED"),
  ...each(weak(none("wrong_state")), "FAILED_PRECONDITION"),
  ...each(none("lock_conflict"), "ABORTED"),
  ...each(none("unsupported"), "UNIMPLEMENTED"),
  ...each(unknown("unavailable"), "UNAVAILABLE"),
  ...each(unknown("tool_failed"), "DATA_LOSS")
}

/** The verdict of `grpc:14`, `grpc:NotFound`, `UNAVAILABLE` or Connect's `resource_exhausted`. */
export const ofGrpc = (code: string): Verdict | undefined => {
  const bare = code.startsWith("grpc:") ? code.slice(5) : code
  if (/^\d{1,2}$/.test(bare)) return code === bare ? undefined : row(statuses, names[Number(bare)] ?? "")
  const spelled = bare.replaceAll(/([a-z])([A-Z])/g, "$1_$2").toUpperCase()
  const name = spelled === "CANCELED" ? "CANCELLED" : spelled
  // Bare words that other programs use as well (`INTERNAL`, `unknown`) count only in gRPC's own spelling.
  return code === bare && bare !== name && !bare.includes("_") ? undefined : row(statuses, name)
}
