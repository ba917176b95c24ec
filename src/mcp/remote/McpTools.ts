/**
 * Guards the tools of an MCP server. The resulting toolbox can be passed to `Agent.run` or merged with your own tools.
 *
 * **Details**
 *
 * - The server's `inputSchema` checks arguments and its `outputSchema` checks results. A tool's `unchecked` lists
 *   constraints that cannot be checked. An error that a tool reports (`isError`) becomes one of the eight failures.
 * - The access of a tool follows from its annotations (`readOnlyHint`, `destructiveHint`); without them it is
 *   destructive. Annotations are claims: set `access` for tools that matter.
 * - A tool that cannot be guarded is left out, with a warning in the log that names the reason. The others work.
 * - A tool that the server changes while connected is refused (`HumanReview`) until the server lists it as before.
 * - An abandoned call (timeout, end of the run) is cancelled at the server.
 * - The connection ends with the scope.
 */
import type { HumanReview } from "#domain/failure/Failure"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import * as LinearEngine from "#domain/schema/pattern/LinearEngine"
import * as Setting from "#domain/tool/Setting"
import type { DynamicTool } from "#src/tool/DynamicTool"
import type { RemotePolicy } from "#src/tool/RemotePolicy"
import * as Toolbox from "#src/tool/Toolbox"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { HttpClient } from "effect/http/HttpClient"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Http from "#src/mcp/wire/Http"
import type { McpError } from "#src/mcp/wire/McpError"
import * as Stdio from "#src/mcp/wire/Stdio"
import type { Transport } from "#src/mcp/wire/Transport"
import type { Program } from "#src/mcp/wire/Version"
import type * as ToolListing from "./ToolListing.ts"
import type * as Lock from "./Lock.ts"
import * as Names from "./Names.ts"
import * as RemoteTool from "./RemoteTool.ts"
import * as Session from "./Session.ts"
import * as ToolMaker from "./ToolMaker.ts"
import * as Watch from "./Watch.ts"

export interface McpToolsOptions extends Names.Selection {
  /** A prefix of each name, such as `files_`. Default: none. */
  readonly prefix?: string
  /**
   * Policies by the name of the tool on the server, or by a pattern with `*` and `?`. The policies of all matching
   * patterns are merged; each setting comes from the most specific pattern that has it.
   */
  readonly policies?: Readonly<Record<string, RemotePolicy>>
  /** The timeout of requests other than tool calls. Default 30 seconds. */
  readonly patience?: Duration.Input
  /** The name and the version of the client. Default: `effect-toolguard`, version `0`. */
  readonly client?: Program
  /** The accepted tools, as `Lock.read` returns them. Default: each tool as the server first lists it. */
  readonly lock?: Lock.Lock
  /** Receives tools that are refused because they changed or are not in `lock`. Default: a warning in the log. */
  readonly onChange?: (tool: string, what: Watch.RefusalReason) => void
}

/** A server that this program starts. */
export interface StdioOptions extends McpToolsOptions, Stdio.Command {}

/** A server at an address. */
export interface HttpOptions extends McpToolsOptions, Http.Address {}

/** Starts an MCP server and guards its tools. Throws a RangeError if a policy is invalid or contradicts itself. */
export const stdio = (
  options: StdioOptions
): Effect.Effect<Toolbox.Toolbox<DynamicTool>, McpError, ChildProcessSpawner | Scope.Scope> =>
  connected(options, Stdio.make(options))

/**
 * Connects to an MCP server by URL and guards its tools. Throws a RangeError if a policy is invalid or contradicts
 * itself.
 */
export const http = (
  options: HttpOptions
): Effect.Effect<Toolbox.Toolbox<DynamicTool>, McpError, HttpClient | Scope.Scope> =>
  connected(options, Http.make(options))

/** Checks the options immediately, and connects when the effect runs. */
const connected = <R>(
  options: McpToolsOptions,
  transport: Effect.Effect<Transport, McpError, R>
): Effect.Effect<Toolbox.Toolbox<DynamicTool>, McpError, R | Scope.Scope> => {
  if (options.policies !== undefined) RemoteTool.checkPolicies(options.policies)
  const millis = Setting.millis("McpTools", "patience", options.patience ?? "30 seconds")
  return Effect.flatMap(transport, (transport) => toolboxOver(transport, options, millis))
}

const toolboxOver = (
  transport: Transport,
  options: McpToolsOptions,
  millis: number
): Effect.Effect<Toolbox.Toolbox<DynamicTool>, McpError, Scope.Scope> =>
  Effect.gen(function* () {
    const { client = { name: "effect-toolguard", version: "0" }, policies = {}, prefix = "" } = options
    const scope = yield* Effect.scope
    const oneList = Semaphore.makeUnsafe(1)
    let pendingLists = 0
    const context = yield* Effect.context<never>()
    const log = (name: string, what: Watch.RefusalReason) =>
      void Effect.runForkWith(context)(Effect.logWarning(Watch.refusal(prefix + name, what).detail))
    const watch = Watch.make({ lock: options.lock, noticed: options.onChange ?? log })
    const session: Session.Session = yield* Session.open(transport, {
      client,
      millis,
      onNotification: (method) => {
        if (method !== "notifications/tools/list_changed") return Effect.void
        // the list in progress may predate this change; one more list covers all pending changes
        if (pendingLists >= 2) return Effect.void
        pendingLists += 1
        const again = Effect.ensuring(
          Effect.ignore(oneList.withPermit(list)),
          Effect.sync(() => (pendingLists -= 1))
        )
        return Effect.asVoid(Effect.forkIn(again, scope, { startImmediately: true }))
      }
    })
    const list = watch.read((params) => session.request("tools/list", params))
    const { faults, tools } = isJsonObject(session.capabilities["tools"]) ? yield* list : { faults: [], tools: [] }
    for (const { message } of faults) yield* Effect.logWarning(`The server violated the protocol. ${message}`)
    const invoke =
      (listed: ToolListing.ListedTool): RemoteTool.Invoke =>
      (args, key): Effect.Effect<JsonObject, McpError | HumanReview> => {
        const params = {
          name: listed.name,
          arguments: args,
          ...(key === "" ? {} : { _meta: { [RemoteTool.keyField]: key } })
        }
        return Effect.flatMap(watch.verdict(listed.name), (what): Effect.Effect<JsonObject, McpError | HumanReview> =>
          what === undefined
            ? session.request("tools/call", params, { schema: listed.inputSchema })
            : Effect.fail(Watch.refusal(prefix + listed.name, what))
        )
      }
    const chosen = tools.filter(({ name }) => Names.isSelected(options, name))
    const guarded: Array<DynamicTool> = []
    for (const listed of chosen) {
      const made = ToolMaker.attempt(listed.name, () =>
        RemoteTool.make(prefix + listed.name, listed, RemoteTool.policyOf(policies, listed.name), invoke(listed))
      )
      if (Result.isSuccess(made)) guarded.push(made.success)
      else yield* Effect.logWarning(made.failure)
    }
    if (LinearEngine.isMissingUnreported()) {
      yield* Effect.logWarning(`Patterns in the schemas of MCP servers are not enforced: ${LinearEngine.missing}.`)
    }
    return Toolbox.make(...guarded)
  })
