/** Provides the tools of a session: the server's tools, filtered, checked for changes and guarded, and `read_result`. */
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import type { DynamicTool } from "effect-toolguard/internal/tool/DynamicTool"
import type { GuardedTurn } from "effect-toolguard/internal/guard/Guard"
import { ReadResult } from "effect-toolguard/internal/tool/ReadResult"
import type { ToolReference } from "effect-toolguard/internal/domain/tool/ToolDefinition"
import { mayAdvise } from "effect-toolguard/internal/domain/turn/Enforcement"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { ToolListing, ListedTool } from "effect-toolguard/internal/mcp/remote/ToolListing"
import { isDeeper } from "effect-toolguard/internal/domain/json/ValueDepth"
import * as ToolMaker from "effect-toolguard/internal/mcp/remote/ToolMaker"
import * as Names from "effect-toolguard/internal/mcp/remote/Names"
import * as RemoteTool from "effect-toolguard/internal/mcp/remote/RemoteTool"
import type { RemotePolicy } from "effect-toolguard/internal/tool/RemotePolicy"
import * as Watch from "effect-toolguard/internal/mcp/remote/Watch"
import type { McpError } from "effect-toolguard/internal/mcp/wire/McpError"
import * as ProxyTool from "./ProxyTool.ts"

type Ask = (params: JsonObject) => Effect.Effect<JsonObject, McpError>

/** The receivers of reports about a server. */
export interface Reports {
  /** Receives a sentence about each tool that is left out because it cannot be guarded, once for each reason. */
  readonly omitted: (sentence: string) => void
  /** Receives violations of the protocol. */
  readonly broken: (side: "client" | "server", error: McpError) => void
}

/** The options of the list. */
interface ToolsOptions extends Names.Selection, Watch.WatchOptions, Reports {
  readonly policies: Readonly<Record<string, RemotePolicy>>
  readonly guard: Pick<GuardedTurn["Service"], "isKeeping">
  /** The timeout of calls of tools whose policy sets no timeout, in milliseconds. */
  readonly timeoutMillis: number
  readonly parts: Omit<ProxyTool.ProxyToolOptions, "policy" | "timeoutMillis">
}

/** The tools of one session. */
interface Tools {
  /**
   * Reads the server's list again. Returns the client's result of `tools/list`, without tools that cannot be guarded.
   */
  readonly list: (ask: Ask) => Effect.Effect<JsonObject, McpError>
  /** Returns true if a tool has structured content. Its results then contain the same data twice. */
  readonly isStructured: (name: string) => boolean
  /** Returns the callable tools. Reads the server's list before the first call. */
  readonly callable: (ask: Ask) => Effect.Effect<ReadonlyMap<string, ToolReference>, McpError>
}

/** The maximum depth of the definition of a tool. */
const maxDepth = 1_000

/** Creates the tools of a session. The server's list is read on demand. */
export const make = (options: ToolsOptions): Tools => {
  const { guard, parts, policies, timeoutMillis } = options
  const watch = Watch.make(options)
  const cached = new Map<string, { readonly raw: string; readonly tool: DynamicTool; readonly listed: ListedTool }>()
  const omitted = new Map<string, string>()
  const lock = Semaphore.makeUnsafe(1)
  let callable: ReadonlyMap<string, ToolReference> | undefined

  const toolOf = (listed: ListedTool): DynamicTool => {
    // a list with a deeper definition could not be written for the client
    if (isDeeper(listed.raw, maxDepth))
      throw new RangeError(`its definition is nested more than ${maxDepth} levels deep`)
    const what = watch.known(listed.name)
    const raw = what === undefined ? CallKey.canonical(listed.raw) : JSON.stringify(what)
    const before = cached.get(listed.name)
    if (before?.raw === raw) return before.tool
    const tool =
      what === undefined
        ? ProxyTool.make(listed, { ...parts, timeoutMillis, policy: RemoteTool.policyOf(policies, listed.name) })
        : ProxyTool.refusing(listed.name, what)
    cached.set(listed.name, { raw, tool, listed })
    return tool
  }
  const read = (ask: Ask): Effect.Effect<ToolListing, McpError> =>
    lock.withPermit(
      Effect.gen(function* () {
        const listed = yield* watch.read(ask)
        for (const fault of listed.faults) options.broken("server", fault)
        const map = new Map<string, ToolReference>()
        const chosen: Array<ListedTool> = []
        for (const tool of listed.tools) {
          if (!Names.isSelected(options, tool.name)) continue
          const made = ToolMaker.attempt(tool.name, () => toolOf(tool))
          if (Result.isFailure(made)) {
            if (omitted.get(tool.name) !== made.failure) options.omitted(made.failure)
            omitted.set(tool.name, made.failure)
            continue
          }
          omitted.delete(tool.name)
          map.set(tool.name, made.success)
          chosen.push(tool)
        }
        if (guard.isKeeping && chosen.length > 0 && !map.has(ReadResult.toolName))
          map.set(ReadResult.toolName, ReadResult)
        callable = map
        return { ...listed, tools: chosen }
      })
    )
  return {
    isStructured: (name) => cached.get(name)?.listed.outputSchema !== undefined,
    callable: (ask) =>
      // waits while the list is being read
      Effect.flatMap(lock.withPermit(Effect.sync(() => callable)), (known) =>
        known === undefined
          ? Effect.andThen(
              read(ask),
              Effect.sync(() => callable ?? new Map())
            )
          : Effect.succeed(known)
      ),
    list: (ask) =>
      Effect.map(read(ask), ({ rest, tools }) => {
        // a changed description may be an instruction to the model, so the tool is not listed
        const shown: Array<unknown> = tools
          .filter(({ name }) => watch.known(name) === undefined)
          .map(({ name, raw }) =>
            mayAdvise(RemoteTool.policyOf(policies, name).enforce ?? "enforce") ? withoutOutputSchema(raw) : raw
          )
        if (callable?.get(ReadResult.toolName) === ReadResult) shown.push(readResult)
        return { ...rest, tools: shown }
      })
  }
}

/**
 * Removes the output schema of a tool that only advises. Its results may violate the schema, and clients refuse a result
 * that violates an advertised schema.
 */
const withoutOutputSchema = ({ outputSchema: _, ...raw }: JsonObject): JsonObject => raw

/** The entry of `read_result` in the list of tools. */
const readResult = {
  name: ReadResult.toolName,
  description: ReadResult.description,
  inputSchema: isJsonObject(ReadResult.jsonSchema) ? ReadResult.jsonSchema : { type: "object" },
  annotations: { readOnlyHint: true, openWorldHint: false }
}
