/** Reads guarded tools as a list, as the model sees them, with the suppressions in their definitions. */
import { lintIgnoresOf } from "effect-toolguard/internal/domain/schema/LintIgnore"
import { resultSchema } from "effect-toolguard/internal/domain/schema/Contract"
import { isRepeatable } from "effect-toolguard/internal/domain/tool/ToolDefinition"
import { type CompiledTool, Compiled } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import * as Suppressions from "./Suppressions.ts"
import type { JsonPointer } from "effect-toolguard/internal/domain/json/JsonPointer"
import type { ListedTool, Listing } from "./ListedTool.ts"

/** Reads the tools of a module as a list. The pointers to the parts of a tool start with its name. */
export const read = (
  tools: Iterable<AnyTool>
): { readonly listing: Listing; readonly suppressions: ReadonlyArray<Suppressions.Suppression> } => {
  // every tool class has its compiled form under this symbol, which the public type does not show
  const compiled = [...tools].map((tool) => (tool as AnyTool & { readonly [Compiled]: CompiledTool })[Compiled])
  return {
    listing: { tools: compiled.map(listed), unreadable: [] },
    suppressions: compiled.flatMap(({ definition: { name, parameters } }) =>
      lintIgnoresOf(parameters).flatMap(({ pointer, reasons }) => {
        // a suppression on the parameters as a whole applies to the whole tool
        const place = pointer.length === 0 ? [name] : [name, "parameters", ...pointer]
        return Suppressions.at(place, reasons, place)
      })
    )
  }
}

const listed = ({ contract, definition }: CompiledTool): ListedTool => {
  const { access, name } = definition
  const at = (part: string): JsonPointer => [name, part]
  const description = contract.describe(definition.description)
  const parameters = contract.jsonSchema
  return {
    name,
    description,
    parameters,
    result: resultSchema(definition.success).jsonSchema,
    style: "guarded",
    access,
    isRepeatable: isRepeatable(definition),
    shown: { name, description, parameters },
    at: {
      tool: [name],
      name: at("name"),
      description: at("description"),
      parameters: at("parameters"),
      result: at("success")
    }
  }
}
