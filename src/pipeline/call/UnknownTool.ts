/** The stand-in for a name that no tool has: it passes the outer stages, so that its refusal is recorded like any other. */
import * as Contract from "#domain/schema/Contract"
import { resolvePolicy } from "#domain/tool/ToolDefinition"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { compile } from "./Compile.ts"
import type { CompiledTool } from "./CompiledTool.ts"

const parameters = Schema.Struct({})

export const unknownTool: CompiledTool = {
  ...compile(
    {
      ...resolvePolicy({}, true),
      name: "unknown_tool",
      description: "",
      access: "read",
      critical: false,
      parameters,
      success: Schema.Unknown,
      answers: "value",
      checks: [],
      fallbacks: [],
      idempotency: { mode: "none", fields: undefined, upstreamHonoursKey: false, timeToLive: Duration.zero },
      reconcile: undefined,
      salvage: undefined,
      poll: undefined,
      approval: undefined
    },
    Contract.makeUnsafe("unknown_tool", parameters),
    () => undefined
  ),
  exists: false
}
