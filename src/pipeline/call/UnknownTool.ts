/** The stand-in for a name that no tool has: it passes the outer stages, so that its refusal is recorded like any other. */
import * as Contract from "#domain/schema/Contract"
import { resolvePolicy } from "#domain/tool/ToolDefinition"
import * as Schema from "effect/Schema"
import { compile, nothingDeclared } from "./Compile.ts"
import type { CompiledTool } from "./CompiledTool.ts"

const parameters = Schema.Struct({})

export const unknownTool: CompiledTool = {
  ...compile(
    {
      ...resolvePolicy({}, true),
      ...nothingDeclared,
      name: "unknown_tool",
      description: "",
      access: "read",
      parameters,
      success: Schema.Unknown
    },
    Contract.makeUnsafe("unknown_tool", parameters),
    () => undefined
  ),
  exists: false
}
