/** Summarises tools and their imports from the document of their toolbox, so that tests can compare them. */
import { resultSchema } from "#domain/schema/Contract"
import * as Import from "#src/openapi/Import"
import * as ToolApi from "#src/openapi/ToolApi"
import { compiledOf } from "#pipeline/call/CompiledTool"
import type * as Toolbox from "#src/tool/Toolbox"
import { assert } from "@effect/vitest"
import type { Tool } from "../pipeline/support.ts"

/** Returns the properties that must be equal for a tool and its import. */
const summaryOf = (tool: Tool, result: unknown) => {
  const { contract, definition } = compiledOf(tool)
  return {
    name: definition.name,
    description: contract.describe(definition.description),
    access: definition.access,
    critical: definition.critical,
    isKeyed: definition.access !== "read" && definition.idempotency.mode !== "none",
    parameters: contract.jsonSchema2020,
    result
  }
}

/** Returns the summaries of tools before and after the import. */
export const summaries = (toolbox: Toolbox.Toolbox<any>) => {
  const document = JSON.parse(JSON.stringify(ToolApi.document(toolbox)))
  const { imported, unsupported } = Import.toolsUnsafe(document, { baseUrl: "http://127.0.0.1" })
  assert.deepStrictEqual(unsupported, [])
  return {
    before: [...toolbox.tools.values()].map((tool: Tool) =>
      summaryOf(tool, resultSchema(compiledOf(tool).definition.success).jsonSchema2020)
    ),
    after: imported.map(({ result, tool }) => summaryOf(tool as Tool, result))
  }
}
