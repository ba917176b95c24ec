/** Reads the tools that are compared with the lock, from modules of guarded tools, JSON lists or an MCP server. */
import * as JsonText from "effect-toolguard/internal/domain/json/JsonText"
import { inWords } from "effect-toolguard/internal/domain/text/TimeSpan"
import * as Snapshot from "#kit/diff/Snapshot"
import * as JsonPointer from "effect-toolguard/internal/domain/json/JsonPointer"
import type { Listing } from "#kit/lint/reading/ListedTool"
import * as ListingFormats from "#kit/lint/reading/ListingFormats"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Result from "effect/Result"
import { extname } from "node:path"
import * as McpList from "#kit/cli/lint/McpList"
import * as LintSources from "#kit/cli/lint/Sources"
import * as LoadTools from "#kit/cli/console/LoadTools"
import { type Problem, problem } from "#kit/cli/console/Problem"
import { plain } from "#kit/cli/console/Screen"

const isModule = (path: string): boolean => /^\.[cm]?[jt]s$/u.test(extname(path))

/** Reads a module or a JSON list. */
const file = (path: string): Effect.Effect<Snapshot.Snapshot, Problem> =>
  isModule(path)
    ? Effect.map(LoadTools.load(path), (tools) => Snapshot.ofGuarded(tools.values()))
    : Effect.flatMap(LintSources.json(path), ({ listing, text }) =>
        complete(path, listing, Result.getOrUndefined(JsonText.parse(text ?? "", JsonText.resultLimits)))
      )

/** Creates the snapshot of a list. Fails if an entry cannot be read, because it would look like a removed tool. */
const complete = (name: string, listing: Listing, document: unknown): Effect.Effect<Snapshot.Snapshot, Problem> => {
  const [first] = listing.unreadable
  return first === undefined
    ? Effect.succeed(Snapshot.ofListing(listing, document))
    : Effect.fail(
        problem(`${name}: ${JsonPointer.format(first.pointer)} is not a tool: ${first.reason}.`, "Correct the list.")
      )
}

/** Reads files as one set of tools. */
export const files = (paths: ReadonlyArray<string>): Effect.Effect<Snapshot.Snapshot, Problem> =>
  Effect.gen(function* () {
    const all = new Map<string, Snapshot.ToolPromise>()
    for (const path of paths) {
      for (const [name, promise] of yield* file(path)) {
        if (all.has(name)) {
          return yield* problem(
            `${path} has a tool ${plain(name)}, and so does an earlier file.`,
            "Give each tool a unique name, or use a separate lock for each file."
          )
        }
        all.set(name, promise)
      }
    }
    return all
  })

const timeout = Duration.seconds(30)

/** Reads the tools of the MCP server that a command starts. */
export const server = (
  command: ReadonlyArray<string>,
  variables: Readonly<Record<string, string>>
): Effect.Effect<Snapshot.Snapshot, Problem, ChildProcessSpawner> =>
  Effect.gen(function* () {
    const document = yield* McpList.list(command, timeout, inWords(Duration.toMillis(timeout)), variables)
    const listing = ListingFormats.read(document)
    return Result.isSuccess(listing)
      ? yield* complete(plain(command.join(" ")), listing.success, document)
      : yield* problem(`${plain(command.join(" "))} does not list tools. ${listing.failure}`, "Correct the server.")
  })
