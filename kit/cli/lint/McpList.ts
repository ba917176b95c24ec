/**
 * Asks an MCP server for all of its tools.
 *
 * Any revision of the protocol will do: the server is asked by `initialize` and may answer with its own revision; one that
 * knows no such method (2026-07-28) is sent requests that say for themselves who asks.
 */
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import { field, isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import type { Problem } from "#kit/cli/console/Problem"
import { fit, plain } from "#kit/cli/console/Screen"
import { version } from "#kit/Version"
import * as McpProcess from "./McpProcess.ts"

const mostPages = 100

const clientInfo = { name: "toolguard", version }
const revision = "2025-11-25"

/** What is sent with each request to a server that knows no `initialize`. */
const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {}
}

/** The tools as the server lists them, `{ tools: […] }`. */
export const list = (
  command: ReadonlyArray<string>,
  patience: Duration.Duration,
  inWords: string
): Effect.Effect<{ readonly tools: ReadonlyArray<unknown> }, Problem, ChildProcessSpawner> =>
  Effect.scoped(
    Effect.gen(function* () {
      const server = yield* McpProcess.start(command)
      return yield* Effect.timeoutOrElse(conversation(server), {
        duration: patience,
        orElse: () => Effect.fail(server.problem(`The server did not list its tools in ${inWords}.`))
      })
    })
  )

const conversation = (server: McpProcess.McpProcess) =>
  Effect.gen(function* () {
    const hello = yield* server.ask("initialize", { protocolVersion: revision, capabilities: {}, clientInfo })
    const isOlder = "result" in hello
    if (isOlder) {
      if (!isJsonObject(field(hello.result, "capabilities")))
        return yield* server.problem("The server's answer to initialize has no capabilities.")
      if (field(field(hello.result, "capabilities"), "tools") === undefined)
        return yield* server.problem("The server offers no tools.")
      yield* server.tell("notifications/initialized")
    }
    const tools: Array<unknown> = []
    const cursors = new Set<string>()
    let cursor: string | undefined
    do {
      const answer = yield* server.ask("tools/list", {
        ...(cursor === undefined ? {} : { cursor }),
        ...(isOlder ? {} : { _meta: meta })
      })
      if ("error" in answer) return yield* refused(server, isOlder ? answer.error : field(hello, "error"), answer.error)
      const page = field(answer.result, "tools")
      if (!Array.isArray(page)) return yield* server.problem("The server's answer to tools/list has no tools.")
      tools.push(...(page as ReadonlyArray<unknown>))
      const next = field(answer.result, "nextCursor")
      cursor = typeof next === "string" && next !== "" ? next : undefined
      if (cursor !== undefined && (cursors.has(cursor) || cursors.size === mostPages)) {
        return yield* server.problem(
          cursors.has(cursor)
            ? "The server gives the same cursor again."
            : `The server's list has over ${mostPages} pages.`
        )
      }
      if (cursor !== undefined) cursors.add(cursor)
    } while (cursor !== undefined)
    return { tools }
  })

const refused = (server: McpProcess.McpProcess, first: unknown, error: unknown): Problem => {
  const said =
    [first, error].map((each) => Fields.string(field(each, "message"))).find((text) => text !== "") ??
    JSON.stringify(error)
  return server.problem(`The server refused to list its tools: ${fit(plain(shown(said)), 200)}`)
}
