/**
 * Where the fields of a tool's policy were set [2.12]. The nearest source of a field takes precedence: the call, then
 * the tool where it is used, the tool's definition, its toolbox, and the guard. The last resort is the default [2.9].
 */
import { merge, type PolicyInput, type SharedPolicy } from "./PolicyInput.ts"

/** The fields of a shared policy of which the nearest source takes precedence: all except `approval`. */
type SharedFields = Omit<SharedPolicy, "approval">

/** What was set, by where it was set. */
export interface PolicySources {
  /** Given to the guard's layer. */
  readonly guard?: SharedFields
  /** `Toolbox.policy`. */
  readonly toolbox?: SharedFields
  /** The definition of the tool. */
  readonly tool?: PolicyInput
  /** `.pipe(GuardedTool.policy(…))`. */
  readonly useSite?: SharedFields
  /** Given around a call. */
  readonly call?: SharedFields
}

/** A place where policy fields are set. */
export type Source = keyof PolicySources

/** Where the value of a field comes from. */
export type Origin = "default" | "guard" | "toolbox" | "tool" | "use site"

/** The sources, the farthest first. */
export const order = ["guard", "toolbox", "tool", "useSite", "call"] as const

/** The names of the sources, as `describe` shows them. */
export const names = {
  guard: "guard",
  toolbox: "toolbox",
  tool: "tool",
  useSite: "use site",
  call: "use site"
} as const

/** Returns the sources as one policy. */
export const merged = (sources: PolicySources): SharedFields =>
  order.reduce<SharedFields>((farther, source) => merge(farther, sources[source] ?? {}), {})

/** Returns the sources with another input, which takes precedence over an earlier one of the same source. */
export const add = (sources: PolicySources, source: keyof PolicySources, input: SharedFields): PolicySources => ({
  ...sources,
  [source]: merge<SharedFields>(sources[source] ?? {}, input)
})

/** Returns where a field was set. The path of a nested field has a dot: `retry.attempts`. */
export const originOf = (sources: PolicySources, path: string): Origin => {
  const [field = "", nested] = path.split(".")
  const found = order.findLast((source) => {
    // any name may be asked for
    const value: unknown = ((sources[source] ?? {}) as Readonly<Record<string, unknown>>)[field]
    if (nested === undefined || typeof value !== "object" || value === null) return value !== undefined
    return (value as Readonly<Record<string, unknown>>)[nested] !== undefined
  })
  return found === undefined ? "default" : names[found]
}
