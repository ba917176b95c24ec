/** `toolguard openapi`: guarded tools as an HTTP API with an OpenAPI document, and tools from OpenAPI documents. */
import * as Command from "effect/cli/Command"
import { export_ } from "./export.ts"
import { import_ } from "./import.ts"
import { serve } from "./serve.ts"

export const openapi = Command.make("openapi").pipe(
  Command.withShortDescription("Serve guarded tools over HTTP, or import tools from an OpenAPI document"),
  Command.withDescription("Serves guarded tools as an HTTP API, and imports tools from OpenAPI documents."),
  Command.withSubcommands([export_, serve, import_])
)
