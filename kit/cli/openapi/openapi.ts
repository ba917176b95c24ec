/** `toolguard openapi`: guarded tools as an HTTP API with its document, and documents as tools. */
import * as Command from "effect/cli/Command"
import { export_ } from "./export.ts"
import { import_ } from "./import.ts"
import { serve } from "./serve.ts"

export const openapi = Command.make("openapi").pipe(
  Command.withShortDescription("Serve guarded tools over HTTP, or see what tools an OpenAPI document becomes"),
  Command.withDescription("Guarded tools and OpenAPI documents."),
  Command.withSubcommands([export_, serve, import_])
)
