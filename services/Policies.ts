/**
 * Rules that users replace or extend, as references with a default: they never appear in requirements.
 *
 * **When to use**
 *
 * Merge `Layer.succeed(EscalationPolicy, myPolicy)` with the guard's layer, or use `Effect.provideService` around a call.
 *
 * **Gotchas**
 *
 * The guard reads them from the context of the call. Providing them only to the guard's layer, by `Layer.provide`, has no effect.
 */
import type { Rule } from "#domain/classification/Classification"
import * as Escalation from "#domain/tool/EscalationPolicy"
import * as ShownPart from "#domain/parts/ShownPart"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"

/** Decides the escalation level of an event. Default: the table of [10.2]. */
export const EscalationPolicy = Context.Reference<Escalation.EscalationPolicy>("effect-toolguard/EscalationPolicy", {
  defaultValue: () => Escalation.decide
})

/** Rules that classify an unknown error before the built-in table does. Default: none. */
export const ClassificationRules = Context.Reference<ReadonlyArray<Rule>>("effect-toolguard/ClassificationRules", {
  defaultValue: () => []
})

/** How long a large result can be read in parts. Default 24 hours. */
export const ArtifactLifetime = Context.Reference<Duration.Duration>("effect-toolguard/ArtifactLifetime", {
  defaultValue: () => Duration.hours(24)
})

/** The largest size of the parts of a result, in bytes. A part that does not fit is replaced by a link. */
export const PartLimits = Context.Reference<ShownPart.PartLimits>("effect-toolguard/PartLimits", {
  defaultValue: () => ShownPart.defaultLimits
})
