/**
 * [2.10] Distinguishes the tools of a guard: by class in this process, by id in stores that processes share. Guards
 * with the same object for their idempotency keys count as one guard.
 *
 * **Details**
 *
 * - The first class with an id has that id. Every other class with the same id gets a numbered id, so that recall,
 *   budgets, loops, keys, circuits and quotas of the classes are separate.
 * - Numbers differ between processes. The second class is therefore refused if a store is shared and either class
 *   writes: when a run or a host starts, or else when the class is called.
 * - Dynamic tools with the same id count as one tool, because each session or import creates them again.
 */
import * as EffectivePolicy from "#domain/tool/EffectivePolicy"
import type { SharedPolicy } from "#domain/tool/PolicyInput"
import * as PolicyShape from "#domain/tool/PolicyShape"
import { places, type PolicySources } from "#domain/tool/PolicySources"
import * as ToolDefinition from "#domain/tool/ToolDefinition"
import type { ToolReference } from "#domain/tool/ToolDefinition"
import { type CompiledTool, compiledOf } from "#pipeline/call/CompiledTool"
import { Budgets } from "#services/Budgets"
import { Circuits } from "#services/Circuits"
import { Escalation } from "#services/Escalation"
import { IdempotencyKeys } from "#services/IdempotencyKeys"
import { ToolPolicy } from "#services/Policies"
import { RetryQuota } from "#services/RetryQuota"
import { TurnMemory } from "#services/TurnMemory"
import { UnknownOutcomes } from "#services/UnknownOutcomes"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** One class with an id, or all dynamic tools with that id. */
interface Holder {
  readonly owner: string | undefined
  /** The class with its file and line, or the dynamic tool with its name. */
  readonly title: () => string
  readonly writes: boolean
}

/** The tools of one guard. */
export interface ToolRegistry {
  /** Prepares a tool for the calls of the guard: with its scope, and the policy of the guard. */
  readonly prepare: (reference: ToolReference) => CompiledTool
  /**
   * Registers tools before their first call, with the tools that they use as fallbacks and in reconcile. Dies with a
   * `RangeError` if one of them is another class with the id of a registered tool, one of the two writes, and other
   * processes may share a store. `journal` is the store of the run's journal, if it has one.
   */
  readonly admit: (references: Iterable<ToolReference>, journal?: Journal) => Effect.Effect<void>
}

/** The store of a run's journal. */
export interface Journal extends Store {
  readonly name: string
}

/**
 * Returns the registry of a guard.
 *
 * Dies with a `RangeError` if the policy of the guard contradicts itself.
 */
export const make: Effect.Effect<ToolRegistry> = Effect.map(Effect.context<never>(), (services) => {
  const policy = Context.getOrUndefined(services, ToolPolicy)
  if (policy !== undefined) {
    PolicyShape.check("ToolPolicy", policy)
    EffectivePolicy.resolve("ToolPolicy", policy, true, places.guard)
  }
  const shared = sharedStores(services)
  const holders = holdersOf(services)
  /** Registers a tool. Returns its scope, and a function that describes a clash with another class in shared stores. */
  const register = (reference: ToolReference) => {
    const { definition, owner } = compiledOf(reference)
    const { access, id } = definition
    const holder: Holder = { owner, title: () => titleOf(reference), writes: access !== "read" }
    const known = holders.get(id) ?? []
    const found = known.findIndex(({ owner }) => owner === holder.owner)
    const before = found < 0 ? known : known.slice(0, found)
    if (found < 0) holders.set(id, [...known, holder])
    // dynamic tools with the same id can differ in access
    else if (holder.writes) holders.set(id, known.with(found, holder))
    const other = before.find(({ writes }) => writes || holder.writes)
    return {
      scope: before.length === 0 ? id : `${id}#${before.length + 1}`,
      clash: (stores: ReadonlyArray<string>) =>
        other === undefined || stores.length === 0 ? undefined : clashOf(id, holder, other, stores)
    }
  }
  return {
    prepare: (reference) => {
      const compiled = compiledOf(reference)
      const { clash, scope } = register(reference)
      const sentence = clash(shared)
      return withPolicy("guard", policy, {
        ...compiled,
        scope,
        provider: compiled.provider ?? layerOf(reference),
        refusal: sentence === undefined ? undefined : `Not called: ${sentence}`
      })
    },
    admit: (references, journal) =>
      Effect.suspend(() => {
        const stores = journal === undefined || journal.isShared === false ? shared : [...shared, journal.name]
        for (const reference of withAlternatives(references)) {
          const sentence = register(reference).clash(stores)
          if (sentence !== undefined) return Effect.die(new RangeError(sentence))
        }
        return Effect.void
      })
  }
})

/** Returns the tools, and the tools that they use as fallbacks and in reconcile, each once. */
const withAlternatives = (references: Iterable<ToolReference>): ReadonlySet<ToolReference> => {
  const all = new Set(references)
  // the iteration includes tools that are added during it
  for (const reference of all) {
    const { fallbacks, reconcile } = compiledOf(reference).definition
    for (const { tool } of fallbacks) all.add(tool)
    if (reconcile !== undefined) all.add(reconcile.tool)
  }
  return all
}

/** The classes of each id, by the object for idempotency keys that guards share. */
const byKeys = new WeakMap<object, Map<string, Array<Holder>>>()

/** Returns the classes of each id. Guards with the same object for their keys have the same classes. */
const holdersOf = (services: Context.Context<never>): Map<string, Array<Holder>> => {
  // the type of the context does not show its services
  const keys = Context.getOrUndefined(
    services as Context.Context<unknown>,
    IdempotencyKeys as Context.Key<unknown, Store>
  )
  if (keys === undefined) return new Map()
  const known = byKeys.get(keys) ?? new Map<string, Array<Holder>>()
  byKeys.set(keys, known)
  return known
}

/**
 * Returns the tool with policy fields of a source. If they contradict the other fields of the tool, its calls are
 * refused.
 */
export const withPolicy = (
  source: keyof PolicySources,
  policy: SharedPolicy | undefined,
  tool: CompiledTool
): CompiledTool => {
  if (policy === undefined || !tool.exists) return tool
  try {
    const definition = ToolDefinition.withPolicy(tool.definition, source, policy)
    return { ...tool, definition: tool.adjust?.(definition) ?? definition }
  } catch (error) {
    return { ...tool, refusal: `Not called: ${error instanceof Error ? error.message : String(error)}` }
  }
}

/** Returns the names of the stores that do not declare that their state is in this process only. */
const sharedStores = (services: Context.Context<never>): ReadonlyArray<string> =>
  ([Budgets, Circuits, Escalation, IdempotencyKeys, RetryQuota, TurnMemory, UnknownOutcomes] as const).flatMap(
    (key) => {
      // the type of the context does not show its services
      const store = Context.getOrUndefined(services as Context.Context<unknown>, key as Context.Key<unknown, Store>)
      return store === undefined || store.isShared === false ? [] : [key.key.replace("effect-toolguard/", "")]
    }
  )

interface Store {
  readonly isShared?: boolean
}

/** Says which two classes have the same id, where they are defined, and the remedy. */
const clashOf = (id: string, { title }: Holder, other: Holder, stores: ReadonlyArray<string>): string =>
  `${other.title()} and ${title()} have the same id "${id}", and other processes may share ${stores.join(", ")}. ` +
  "Give one of the two its own `id`, and create each class once."

/** Returns the class of a tool with its file and line, or the name of a dynamic tool. */
export const titleOf = (reference: ToolReference): string => {
  const { owner, site } = compiledOf(reference)
  if (owner === undefined) return `the dynamic tool ${reference.toolName}`
  const line = site()
  return line === undefined ? classOf(reference) : `${classOf(reference)} (${line})`
}

const layerOf = (reference: ToolReference): string => `${classOf(reference)}.layer(…)`

/** Returns the name of a tool's class. An override of the tool's policy has the same name. */
const classOf = (reference: ToolReference): string =>
  "name" in reference && typeof reference.name === "string" && reference.name !== "" ? reference.name : "its class"
