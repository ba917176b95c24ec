/** `toolguard openapi import`: lists the tools of an OpenAPI document, and the parts of it that are not supported. */
import * as PartCount from "effect-toolguard/internal/domain/json/PartCount"
import { counted } from "#kit/text/Numbers"
import * as Json from "#kit/cli/console/Json"
import { json } from "#kit/cli/console/Flags"
import * as Screen from "#kit/cli/console/Screen"
import * as InputText from "#kit/cli/console/InputText"
import { lineOf, type Problem, problem } from "#kit/cli/console/Problem"
import * as Import from "effect-toolguard/internal/openapi/Import"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

const howTo = "Pass an OpenAPI document of version 3, as JSON."

/** Reads and parses a document from a file, or from standard input for `-`. */
const read = (path: string): Effect.Effect<unknown, Problem> =>
  Effect.gen(function* () {
    const { name, text } = yield* InputText.read(path, howTo)
    const excess = PartCount.excess(text)
    if (excess !== undefined) return yield* problem(`${name} takes too much memory. ${excess}`, "Split the document.")
    return yield* Effect.try({
      try: (): unknown => JSON.parse(text.replace(/^\ufeff/, "")),
      catch: (error) =>
        /^\s*(?:#[^\n]*\n\s*)*(?:openapi|swagger)\s*:/m.test(text.slice(0, 10_000))
          ? problem(`${name} is YAML.`, "Convert it to JSON first, for example with npx yaml --json.")
          : problem(`${name} is not valid JSON: ${lineOf(error)}.`, howTo)
    })
  })

/** The maximum number of unsupported parts that are listed without --json. */
const maxListed = 40

/** Returns the result of an import as JSON. */
const jsonOf = (result: Import.Import) => ({
  tools: result.imported.map(({ needs, operation, pointer, renamed, tool, unchecked }) => ({
    name: tool.toolName,
    access: tool.access,
    method: operation.method,
    path: operation.path,
    pointer,
    ...(needs.length === 0 ? {} : { needs }),
    ...(renamed.length === 0 ? {} : { renamed }),
    ...(unchecked.length === 0 ? {} : { unchecked })
  })),
  refused: result.refused.map(({ operation, pointer, reason }) => ({
    method: operation.method,
    path: operation.path,
    pointer,
    reason
  })),
  unsupported: result.unsupported
})

/** Returns the tools' constraints that are not fully enforced. Each pointer begins with the name of the tool. */
const uncheckedOf = ({ imported }: Import.Import): Import.Import["unsupported"] =>
  imported.flatMap(({ tool, unchecked }) =>
    unchecked.map(({ of, pointer, reason }) => ({
      pointer: `${tool.toolName}, not fully enforced in ${of}: ${pointer === "" ? "the whole schema" : pointer}`,
      reason
    }))
  )

/** Prints the tools, then the unsupported parts and the constraints that are not enforced. */
const write = (screen: Screen.Screen, result: Import.Import): void => {
  const { imported, refused } = result
  const unsupported = [...result.unsupported, ...uncheckedOf(result)]
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
  for (const { pointer, reason } of unsupported.slice(0, maxListed)) {
    screen.line(Screen.plain(pointer))
    for (const line of Screen.wrap(Screen.plain(reason), screen.columns - 2)) screen.line(`  ${line}`)
  }
  const rest = unsupported.length - maxListed
  if (rest > 0) screen.line(`--json lists ${rest} more.`)
  const failures = refused.length === 0 ? "" : `; ${counted(refused.length, "operation")} not supported`
  screen.line("")
  screen.line(`${counted(imported.length, "tool")} imported${failures}.`)
}

/** Imports the tools. They are never called, so a document without a server is accepted. */
const toolsOf = (document: unknown, baseUrl: string | undefined) => {
  if (baseUrl !== undefined) return Import.tools(document, { baseUrl })
  const result = Import.tools(document)
  return Result.isFailure(result) && result.failure.pointer.startsWith("/servers")
    ? Import.tools(document, { baseUrl: "http://localhost" })
    : result
}

export const import_ = Command.make(
  "import",
  {
    document: Argument.String("document").pipe(
      Argument.withDescription("OpenAPI 3 document as JSON; - is standard input")
    ),
    baseUrl: Flag.String("base-url").pipe(
      Flag.withMetavar("<url>"),
      Flag.withDescription("URL of the API. Default: the first server of the document"),
      Flag.optional
    ),
    json
  },
  Effect.fnUntraced(function* (options) {
    const document = yield* read(options.document)
    const baseUrl = Option.getOrUndefined(options.baseUrl)
    const result = toolsOf(document, baseUrl)
    if (Result.isFailure(result)) return yield* problem(result.failure.message, "")
    if (options.json) return yield* Console.log(Json.text(jsonOf(result.success)))
    write(yield* Screen.make(false), result.success)
  })
).pipe(
  Command.withShortDescription("List the tools of an OpenAPI document"),
  Command.withDescription(`Lists the tools that an OpenAPI document (3.0, 3.1, 3.2; JSON) describes, then each part that is
  not supported and each constraint that is not fully enforced, with its JSON Pointer and the reason. No
  tool is called.

  To lint these tools, pass the document to toolguard lint.`),
  Command.withExamples([
    { command: "toolguard openapi import openapi.json", description: "List the tools and the unsupported parts" },
    { command: "toolguard openapi import openapi.json --json", description: "Print the same as JSON" }
  ])
)
