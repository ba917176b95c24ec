/** Tools of a document in a few lines, called against an upstream of ours. */
import { Guard } from "#src/guard/Guard"
import * as Import from "#src/openapi/Import"
import * as Toolbox from "#src/tool/Toolbox"
import { Effect, Layer, Result } from "effect"
import { FetchHttpClient } from "effect/http"

/** A document of OpenAPI 3.1 with these paths. */
export const documentOf = (paths: object, more: object = {}) => ({
  openapi: "3.1.0",
  info: { title: "test", version: "1" },
  paths,
  ...more
})

/** Imports, or throws what the document is refused for. */
export const imported = (document: unknown, options: Import.ImportOptions = {}): Import.Import =>
  Import.toolsUnsafe(document, { baseUrl: "http://127.0.0.1:9", ...options })

export const refusal = (document: unknown, options: Import.ImportOptions = {}) => {
  const made = Import.tools(document, options)
  return Result.isFailure(made) ? made.failure : undefined
}

/** The tool of a name. */
export const named = ({ tools }: Import.Import, name: string): Import.ImportedTool => {
  const found = tools.find(({ toolName }) => toolName === name)
  if (found === undefined) throw new Error(`no tool ${name} among ${tools.map(({ toolName }) => toolName).join(", ")}`)
  return found
}

/** What a model reads of one call. */
export const answer = (tool: Import.ImportedTool, args: unknown) =>
  Effect.map(
    Toolbox.make(tool).answer({ name: tool.toolName, arguments: args, callId: "c" }),
    ({ text }) => JSON.parse(text) as any
  )

/** A guard and a client. */
export const live = Layer.merge(Guard.layerMemory, FetchHttpClient.layer)
