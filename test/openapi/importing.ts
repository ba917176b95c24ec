/** Imports documents and calls their tools in tests. */
import { Guard } from "#src/guard/Guard"
import * as Import from "#src/openapi/Import"
import * as Toolbox from "#src/tool/Toolbox"
import { Effect, Layer, Logger, Result } from "effect"
import { FetchHttpClient } from "effect/http"

/** Returns an OpenAPI 3.1 document with these paths. */
export const documentOf = (paths: object, more: object = {}) => ({
  openapi: "3.1.0",
  info: { title: "test", version: "1" },
  paths,
  ...more
})

/** Imports a document, or throws the reason why it is refused. */
export const imported = (document: unknown, options: Import.ImportOptions = {}): Import.Import =>
  Import.toolsUnsafe(document, { baseUrl: "http://127.0.0.1:9", ...options })

/** Returns the reason why a document is refused; undefined if it is accepted. */
export const refusal = (document: unknown, options: Import.ImportOptions = {}) => {
  const result = Import.tools(document, options)
  return Result.isFailure(result) ? result.failure : undefined
}

/** Returns the tool with a name. */
export const named = ({ tools }: Import.Import, name: string): Import.ImportedTool => {
  const found = tools.find(({ toolName }) => toolName === name)
  if (found === undefined) throw new Error(`no tool ${name} among ${tools.map(({ toolName }) => toolName).join(", ")}`)
  return found
}

/** Calls a tool as a model, and returns the envelope, untyped so that tests can read any field. */
export const answer = (tool: Import.ImportedTool, args: unknown) =>
  Effect.map(
    Toolbox.make(tool).answer({ name: tool.toolName, arguments: args, callId: "c" }),
    ({ text }) => JSON.parse(text) as any
  )

/** Provides a guard, an HTTP client, and no logger: most of these calls are made outside a turn, which logs a warning. */
export const live = Layer.mergeAll(Guard.layerMemory, FetchHttpClient.layer, Logger.layer([]))
