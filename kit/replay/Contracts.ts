/**
 * Provides the tools of a replay, from the log or from a module of guarded tools, or with parameters inferred from the
 * calls.
 *
 * A list of tools that several conversations share is compiled once.
 */
import type { UncheckedConstraint } from "effect-toolguard/internal/domain/schema/foreign/ForeignSchema"
import { Compiled, compiledOf } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import { implementation } from "effect-toolguard/internal/pipeline/call/ToolCompiler"
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import * as Context from "effect/Context"
import type * as JsonSchema from "effect/JsonSchema"
import type { Conversation, RecordedTool } from "#kit/traffic/Conversation"
import { hash } from "effect-toolguard/internal/domain/text/Hash"
import type { CallableTool } from "./CallableTool.ts"
import { type LogHandlers, make as makeTool, unlimited } from "./ReplayedTool.ts"

/** The sources of the contracts of a replay. */
export interface ContractOptions {
  /** Guarded tools, which replace the tools of the same name in the log. */
  readonly tools?: ReadonlyMap<string, AnyTool>
  /** Listed tools, which replace the tools of the same name in the log. */
  readonly listed?: ReadonlyArray<RecordedTool>
  /** The names of tools of the log that do not exist. */
  readonly removed?: ReadonlySet<string>
  /** Inferred JSON Schemas for the arguments of tools that the log does not list. */
  readonly inferred?: ReadonlyMap<string, JsonSchema.JsonSchema>
  /**
   * The names of the tools that only advise: violations of their schemas are reported, and the calls pass. With `all`,
   * every tool whose schema is not that of a guarded tool advises. Default: none.
   */
  readonly advise?: "all" | ReadonlySet<string>
}

/** Tools by name. */
export type Tools = ReadonlyMap<string, CallableTool>

/** The number of lists, and of tools of all lists, at which the cache is cleared. */
const maxCached = 500
const maxHeld = 4_000

/** The maximum number of different tools of a log. A tool takes up to 50 KB and a millisecond. */
export const maxTools = 2_000

/** A tool with schema constraints that cannot be checked. */
export interface UncheckedTool {
  /** A hash of the tool as the log lists it. Tools of the same name with other schemas have other hashes. */
  readonly id: number
  readonly tool: string
  readonly unchecked: ReadonlyArray<UncheckedConstraint>
}

/** The contracts of a replay. */
export interface Contracts {
  /** The tools of a conversation. */
  readonly toolsOf: (conversation: Conversation) => Tools
  /**
   * Creates a tool that the log does not list. It accepts the inferred parameters, or any arguments if none were
   * inferred.
   */
  readonly unlisted: (name: string) => CallableTool
  /** True if a tool of the log does not exist, even if the log answers its calls. */
  readonly isRemoved: (name: string) => boolean
  /** Counts the tools of a conversation. Returns false if the log then has more than `maxTools` different tools. */
  readonly admits: (conversation: Conversation) => boolean
  /**
   * Returns the tools with schema constraints that cannot be checked, if found since the last call of this function.
   */
  readonly unchecked: () => ReadonlyArray<UncheckedTool>
}

/** Creates the contracts of a replay. Each tool is compiled once. */
export const make = (
  logged: LogHandlers,
  { advise = new Set(), inferred, listed = [], removed, tools }: ContractOptions
): Contracts => {
  const enforceOf = (name: string) => (advise === "all" || advise.has(name) ? "advise" : "enforce")
  const ofList = listed.map((tool) => makeTool(tool, logged, enforceOf(tool.name)))
  const given = new Map<string, CallableTool>([
    ...[...(tools ?? [])].map(
      ([name, tool]) => [name, answeredByLog(tool, logged, advise !== "all" && advise.has(name))] as const
    ),
    ...ofList.map((tool) => [tool.toolName, tool] as const)
  ])
  const isRemoved = (name: string): boolean => removed?.has(name) === true
  const single = new Map<string, CallableTool>()
  const cached = new Map<string, { readonly list: ReadonlyArray<RecordedTool>; readonly tools: Tools }>()
  /** Finds tools by the identity of a list, because readers return the same object for equal lists where possible. */
  const byList = new WeakMap<ReadonlyArray<RecordedTool>, Tools>()
  /** The number of tools in `cached`. */
  let held = 0
  /** The tools of the admitted conversations: their hashes, and the objects that were hashed. */
  const counted = new Set<number>()
  const hashed = new WeakMap<RecordedTool, number>()
  const hashOf = (tool: RecordedTool): number => {
    const known = hashed.get(tool) ?? hash(JSON.stringify(tool))
    hashed.set(tool, known)
    return known
  }
  let fresh: Array<UncheckedTool> = ofList.flatMap(({ contract: { unchecked }, toolName }, index) =>
    unchecked.length === 0 ? [] : [{ id: hash(JSON.stringify(listed[index])), tool: toolName, unchecked }]
  )
  const one = (tool: RecordedTool): CallableTool => {
    const own = given.get(tool.name)
    if (own !== undefined) return own
    const key = JSON.stringify(tool)
    const known = single.get(key)
    if (known !== undefined) return known
    if (single.size > maxHeld) single.clear()
    const callable = makeTool(tool, logged, enforceOf(tool.name))
    if (callable.contract.unchecked.length > 0)
      fresh.push({ id: hash(key), tool: tool.name, unchecked: callable.contract.unchecked })
    single.set(key, callable)
    return callable
  }
  return {
    toolsOf: ({ tools: list }) => {
      const same = byList.get(list)
      if (same !== undefined) return same
      const key = list.map(({ name }) => name).join(" ")
      const known = cached.get(key)
      if (known !== undefined && isEqual(known.list, list)) {
        byList.set(list, known.tools)
        return known.tools
      }
      held += list.length
      if (cached.size > maxCached || held > maxHeld) {
        cached.clear()
        held = list.length
      }
      const existing = list.filter(({ name }) => !isRemoved(name))
      const tools = new Map([...given, ...existing.map((tool) => [tool.name, one(tool)] as const)])
      cached.set(key, { list, tools })
      byList.set(list, tools)
      return tools
    },
    unlisted: (name) => {
      const parameters = inferred?.get(name)
      return one(parameters === undefined ? { name } : { name, parameters })
    },
    isRemoved,
    admits: ({ messages, tools: list }) => {
      const added = new Set<number>()
      const count = (tool: number) => {
        if (!counted.has(tool)) added.add(tool)
      }
      for (const tool of list) count(hashOf(tool))
      if (list.length === 0) {
        for (const message of messages) {
          if (message.role === "assistant") for (const { name } of message.calls) count(hash(name))
        }
      }
      if (counted.size + added.size > maxTools) return false
      for (const tool of added) counted.add(tool)
      return true
    },
    unchecked: () => {
      const unchecked = fresh
      fresh = []
      return unchecked
    }
  }
}

/** True if two JSON values are equal, with their keys in the same order. */
const isEqual = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((one, index) => isEqual(one, b[index]))
  }
  const keys = Object.keys(a)
  const others = Object.keys(b)
  return (
    keys.length === others.length &&
    keys.every((key, index) => {
      // neither value is a list here
      const [one, other] = [(a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]]
      return key === others[index] && isEqual(one, other)
    })
  )
}

/**
 * Returns a guarded tool whose handler answers from the log. The log has only one answer to a call, so retries,
 * fallbacks and lookups are off. If `advises` is false, the tool decides whether it enforces its contract; one that does
 * so in a share of conversations enforces in all of them, so that the report shows what a larger share would change.
 */
const answeredByLog = (tool: AnyTool, logged: LogHandlers, advises: boolean): CallableTool => {
  const compiled = compiledOf(tool)
  const { definition } = compiled
  const own = typeof definition.enforce === "string" ? definition.enforce : "enforce"
  const enforce = advises ? "advise" : own
  const running = implementation(logged.raw, Context.empty())
  return {
    toolName: tool.toolName,
    contract: compiled.contract,
    [Compiled]: {
      ...compiled,
      definition: { ...definition, ...unlimited, enforce, fallbacks: [], reconcile: undefined },
      implementation: () => running
    }
  }
}
