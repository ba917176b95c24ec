/** Error codes of JSON-RPC 2.0, of MCP (server range, SDKs) and of the language server protocol. */
import { diagnose, type Diagnosis, row, type Table, weak } from "./Diagnosis.ts"

const codes: Table = {
  "-32700": diagnose("invalid_json"),
  "-32600": weak(diagnose("invalid_request")),
  "-32601": diagnose("unsupported"),
  "-32602": diagnose("invalid_arguments"),
  // Servers report any failure of a tool as "internal error".
  "-32603": weak(diagnose("tool_failed")),
  // Servers define these codes. The MCP SDKs use -32000 for a closed connection and -32001 for a timeout.
  "-32000": weak(diagnose("tool_failed")),
  "-32001": weak(diagnose("tool_failed")),
  "-32002": diagnose("unknown_reference"),
  "-32003": weak(diagnose("unauthorized")),
  "-32042": diagnose("wrong_state"),
  "-32800": diagnose("timeout"),
  "-32801": diagnose("conflicting_value"),
  "-32802": diagnose("timeout"),
  "-32803": weak(diagnose("tool_failed"))
}

/** Returns the diagnosis of a code such as `jsonrpc:-32602`. */
export const ofJsonRpc = (code: string): Diagnosis | undefined =>
  code.startsWith("jsonrpc:") ? (row(codes, code.slice(8)) ?? weak(diagnose("tool_failed"))) : undefined
