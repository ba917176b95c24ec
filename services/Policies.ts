/**
 * Rules that users can replace or extend. They are references with a default, so they never appear in requirements.
 *
 * **When to use**
 *
 * Give a policy to the guard's layer if it is for every call through the guard:
 * `Guard.layerMemory.pipe(Layer.provide(Layer.succeed(EscalationPolicy, myPolicy)))`, or `Guard.layerMemoryWith`. Use
 * `Effect.provideService` around a call if the policy is only for this call.
 *
 * **Details**
 *
 * If both are given, the policy around the call takes precedence, with these exceptions:
 *
 * - The stricter level of two escalation policies applies, and the strictest of several approvals.
 * - Rules that classify errors are added to the guard's rules, and the fields of two tool policies are merged.
 * - Both observers receive every event, and both drains apply.
 *
 * **Gotchas**
 *
 * If a call has several values of one policy around it, the innermost replaces the others, as for any Effect service.
 * Only the guard's layer sets a minimum that no caller can forget.
 */
import { merge, type SharedPolicy } from "#domain/tool/PolicyInput"
import type { Rule } from "#domain/classification/Classification"
import * as Escalation from "#domain/tool/EscalationPolicy"
import { isWeakened } from "#domain/tool/PolicyWeakening"
import * as ShownPart from "#domain/parts/ShownPart"
import * as Duration from "effect/Duration"
import { CallObserver } from "./CallObserver.ts"
import { Drain } from "./Drain.ts"
import * as Policy from "./Policy.ts"
import { ResultLimit } from "./ResultLimit.ts"

/**
 * Decides the escalation level of an event. Default: the table of [10.2].
 *
 * Each event gets the stricter of the levels of the guard's policy and the policy around the call. `weaken(policy)`
 * around a call replaces the guard's policy instead.
 */
export const EscalationPolicy: Policy.Policy<Escalation.EscalationPolicy> = Policy.make(
  "effect-toolguard/EscalationPolicy",
  {
    defaultValue: () => Escalation.decide,
    combine: (guard, caller) => (isWeakened(caller) ? caller : Escalation.strictestOf(guard, caller))
  }
)

/** Rules that classify an unknown error before the built-in table. Those around the call come first. Default: none. */
export const ClassificationRules: Policy.Policy<ReadonlyArray<Rule>> = Policy.make<ReadonlyArray<Rule>>(
  "effect-toolguard/ClassificationRules",
  { defaultValue: () => [], combine: (guard, caller) => [...caller, ...guard] }
)

/** How long a large result can be read in parts. Default 24 hours. */
export const ArtifactLifetime: Policy.Policy<Duration.Duration> = Policy.make("effect-toolguard/ArtifactLifetime", {
  defaultValue: () => Duration.hours(24),
  combine: Policy.nearer
})

/** The maximum sizes of the parts of a result, in bytes. A note with a link replaces a part that does not fit. */
export const PartLimits: Policy.Policy<ShownPart.PartLimits> = Policy.make("effect-toolguard/PartLimits", {
  defaultValue: () => ShownPart.defaultLimits,
  combine: Policy.nearer
})

/**
 * Policy fields for tools [2.11]: timeouts, retries, budgets, limits. Default: none.
 *
 * Given to the guard's layer, they apply to every tool that does not set them in its definition, its toolbox or its use
 * site; given around a call, they take precedence over all of these. A `retry` repeats writes that are not safe to repeat
 * only after attempts that certainly did nothing [4.7]. `idempotency` applies to writes without `idempotency` in their
 * definition. Of several `approval`s the strictest level applies.
 */
export const ToolPolicy: Policy.Policy<SharedPolicy> = Policy.make<SharedPolicy>("effect-toolguard/ToolPolicy", {
  defaultValue: () => ({}),
  combine: merge
})

/** All policies. The guard's layer reads the values that it was given for these. */
export const all = [
  EscalationPolicy,
  ClassificationRules,
  ArtifactLifetime,
  PartLimits,
  ResultLimit,
  ToolPolicy,
  CallObserver,
  Drain
] as const
