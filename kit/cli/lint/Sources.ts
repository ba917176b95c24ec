/**
 * Reads lists of tools from JSON lists, OpenAPI documents, modules of guarded tools and MCP servers, with the place of
 * each tool.
 *
 * A file that does not exist, is not JSON, or is not a list of tools fails with one line that names the place.
 */
import * as PartCount from "effect-toolguard/internal/domain/json/PartCount"
import * as JsonText from "effect-toolguard/internal/domain/json/JsonText"
import * as GuardedTools from "#kit/lint/reading/GuardedTools"
import * as Suppressions from "#kit/lint/reading/Suppressions"
import * as JsonPointer from "effect-toolguard/internal/domain/json/JsonPointer"
import * as JsonDocument from "#kit/lint/reading/JsonDocument"
import type { Listing } from "#kit/lint/reading/ListedTool"
import * as ListingFormats from "#kit/lint/reading/ListingFormats"
import { head, type Region } from "#kit/lint/report/Report"
import * as Import from "effect-toolguard/internal/openapi/Import"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { existsSync, readFileSync, statSync } from "node:fs"
import { extname, isAbsolute, relative, resolve } from "node:path"
import * as InputText from "#kit/cli/console/InputText"
import * as LoadTools from "#kit/cli/console/LoadTools"
import { type Problem, problem } from "#kit/cli/console/Problem"
import { plain } from "#kit/cli/console/Screen"
import * as McpList from "./McpList.ts"

/** A list to lint, and its origin. */
export interface Source {
  /** The name on the command line. */
  readonly name: string
  /** The file that findings refer to. */
  readonly artifact: string
  readonly listing: Listing
  readonly suppressions: ReadonlyArray<Suppressions.Suppression>
  /** The text of a JSON list; only such a list can be corrected. */
  readonly text: string | undefined
  readonly duplicates: ReadonlyArray<JsonPointer.JsonPointer>
  readonly regionOf: (pointer: JsonPointer.JsonPointer, tool: string | undefined) => Region
}

const howTo =
  "A list is JSON in the format of OpenAI, Anthropic or MCP, or an OpenAPI document; a module of tools has the extension .ts or .js."

/** Reads a file: a module of guarded tools, or a JSON list; `-` is standard input. */
export const file = (path: string): Effect.Effect<Source, Problem> =>
  /^\.[cm]?[jt]s$/u.test(extname(path)) ? module(path) : json(path)

/** Returns the path relative to the working directory, or the absolute path if the file is outside that directory. */
const artifactOf = (path: string): string => {
  const inside = relative(process.cwd(), resolve(path))
  return inside === "" || inside.startsWith("..") || isAbsolute(inside) ? resolve(path) : inside
}

/** Reads a JSON list. */
export const json = (path: string): Effect.Effect<Source, Problem> =>
  Effect.gen(function* () {
    const { isStandardInput, name, text } = yield* InputText.read(path, howTo)
    const excess = PartCount.excess(text, maxValues)
    if (excess !== undefined) return yield* problem(`${name} takes too much memory. ${excess}`, "Split it.")
    const parsed = JsonText.parse(text, JsonText.resultLimits)
    if (Result.isFailure(parsed)) {
      const { column, line, message } = parsed.failure
      return yield* problem(
        `${name}:${line}:${column} is not valid JSON: ${message}.`,
        "Correct it, and run the command again."
      )
    }
    const artifact = isStandardInput ? "stdin" : artifactOf(path)
    if (isOpenApi(parsed.success)) return yield* openApi(name, artifact, text, parsed.success)
    const listing = ListingFormats.read(parsed.success)
    if (Result.isFailure(listing)) return yield* problem(`${name} is not a list of tools. ${listing.failure}`, howTo)
    yield* checkLength(name, listing.success)
    const root = JsonDocument.parse(text)
    return {
      name,
      artifact,
      listing: listing.success,
      suppressions: Suppressions.inDocument(parsed.success),
      text: !isStandardInput && statSync(path).isFile() ? text : undefined,
      duplicates: JsonDocument.duplicates(root),
      regionOf: regions(text, root)
    }
  })

/** The maximum number of values of a list, because the place of each is kept in memory. */
const maxValues = 300_000

/** The maximum number of tools of a list. Providers accept up to a few hundred. */
const maxTools = 2_000

/** Refuses a list that is too long to be checked. */
const checkLength = (name: string, { tools, unreadable }: Listing): Effect.Effect<void, Problem> => {
  const length = tools.length + unreadable.length
  return length <= maxTools
    ? Effect.void
    : Effect.fail(problem(`${name} has ${length} tools; at most ${maxTools} are read.`, "Split the list."))
}

const isOpenApi = (value: unknown): boolean =>
  Predicate.isObject(value) && (typeof value["openapi"] === "string" || typeof value["swagger"] === "string")

/** Reads the tools of an OpenAPI document. Findings about a tool refer to its operation. */
const openApi = (name: string, artifact: string, text: string, document: unknown): Effect.Effect<Source, Problem> => {
  // the tools are never called, so the address of the API does not matter
  const imports = (include: () => boolean) => Import.tools(document, { baseUrl: "http://localhost", include })
  let count = 0
  imports(() => {
    count += 1
    return false
  })
  if (count > maxTools)
    return Effect.fail(problem(`${name} has ${count} operations; at most ${maxTools} are read.`, "Split the document."))
  const result = imports(() => true)
  if (Result.isFailure(result)) return Effect.fail(problem(result.failure.message, ""))
  const { imported, tools } = result.success
  // the positions take as much memory as the tools, so they are read when the tools are no longer needed
  let at: ReturnType<typeof regions> | undefined
  const operations = new Map(imported.map(({ pointer, tool }) => [tool.toolName, JsonPointer.parse(pointer)]))
  return Effect.succeed({
    name,
    artifact,
    ...GuardedTools.read(tools),
    text: undefined,
    duplicates: [],
    regionOf: (_: JsonPointer.JsonPointer, tool: string | undefined): Region => {
      at ??= regions(text)
      return at(operations.get(tool ?? "") ?? [])
    }
  })
}

/** Returns a function that finds the regions of pointers in a JSON text. */
export const regions = (
  text: string,
  root = JsonDocument.parse(text)
): ((pointer: JsonPointer.JsonPointer) => Region) => {
  const locate = JsonDocument.locator(text)
  return (pointer) => {
    const { end, start } = JsonDocument.rangeOf(root, pointer)
    const [from, to] = [locate(start), locate(end)]
    return { ...from, endLine: to.line, endColumn: to.column }
  }
}

/** Reads the guarded tools of a module. */
const module = (path: string): Effect.Effect<Source, Problem> =>
  Effect.map(LoadTools.load(path), (tools) => {
    const text = readFileSync(path, "utf8")
    const locate = JsonDocument.locator(text)
    return {
      name: path,
      artifact: artifactOf(path),
      ...GuardedTools.read(tools.values()),
      text: undefined,
      duplicates: [],
      // a tool that another module defines has no place in this module
      regionOf: (_: JsonPointer.JsonPointer, tool: string | undefined): Region => {
        const at = tool === undefined ? -1 : text.search(new RegExp(`(["'\`])${tool}\\1`, "u"))
        if (at < 0) return head
        const [from, to] = [locate(at), locate(at + (tool?.length ?? 0) + 2)]
        return { ...from, endLine: to.line, endColumn: to.column }
      }
    }
  })

/** Reads the list of an MCP server. */
export const server = (
  command: ReadonlyArray<string>,
  timeout: Duration.Duration,
  timeoutText: string,
  variables: Readonly<Record<string, string>>
): Effect.Effect<Source, Problem, ChildProcessSpawner> =>
  Effect.gen(function* () {
    const name = plain(command.join(" "))
    const document = yield* McpList.list(command, timeout, timeoutText, variables)
    const listing = ListingFormats.read(document)
    if (Result.isFailure(listing)) return yield* problem(`${name} does not list tools. ${listing.failure}`, howTo)
    yield* checkLength(name, listing.success)
    const script = command.find((part) => !part.startsWith("-") && existsSync(part) && statSync(part).isFile())
    return {
      name,
      artifact: script === undefined ? (command[0] ?? "") : artifactOf(script),
      listing: listing.success,
      suppressions: Suppressions.inDocument(document),
      text: undefined,
      duplicates: [],
      regionOf: () => head
    }
  })
