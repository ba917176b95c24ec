/** The tool that stands in for unknown names, so that their refusal passes the outer stages and is recorded. */
import * as Contract from "#domain/schema/Contract"
import * as EffectivePolicy from "#domain/tool/EffectivePolicy"
import * as Schema from "effect/Schema"
import { compile, nothingDeclared } from "./ToolCompiler.ts"
import type { CompiledTool } from "./CompiledTool.ts"

const name = "unknown_tool"
const parameters = Schema.Struct({})

let compiled: CompiledTool | undefined

/** Returns the tool, which is compiled like any tool, except that it does not exist. */
export const unknownTool = (): CompiledTool => (compiled ??= make())

const make = (): CompiledTool => ({
  ...compile(
    {
      ...EffectivePolicy.resolve(name, {}, true),
      ...nothingDeclared,
      name,
      id: name,
      description: "",
      access: "read",
      parameters,
      success: Schema.Unknown
    },
    Contract.makeUnsafe(name, parameters),
    () => undefined,
    { owner: undefined, provider: undefined, site: () => undefined }
  ),
  exists: false
})
