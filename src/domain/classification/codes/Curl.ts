/** Exit codes of curl (`curl: (28)`), from its manual. Code 22 reports an HTTP error; the text contains its status. */
import { diagnose, type Diagnosis, each, row, type Table, unknownHost, weak } from "./Diagnosis.ts"

const exits: Table = {
  ...each(diagnose("invalid_request"), "1 2 3 43 48 49 57 63"),
  ...each(diagnose("unsupported"), "4 81"),
  ...each(diagnose("connection_failed"), "5 7 97"),
  6: unknownHost,
  ...each(diagnose("invalid_result"), "8 61"),
  ...each(diagnose("unauthorized"), "9 67 94"),
  ...each(diagnose("timeout"), "12 28"),
  ...each(diagnose("connection_lost"), "16 52 55 56 92 95 96"),
  18: diagnose("body_cut"),
  35: weak(diagnose("connection_failed")),
  ...each(diagnose("misconfigured"), "51 53 54 58 59 60 64 66 77 80 82 83 90 91 98"),
  22: weak(diagnose("invalid_request")),
  23: diagnose("tool_failed"),
  25: diagnose("refused"),
  26: diagnose("unknown_reference"),
  27: diagnose("out_of_memory"),
  30: diagnose("connection_failed"),
  33: diagnose("unsupported"),
  36: diagnose("tool_failed"),
  37: diagnose("unknown_reference"),
  47: diagnose("refused"),
  65: diagnose("tool_failed"),
  69: diagnose("unauthorized"),
  70: diagnose("disk_full"),
  73: diagnose("conflicting_value"),
  78: diagnose("unknown_reference"),
  79: diagnose("connection_lost"),
  89: diagnose("busy")
}

/** Returns the diagnosis of an exit code of curl, such as `curl:28`. */
export const ofCurl = (code: string): Diagnosis | undefined =>
  code.startsWith("curl:") ? row(exits, code.slice(5)) : undefined
