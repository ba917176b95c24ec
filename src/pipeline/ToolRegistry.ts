/**
 * [2.10] Distinguishes the tools of a guard: by class in this process, by id in stores that processes share. Guards that
 * share the keys of this process are one guard here.
 *
 * **Details**
 *
 * - The first class with an id has that id. Every other class with the same id gets a numbered id, so that recall,
 *   budgets, loops, keys, circuits and quotas of the classes are separate.
 * - Numbers differ between processes. The second class is therefore refused if a store is shared and either class
 *   writes.
 * - Dynamic tools with the same id count as one tool, because each session or import creates them again.
 */
import * as EffectivePolicy from "#domain/tool/EffectivePolicy"
import type { SharedPolicy } from "#domain/tool/PolicyInput"
import * as PolicyShape from "#domain/tool/PolicyShape"
import type { PolicySources } from "#domain/tool/PolicySources"
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
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** One class with an id, or all dynamic tools with that id. */
interface Holder {
  readonly owner: string | undefined
  readonly title: string
  readonly writes: boolean
}

/**
 * Returns a function that prepares a tool for the calls of one guard: with its scope, and the policy of the guard.
 *
 * Dies with a `RangeError` if the policy of the guard contradicts itself.
 */
export const make: Effect.Effect<(reference: ToolReference) => CompiledTool> = Effect.map(
  Effect.context<never>(),
  (services) => {
    const policy = Context.getOrUndefined(services, ToolPolicy)
    if (policy !== undefined) {
      PolicyShape.check("ToolPolicy", policy)
      EffectivePolicy.resolve("ToolPolicy", policy, true)
    }
    const shared = sharedStores(services)
    const holders = holdersOf(services)
    return (reference) => {
      const compiled = compiledOf(reference)
      const { access, id } = compiled.definition
      const holder: Holder = {
        owner: compiled.owner,
        title: titleOf(reference, compiled),
        writes: access !== "read"
      }
      const known = holders.get(id) ?? []
      const found = known.findIndex(({ owner }) => owner === holder.owner)
      const before = found < 0 ? known : known.slice(0, found)
      if (found < 0) holders.set(id, [...known, holder])
      // dynamic tools with the same id can differ in access
      else if (holder.writes) holders.set(id, known.with(found, holder))
      const other = before.find(({ writes }) => writes || holder.writes)
      return withPolicy("guard", policy, {
        ...compiled,
        scope: before.length === 0 ? id : `${id}#${before.length + 1}`,
        provider: compiled.provider ?? layerOf(reference),
        refusal: other === undefined || shared.length === 0 ? undefined : refusal(id, holder, other, shared)
      })
    }
  }
)

/** The classes of each id, by the keys in this process that the guards of these classes share. */
const byKeys = new WeakMap<object, Map<string, Array<Holder>>>()

/** Returns the classes of each id. Guards that share the keys of this process share them. */
const holdersOf = (services: Context.Context<never>): Map<string, Array<Holder>> => {
  // the type of the context does not show its services
  const keys = Context.getOrUndefined(
    services as Context.Context<unknown>,
    IdempotencyKeys as Context.Key<unknown, Store>
  )
  if (keys?.isShared !== false) return new Map()
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
    return { ...tool, definition: ToolDefinition.withPolicy(tool.definition, source, policy) }
  } catch (error) {
    return { ...tool, refusal: `Not called: ${error instanceof Error ? error.message : String(error)}` }
  }
}

/** Returns the names of the stores that do not declare that their state is in this process only. */
const sharedStores = (services: Context.Context<never>): ReadonlyArray<string> =>
  ([Budgets, Circuits, Escalation, IdempotencyKeys, RetryQuota, TurnMemory] as const).flatMap((key) => {
    // the type of the context does not show its services
    const store = Context.getOrUndefined(services as Context.Context<unknown>, key as Context.Key<unknown, Store>)
    return store === undefined || store.isShared === false ? [] : [key.key.replace("effect-toolguard/", "")]
  })

interface Store {
  readonly isShared?: boolean
}

const refusal = (id: string, { title }: Holder, other: Holder, shared: ReadonlyArray<string>): string =>
  `Not called: ${other.title} and ${title} have the same id "${id}", and other processes may share ${shared.join(", ")}. ` +
  "Give one of the two its own `id`, and create each class once."

/** Returns the class of a tool, or the name of a dynamic tool. */
const titleOf = (reference: ToolReference, { owner }: CompiledTool): string =>
  owner === undefined ? `the dynamic tool ${reference.toolName}` : classOf(reference)

const layerOf = (reference: ToolReference): string => `${classOf(reference)}.layer(…)`

/** Returns the name of a tool's class. An override of the tool's policy has the same name. */
const classOf = (reference: ToolReference): string =>
  "name" in reference && typeof reference.name === "string" && reference.name !== "" ? reference.name : "its class"
