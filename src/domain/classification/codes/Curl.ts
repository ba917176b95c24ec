/** Exit codes of curl (`curl: (28)`), from its manual. Code 22 reports an HTTP error; the text contains its status. */
import { each, none, row, type Table, unknown, unknownHost, type Diagnosis, weak } from "./Diagnosis.ts"

const exits: Table = {
  ...each(none("invalid_request"), "1 2 3 43 48 49 57 63"),
  ...each(none("unsupported"), "4 81"),
  ...each(none("connection_failed"), "5 7 97"),
  6: unknownHost,
  ...each(unknown("invalid_result"), "8 61"),
  ...each(none("unauthorized"), "9 67 94"),
  ...each(unknown("timeout"), "12 28"),
  ...each(unknown("connection_lost"), "16 52 55 56 92 95 96"),
  18: unknown("body_cut"),
  // The TLS handshake failed, so the request was not sent.
  35: weak(none("connection_failed")),
  ...each(none("misconfigured"), "51 53 54 58 59 60 64 66 77 80 82 83 90 91 98"),
  22: weak(none("invalid_request")),
  23: unknown("tool_failed"),
  25: none("refused"),
  26: unknown("unknown_reference"),
  27: unknown("out_of_memory"),
  30: unknown("connection_failed"),
  33: unknown("unsupported"),
  36: unknown("tool_failed"),
  37: none("unknown_reference"),
  47: unknown("refused"),
  65: unknown("tool_failed"),
  69: none("unauthorized"),
  70: none("disk_full"),
  73: none("conflicting_value"),
  78: none("unknown_reference"),
  79: unknown("connection_lost"),
  89: none("busy")
}

/** Returns the diagnosis of an exit code of curl, such as `curl:28`. */
export const ofCurl = (code: string): Diagnosis | undefined =>
  code.startsWith("curl:") ? row(exits, code.slice(5)) : undefined
