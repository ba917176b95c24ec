/**
 * Merges the sources of a tool's policy, and says where a field was set [2.12]. The nearest source of a field takes
 * precedence: the call, then the tool where it is used, the tool's definition, its toolbox, and the guard. A field
 * without a source has its default [2.9].
 *
 * `budget` and `retry.attempts` depend on each other. If two sources set a budget below the attempts, the nearer of the two
 * fields applies, and the other follows it.
 */
import { merge, type PolicyInput, type SharedPolicy } from "./PolicyInput.ts"

/** The fields of a shared policy for which the nearest source takes precedence: all except `approval`. */
type SharedFields = Omit<SharedPolicy, "approval">

/** The policies that were set, by source. */
export interface PolicySources {
  /** The policy of the guard's layer. */
  readonly guard?: SharedFields
  /** `Toolbox.policy`. */
  readonly toolbox?: SharedFields
  /** The definition of the tool. */
  readonly tool?: PolicyInput
  /** `.pipe(GuardedTool.policy(…))`. */
  readonly useSite?: SharedFields
  /** The policy around a call. */
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

/** The places of the sources, as messages name them. */
export const places = {
  guard: "in the policy of the guard",
  toolbox: "in the policy of its toolbox",
  tool: "in its definition",
  useSite: "in the policy where it is used",
  call: "in the policy around the call"
} as const

/** Returns the sources as one policy. `isRepeatable` is true if a failed attempt of the tool may be repeated. */
export const merged = (sources: PolicySources, isRepeatable: boolean): SharedFields => {
  const all = order.reduce<SharedFields>((farther, source) => merge(farther, sources[source] ?? {}), {})
  return isRepeatable ? follow(all, overruledOf(sources, isRepeatable)) : all
}

/** A field that follows another field, because the two contradict each other and the other was set nearer. */
type FollowingField = "budget" | "retry.attempts" | undefined

/** Returns the field that follows another field, although a source sets it. */
export const overruledOf = (sources: PolicySources, isRepeatable: boolean): FollowingField =>
  isRepeatable ? overruledIn(order.map((source) => sources[source] ?? {})) : undefined

/** Returns the field that follows another field in a list of policies, the farthest first. */
export const overruledIn = (policies: ReadonlyArray<PolicyInput>): FollowingField => {
  const budgets = policies.map(({ budget }) => budget)
  const attemptCounts = policies.map(({ retry }) => retry?.attempts)
  const ofBudget = budgets.findLastIndex((budget) => budget !== undefined)
  const ofAttempts = attemptCounts.findLastIndex((attempts) => attempts !== undefined)
  const budget = budgets[ofBudget]
  const attempts = attemptCounts[ofAttempts]
  if (ofBudget === ofAttempts || budget === undefined || attempts === undefined || !(budget < attempts))
    return undefined
  return ofBudget < ofAttempts ? "budget" : "retry.attempts"
}

/** Returns a policy in which the overruled field follows the other field. */
export const follow = <P extends PolicyInput>(policy: P, overruled: FollowingField): P => {
  const { budget, retry } = policy
  if (overruled === undefined || budget === undefined || retry?.attempts === undefined) return policy
  return overruled === "budget"
    ? { ...policy, budget: retry.attempts }
    : { ...policy, retry: { ...retry, attempts: budget } }
}

/** Returns the sources with another input, which takes precedence over an earlier input of the same source. */
export const add = (sources: PolicySources, source: keyof PolicySources, input: SharedFields): PolicySources => ({
  ...sources,
  [source]: merge<SharedFields>(sources[source] ?? {}, input)
})

/** Returns where a field was set. The path of a nested field has a dot: `retry.attempts`. */
export const originOf = (sources: PolicySources, path: string): Origin => {
  const found = sourceOf(sources, path)
  return found === undefined ? "default" : names[found]
}

/** Returns the nearest source that sets a field. */
export const sourceOf = (sources: PolicySources, path: string): Source | undefined => {
  const [field = "", nested] = path.split(".")
  return order.findLast((source) => {
    // the field may have any name
    const value: unknown = ((sources[source] ?? {}) as Readonly<Record<string, unknown>>)[field]
    if (nested === undefined || typeof value !== "object") return value !== undefined
    return (value as Readonly<Record<string, unknown>>)[nested] !== undefined
  })
}
