/**
 * Reads all tools of an MCP server.
 *
 * Every revision of the protocol is supported: the server may answer `initialize` with its own revision. A server without
 * that method (2026-07-28) gets the client's information with each request.
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

const maxPages = 100

/** The maximum number of tools and of characters of all pages together. */
const maxTools = 10_000
const maxLength = 32_000_000

const clientInfo = { name: "toolguard", version }
const revision = "2025-11-25"

/** The metadata of each request to a server without `initialize`. */
const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {}
}

/**
 * Lists the tools as the server does, `{ tools: […] }`. `timeoutText` is the timeout as problems print it; `variables` are
 * added to the environment of the server.
 */
export const list = (
  command: ReadonlyArray<string>,
  timeout: Duration.Duration,
  timeoutText: string,
  variables: Readonly<Record<string, string>> = {}
): Effect.Effect<{ readonly tools: ReadonlyArray<unknown> }, Problem, ChildProcessSpawner> =>
  Effect.scoped(
    Effect.gen(function* () {
      const server = yield* McpProcess.start(command, variables)
      return yield* Effect.timeoutOrElse(conversation(server), {
        duration: timeout,
        orElse: () => Effect.fail(server.problem(`The server did not list its tools within ${timeoutText}.`))
      })
    })
  )

const conversation = (server: McpProcess.McpProcess) =>
  Effect.gen(function* () {
    const initialized = yield* server.request("initialize", { protocolVersion: revision, capabilities: {}, clientInfo })
    const isOlder = "result" in initialized
    if (isOlder) {
      if (!isJsonObject(field(initialized.result, "capabilities")))
        return yield* server.problem("The server's response to initialize has no capabilities.")
      if (field(field(initialized.result, "capabilities"), "tools") === undefined)
        return yield* server.problem("The server offers no tools.")
      yield* server.notify("notifications/initialized")
    }
    const tools: Array<unknown> = []
    const cursors = new Set<string>()
    let cursor: string | undefined
    let length = 0
    do {
      const response = yield* server.request("tools/list", {
        ...(cursor === undefined ? {} : { cursor }),
        ...(isOlder ? {} : { _meta: meta })
      })
      if ("error" in response)
        return yield* refusal(server, isOlder ? response.error : field(initialized, "error"), response.error)
      const page = field(response.result, "tools")
      if (!Array.isArray(page)) return yield* server.problem("The server's response to tools/list has no tools.")
      length += response.length
      if (length > maxLength) {
        return yield* server.problem(`The server's list has more than ${maxLength / 1_000_000} million characters.`)
      }
      for (const tool of page) tools.push(tool)
      if (tools.length > maxTools) return yield* server.problem(`The server's list has more than ${maxTools} tools.`)
      const next = field(response.result, "nextCursor")
      cursor = typeof next === "string" && next !== "" ? next : undefined
      if (cursor !== undefined && (cursors.has(cursor) || cursors.size === maxPages)) {
        return yield* server.problem(
          cursors.has(cursor)
            ? "The server returned the same cursor twice."
            : `The server's list has more than ${maxPages} pages.`
        )
      }
      if (cursor !== undefined) cursors.add(cursor)
    } while (cursor !== undefined)
    return { tools }
  })

const refusal = (server: McpProcess.McpProcess, first: unknown, error: unknown): Problem => {
  const message =
    [first, error].map((each) => Fields.string(field(each, "message"))).find((text) => text !== "") ??
    JSON.stringify(error)
  return server.problem(`The server refused to list its tools: ${fit(plain(shown(message)), 200)}`)
}
