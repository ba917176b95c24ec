/** Error codes of JSON-RPC 2.0, of MCP (server range, SDKs) and of the language server protocol. */
import { none, row, type Table, unknown, type Diagnosis, weak } from "./Diagnosis.ts"

const codes: Table = {
  "-32700": none("invalid_json"),
  "-32600": weak(none("invalid_request")),
  "-32601": none("unsupported"),
  "-32602": none("invalid_arguments"),
  // Servers report any failure of a tool as "internal error".
  "-32603": weak(unknown("tool_failed")),
  // Servers define these codes. The MCP SDKs use -32000 for a closed connection and -32001 for a timeout.
  "-32000": weak(unknown("tool_failed")),
  "-32001": weak(unknown("tool_failed")),
  "-32002": none("unknown_reference"),
  "-32003": weak(none("unauthorized")),
  "-32042": none("wrong_state"),
  "-32800": unknown("timeout"),
  "-32801": none("conflicting_value"),
  "-32802": unknown("timeout"),
  "-32803": weak(unknown("tool_failed"))
}

/** Returns the diagnosis of a code such as `jsonrpc:-32602`. */
export const ofJsonRpc = (code: string): Diagnosis | undefined =>
  code.startsWith("jsonrpc:") ? (row(codes, code.slice(8)) ?? weak(unknown("tool_failed"))) : undefined
