/** `toolguard mcp`: guarded tools over the Model Context Protocol (MCP). */
import * as Command from "effect/cli/Command"
import { proxy } from "./proxy.ts"
import { serve } from "./serve.ts"

export const mcp = Command.make("mcp").pipe(
  Command.withShortDescription("Serve guarded tools over MCP, or put an MCP server behind the guard"),
  Command.withDescription("Guarded tools over the Model Context Protocol (MCP)."),
  Command.withSubcommands([serve, proxy])
)
