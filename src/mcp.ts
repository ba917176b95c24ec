/**
 * What users import from `effect-toolguard/mcp`: the tools of MCP servers as guarded tools, and guarded tools as an MCP server.
 */
export * as Lock from "./mcp/remote/Lock.ts"
export * as McpServe from "./mcp/serve/McpServe.ts"
export * as McpTools from "./mcp/remote/McpTools.ts"
export type { ListedTool } from "./mcp/remote/ListTools.ts"
export type { Selection } from "./mcp/remote/Names.ts"
export type { RemotePolicy } from "./mcp/remote/RemoteTool.ts"
export type { Unaccepted } from "./mcp/remote/Watch.ts"
export type { Address } from "./mcp/wire/Http.ts"
export { McpError, type Reason } from "./mcp/wire/McpError.ts"
export type { Command } from "./mcp/wire/Stdio.ts"
export type { Program } from "./mcp/wire/Version.ts"
