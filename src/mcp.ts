/**
 * The entry `effect-toolguard/mcp`: guards the tools of MCP servers, and serves guarded tools as an MCP server.
 */
export * as Lock from "#src/mcp/remote/Lock"
export * as McpServe from "#src/mcp/serve/McpServe"
export * as McpTools from "#src/mcp/remote/McpTools"
export type { ListedTool } from "#src/mcp/remote/ToolListing"
export type { Selection } from "#src/mcp/remote/Names"
export type { PollCondition } from "#domain/tool/PollCondition"
export type { RemotePolicy, RemotePoll } from "#src/tool/RemotePolicy"
export type { RefusalReason } from "#src/mcp/remote/Watch"
export type { Address } from "#src/mcp/wire/Http"
export { McpError, type Reason } from "#src/mcp/wire/McpError"
export type { Command } from "#src/mcp/wire/Stdio"
export type { Program } from "#src/mcp/wire/Version"
