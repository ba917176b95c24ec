/**
 * Rules that users replace or extend, as references with a default: they never appear in requirements.
 *
 * **When to use**
 *
 * Give a policy to the guard's layer, for every call through it: `Guard.layerMemory.pipe(Layer.provide(Layer.succeed(EscalationPolicy,
 * myPolicy)))`, or `Guard.layerMemoryWith`. Use `Effect.provideService` around a call for this call alone.
 *
 * **Details**
 *
 * If both are given, the policy around the call takes precedence, with two exceptions: of two escalation policies the strictest
 * level applies, and rules that classify errors are added to those of the guard.
 *
 * **Gotchas**
 *
 * Of several values of one policy around a call, the innermost replaces the others, as any Effect service does. Only the guard's
 * layer sets a minimum that no caller can forget.
 */
import type { Rule } from "#domain/classification/Classification"
import * as Escalation from "#domain/tool/EscalationPolicy"
import { isWeakened } from "#domain/tool/Weakened"
import * as ShownPart from "#domain/parts/ShownPart"
import * as Duration from "effect/Duration"
import { CallObserver } from "./CallObserver.ts"
import * as Policy from "./Policy.ts"
import { ResultLimit } from "./ResultLimit.ts"

/**
 * Decides the escalation level of an event. Default: the table of [10.2].
 *
 * Of the guard's policy and the one around a call, the strictest level applies to each event. `weaken(policy)` around a call
 * replaces the guard's policy instead.
 */
export const EscalationPolicy: Policy.Policy<Escalation.EscalationPolicy> = Policy.make(
  "effect-toolguard/EscalationPolicy",
  {
    defaultValue: () => Escalation.decide,
    combine: (guard, caller) => (isWeakened(caller) ? caller : Escalation.strictestOf(guard, caller))
  }
)

/** Rules that classify an unknown error before the built-in table does: those around the call, then the guard's. Default: none. */
export const ClassificationRules: Policy.Policy<ReadonlyArray<Rule>> = Policy.make<ReadonlyArray<Rule>>(
  "effect-toolguard/ClassificationRules",
  { defaultValue: () => [], combine: (guard, caller) => [...caller, ...guard] }
)

/** How long a large result can be read in parts. Default 24 hours. */
export const ArtifactLifetime: Policy.Policy<Duration.Duration> = Policy.make("effect-toolguard/ArtifactLifetime", {
  defaultValue: () => Duration.hours(24),
  combine: Policy.nearer
})

/** The largest size of the parts of a result, in bytes. A part that does not fit is replaced by a link. */
export const PartLimits: Policy.Policy<ShownPart.PartLimits> = Policy.make("effect-toolguard/PartLimits", {
  defaultValue: () => ShownPart.defaultLimits,
  combine: Policy.nearer
})

/** Every policy. The guard's layer takes the values that it was given of these. */
export const all = [
  EscalationPolicy,
  ClassificationRules,
  ArtifactLifetime,
  PartLimits,
  ResultLimit,
  CallObserver
] as const
