/**
 * Describes a guarded tool for `tools/list`: its closed schema, the schema of its envelopes, and hints from its access.
 */
import { compiledOf } from "#pipeline/call/CompiledTool"
import type { ToolReference } from "#domain/tool/ToolDefinition"
import * as McpSchema from "effect/ai/McpSchema"
import * as OutputSchema from "./OutputSchema.ts"

/** Returns the entry of `tools/list`. */
export const of = (tool: ToolReference): McpSchema.Tool => {
  const { contract, definition } = compiledOf(tool)
  const { access, description, enforce, idempotency, repeats, name, success } = definition
  const title = titleOf(name)
  return new McpSchema.Tool({
    name,
    title,
    description: contract.describe(description),
    inputSchema: { ...contract.jsonSchema, type: "object" },
    outputSchema: OutputSchema.of(success, enforce),
    annotations: {
      title,
      readOnlyHint: access === "read",
      destructiveHint: access === "destructive",
      // the tool only reads, or the guard executes an action once under a derived key
      idempotentHint: access === "read" || (idempotency.mode === "derived" && repeats !== "allowed"),
      openWorldHint: true
    }
  })
}

/** Converts a name such as `find_order` to a title: `Find order`. */
const titleOf = (name: string): string => {
  const words = name.replaceAll(/[_\-./]+/g, " ").trim()
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}
