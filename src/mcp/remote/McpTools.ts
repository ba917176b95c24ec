/**
 * The tools of an MCP server as guarded tools: a toolbox to be given to `Agent.run`, or put together with tools of your own.
 *
 * **Details**
 *
 * - Arguments are checked by the server's `inputSchema`, results by its `outputSchema`; what cannot be checked is in a tool's
 *   `unchecked`. What a tool calls an error (`isError`) becomes one of the eight failures.
 * - A tool is as risky as its server says (`readOnlyHint`, `destructiveHint`), and destructive where it says nothing. Hints are
 *   claims: say `access` for tools that matter.
 * - A tool that the server changes while it runs is refused from then on (`HumanReview`).
 * - A call that is given up (its time is over, the run ends) is cancelled at the server.
 * - The connection ends with the scope.
 */
import type { HumanReview } from "#domain/failure/Failure"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import type { DynamicTool } from "#src/tool/DynamicTool"
import * as Toolbox from "#src/tool/Toolbox"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { HttpClient } from "effect/http/HttpClient"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Http from "#src/mcp/wire/Http"
import type { McpError } from "#src/mcp/wire/McpError"
import * as Stdio from "#src/mcp/wire/Stdio"
import type { Transport } from "#src/mcp/wire/Transport"
import type { Program } from "#src/mcp/wire/Version"
import type * as ListTools from "./ListTools.ts"
import type * as Lock from "./Lock.ts"
import * as Making from "./Making.ts"
import * as Names from "./Names.ts"
import * as RemoteTool from "./RemoteTool.ts"
import * as Session from "./Session.ts"
import * as Watch from "./Watch.ts"

export interface McpToolsOptions extends Names.Selection {
  /** Put before each name, such as `files_`. Default: nothing. */
  readonly prefix?: string
  /** Policies by the server's name of a tool, or by a pattern with `*` and `?`; what says more of a name counts first. */
  readonly policies?: Readonly<Record<string, RemoteTool.RemotePolicy>>
  /** Longest time for each answer beside those of tools. Default 30 seconds. */
  readonly patience?: Duration.Input
  /** Who we say we are. Default: `effect-toolguard`. */
  readonly client?: Program
  /** What was accepted before, as `Lock.write` wrote it. Default: the tools as they are when the connection is made. */
  readonly lock?: Lock.Lock
  /** Hears of tools that are refused because they changed. Default: a warning in the log. */
  readonly onChange?: (tool: string, what: Watch.Unaccepted) => void
}

/** A server that this program starts. */
export interface StdioOptions extends McpToolsOptions, Stdio.Command {}

/** A server at an address. */
export interface HttpOptions extends McpToolsOptions, Http.Address {}

/** Starts a server and makes guarded tools of its tools. */
export const stdio = (
  options: StdioOptions
): Effect.Effect<Toolbox.Toolbox<DynamicTool>, McpError, ChildProcessSpawner | Scope.Scope> =>
  Effect.flatMap(Stdio.make(options), (transport) => over(transport, options))

/** Makes guarded tools of the tools of a server at an address. */
export const http = (
  options: HttpOptions
): Effect.Effect<Toolbox.Toolbox<DynamicTool>, McpError, HttpClient | Scope.Scope> =>
  Effect.flatMap(Http.make(options), (transport) => over(transport, options))

const over = (
  transport: Transport,
  options: McpToolsOptions
): Effect.Effect<Toolbox.Toolbox<DynamicTool>, McpError, Scope.Scope> =>
  Effect.gen(function* () {
    const { client = { name: "effect-toolguard", version: "0" }, policies = {}, prefix = "" } = options
    const scope = yield* Effect.scope
    const one = Semaphore.makeUnsafe(1)
    let lists = 0
    const context = yield* Effect.context<never>()
    const log = (name: string, what: Watch.Unaccepted) =>
      void Effect.runForkWith(context)(Effect.logWarning(Watch.refusal(prefix + name, what).detail))
    const watch = Watch.make({ lock: options.lock, noticed: options.onChange ?? log })
    const session: Session.Session = yield* Session.open(transport, {
      client,
      millis: Duration.toMillis(Duration.fromInputUnsafe(options.patience ?? "30 seconds")),
      hear: (method) => {
        if (method !== "notifications/tools/list_changed") return Effect.void
        // one that is under way may be too old, one more is not
        if (lists >= 2) return Effect.void
        lists += 1
        const again = Effect.ensuring(
          Effect.ignore(one.withPermit(list)),
          Effect.sync(() => (lists -= 1))
        )
        return Effect.asVoid(Effect.forkIn(again, scope, { startImmediately: true }))
      }
    })
    const list = watch.read((params) => session.request("tools/list", params))
    const tools = isJsonObject(session.capabilities["tools"]) ? (yield* list).tools : []
    const invoke =
      (listed: ListTools.ListedTool): RemoteTool.Invoke =>
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
    const made = yield* Effect.forEach(chosen, (listed) =>
      Making.attempt(listed.name, () =>
        RemoteTool.make(prefix + listed.name, listed, Names.settled(policies, listed.name) ?? {}, invoke(listed))
      )
    )
    return Toolbox.make(...made)
  })
