/**
 * Detects changes of a server's tools after they were accepted.
 *
 * The first list or a lock contains the accepted tools, and each later list is compared with them. If the server
 * reports a change, calls wait until the list is read again.
 */
import type { JsonObject } from "#domain/json/JsonObject"
import * as Failure from "#domain/failure/Failure"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { McpError } from "#src/mcp/wire/McpError"
import * as ToolListing from "./ToolListing.ts"
import * as Lock from "./Lock.ts"

/** Why a tool is refused: these fields changed, or it was never accepted. */
export type RefusalReason =
  | { readonly _tag: "Changed"; readonly parts: ReadonlyArray<string> }
  | { readonly _tag: "New" }

interface Watch {
  /** Reads the list and compares it. */
  readonly read: (
    ask: (params: JsonObject) => Effect.Effect<JsonObject, McpError>
  ) => Effect.Effect<ToolListing.ToolListing, McpError>
  /** Waits while the list is read again, then returns the reason why a tool is refused; undefined if it is accepted. */
  readonly verdict: (name: string) => Effect.Effect<RefusalReason | undefined>
  /** Returns the same reason according to the last list, without waiting. */
  readonly known: (name: string) => RefusalReason | undefined
}

export interface WatchOptions {
  /** The accepted tools. Without a lock, the first list is accepted, and later lists may add tools. */
  readonly lock?: Lock.Lock | undefined
  /** Receives each tool that is refused from now on. */
  readonly noticed: (name: string, what: RefusalReason) => void
  /**
   * Receives the first list as the lock, if there is no `lock`. Later lists may then not add tools.
   */
  readonly keep?: ((lock: Lock.Lock) => void) | undefined
}

export const make = ({ keep, lock, noticed }: WatchOptions): Watch => {
  const accepted = new Map(lock)
  let isClosed = lock !== undefined
  const found = new Map<string, RefusalReason>()
  let reading: Deferred.Deferred<void> | undefined
  const compare = (tools: ReadonlyArray<ToolListing.ListedTool>) => {
    for (const tool of tools) {
      const parts = Lock.changes(accepted, tool)
      if (parts === undefined && !isClosed) {
        for (const [name, locked] of Lock.of([tool])) accepted.set(name, locked)
        continue
      }
      const reason: RefusalReason | undefined =
        parts === undefined ? { _tag: "New" } : parts.length > 0 ? { _tag: "Changed", parts } : undefined
      if (reason === undefined) {
        found.delete(tool.name)
        continue
      }
      const before = found.get(tool.name)
      found.set(tool.name, reason)
      if (JSON.stringify(before) !== JSON.stringify(reason)) noticed(tool.name, reason)
    }
    if (isClosed || keep === undefined) return
    isClosed = true
    keep(accepted)
  }
  return {
    read: (ask) =>
      Effect.gen(function* () {
        const waiting = Deferred.makeUnsafe<void>()
        reading = waiting
        return yield* Effect.ensuring(
          Effect.tap(ToolListing.all(ask), ({ tools }) => Effect.sync(() => compare(tools))),
          Effect.sync(() => {
            if (reading === waiting) reading = undefined
            Deferred.doneUnsafe(waiting, Effect.void)
          })
        )
      }),
    verdict: (name) =>
      Effect.suspend(() =>
        reading === undefined
          ? Effect.succeed(found.get(name))
          : Effect.map(Deferred.await(reading), () => found.get(name))
      ),
    known: (name) => found.get(name)
  }
}

/** Returns the failure of calls to a refused tool. */
export const refusal = (tool: string, what: RefusalReason): Failure.HumanReview =>
  Failure.ofCode("requires_human_approval", {
    tool,
    detail:
      what._tag === "New"
        ? `${tool} was not called: it is a new tool that the accepted list does not contain. A person must accept it.`
        : `${tool} was not called: the server changed the tool's ${what.parts.join(", ")} since the tool was accepted. A person must review the change.`,
    hint: "Tell the user that the server's tools must be reviewed and accepted again."
  })
