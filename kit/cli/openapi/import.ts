/** `toolguard openapi import`: the tools that an OpenAPI document becomes, and what of it becomes no part of one. */
import { json } from "#kit/cli/console/Flags"
import * as Screen from "#kit/cli/console/Screen"
import { problem } from "#kit/cli/console/Problem"
import * as Import from "effect-toolguard/internal/openapi/Import"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { read } from "./Document.ts"

/** Most lines of what is not supported, unless --json asks for all. */
const mostLines = 40

const few = (made: Import.Import) => ({
  tools: made.imported.map(({ needs, operation, pointer, renamed, tool, unchecked }) => ({
    name: tool.toolName,
    access: tool.access,
    method: operation.method,
    path: operation.path,
    pointer,
    ...(needs.length === 0 ? {} : { needs }),
    ...(renamed.length === 0 ? {} : { renamed }),
    ...(unchecked.length === 0 ? {} : { unchecked })
  })),
  refused: made.refused.map(({ operation, pointer, reason }) => ({
    method: operation.method,
    path: operation.path,
    pointer,
    reason
  })),
  unsupported: made.unsupported
})

const lines = (screen: Screen.Screen, made: Import.Import): void => {
  const { imported, refused, unsupported } = made
  const width = Math.min(48, Math.max(0, ...imported.map(({ tool }) => tool.toolName.length)))
  for (const { operation, tool } of imported) {
    const name = tool.toolName.padEnd(width)
    const style = tool.access === "read" ? "dim" : tool.access === "write" ? "yellow" : "red"
    const target = Screen.plain(`${operation.method} ${operation.path}`)
    screen.line(
      `${name}  ${screen.styled(style, tool.access.padEnd(11))}  ${Screen.fit(target, screen.columns - width - 15)}`
    )
  }
  if (unsupported.length > 0) screen.line("")
  for (const { pointer, reason } of unsupported.slice(0, mostLines)) {
    screen.line(Screen.plain(pointer))
    for (const line of Screen.wrap(Screen.plain(reason), screen.columns - 2)) screen.line(`  ${line}`)
  }
  const rest = unsupported.length - mostLines
  if (rest > 0) screen.line(`${rest} more with --json.`)
  const none = refused.length === 0 ? "" : `; ${refused.length} became none`
  screen.line("")
  screen.line(`${imported.length} operations became tools${none}.`)
}

/** Nothing is called, so a document that does not say where its API is will do. */
const toolsOf = (document: unknown, baseUrl: string | undefined) => {
  if (baseUrl !== undefined) return Import.tools(document, { baseUrl })
  const made = Import.tools(document)
  return Result.isFailure(made) && made.failure.pointer.startsWith("/servers")
    ? Import.tools(document, { baseUrl: "http://localhost" })
    : made
}

export const import_ = Command.make(
  "import",
  {
    document: Argument.String("document").pipe(
      Argument.withDescription("OpenAPI 3 document as JSON; - is standard input")
    ),
    baseUrl: Flag.String("base-url").pipe(
      Flag.withMetavar("<url>"),
      Flag.withDescription("Where the API is. Default: the first server of the document"),
      Flag.optional
    ),
    json
  },
  Effect.fnUntraced(function* (given) {
    const document = yield* read(given.document)
    const baseUrl = Option.getOrUndefined(given.baseUrl)
    const made = toolsOf(document, baseUrl)
    if (Result.isFailure(made)) return yield* problem(made.failure.message, "")
    if (given.json) return yield* Console.log(JSON.stringify(few(made.success)))
    lines(yield* Screen.make(false), made.success)
  })
).pipe(
  Command.withShortDescription("List the tools that an OpenAPI document becomes"),
  Command.withDescription(`Lists the tools that an OpenAPI document (3.0, 3.1, 3.2; JSON) becomes, with what of it
  becomes no part of a tool: by JSON Pointer, with the reason. Nothing is called.

  To lint those tools, give the document to toolguard lint.`),
  Command.withExamples([
    { command: "toolguard openapi import openapi.json", description: "The tools, and what is not supported" },
    { command: "toolguard openapi import openapi.json --json", description: "The same for programs" }
  ])
)
