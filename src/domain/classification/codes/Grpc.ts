/** Maps the status codes of gRPC, which Google's JSON APIs and Connect also use, by name and number to diagnoses. */
import { diagnose, type Diagnosis, each, row, type Table, weak } from "./Diagnosis.ts"

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
  ...each(diagnose("timeout"), "CANCELLED DEADLINE_EXCEEDED"),
  ...each(weak(diagnose("tool_failed")), "UNKNOWN"),
  ...each(weak(diagnose("unavailable")), "INTERNAL"),
  ...each(weak(diagnose("invalid_request")), "INVALID_ARGUMENT"),
  ...each(diagnose("invalid_request"), "OUT_OF_RANGE"),
  ...each(diagnose("unknown_reference"), "NOT_FOUND"),
  ...each(diagnose("conflicting_value"), "ALREADY_EXISTS"),
  ...each(diagnose("unauthorized"), "UNAUTHENTICATED"),
  ...each(diagnose("permission_denied"), "PERMISSION_DENIED"),
  // Rate limits, quotas, memory and disks share this code, so the words decide.
  ...each(weak(diagnose("rate_limited")), "RESOURCE_EXHAUSTED"),
  ...each(weak(diagnose("wrong_state")), "FAILED_PRECONDITION"),
  ...each(diagnose("lock_conflict"), "ABORTED"),
  ...each(diagnose("unsupported"), "UNIMPLEMENTED"),
  ...each(diagnose("unavailable"), "UNAVAILABLE"),
  ...each(diagnose("tool_failed"), "DATA_LOSS")
}

/** Returns the diagnosis of `grpc:14`, `grpc:NotFound`, `UNAVAILABLE` or Connect's `resource_exhausted`. */
export const ofGrpc = (code: string): Diagnosis | undefined => {
  const bare = code.startsWith("grpc:") ? code.slice(5) : code
  if (/^\d{1,2}$/.test(bare)) return code === bare ? undefined : row(statuses, names[Number(bare)] ?? "")
  const spelled = bare.replaceAll(/([a-z])([A-Z])/g, "$1_$2").toUpperCase()
  const name = spelled === "CANCELED" ? "CANCELLED" : spelled
  // Without the prefix, a word counts only in capitals, as gRPC spells it, because other programs also print `unknown`.
  return code === bare && bare !== name && !bare.includes("_") ? undefined : row(statuses, name)
}
