/** `toolguard openapi export`: prints the OpenAPI document of a module's tools. */
import * as Json from "#kit/cli/console/Json"
import { load } from "#kit/cli/console/LoadTools"
import * as ToolApi from "effect-toolguard/internal/openapi/ToolApi"
import * as Toolbox from "effect-toolguard/internal/tool/Toolbox"
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"

/**
 * Creates a toolbox of loaded tools. The casts are safe: the loader has checked that the names differ, as `make`
 * requires.
 */
const toolboxOf = (tools: Iterable<AnyTool>): Toolbox.Toolbox<AnyTool> =>
  (Toolbox.make as (...tools: ReadonlyArray<AnyTool>) => unknown)(...tools) as Toolbox.Toolbox<AnyTool>

export const export_ = Command.make(
  "export",
  {
    module: Argument.String("module").pipe(Argument.withDescription("Module of guarded tools")),
    title: Flag.String("title").pipe(
      Flag.withMetavar("<text>"),
      Flag.withDescription("Title of the API. Default: Tools"),
      Flag.withDefault("Tools")
    ),
    server: Flag.String("server").pipe(
      Flag.withMetavar("<url>"),
      Flag.withDescription("URL of a server of the API; repeatable. Default: the server of the document"),
      Flag.atLeast(0)
    )
  },
  Effect.fnUntraced(function* ({ module: path, server, title }) {
    const tools = yield* load(path)
    const document = ToolApi.document(toolboxOf(tools.values()), {
      title,
      ...(server.length === 0 ? {} : { servers: server })
    })
    yield* Console.log(Json.text(document, 2))
  })
).pipe(
  Command.withShortDescription("Print the OpenAPI 3.1 document of a module's tools"),
  Command.withDescription(`Prints the OpenAPI 3.1 document of a module's tools: one POST /tools/NAME for each.

  The schemas are the ones that a model reads. A module exports tool classes, a toolbox or a backend.`),
  Command.withExamples([
    { command: "toolguard openapi export tools.ts > openapi.json", description: "Write the document of your tools" }
  ])
)
