/**
 * Rules that users replace or put in front, as references with a default: they never show in requirements.
 *
 * **When to use**
 *
 * `Layer.succeed(EscalationPolicy, myPolicy)` beside the guard's layer, or `Effect.provideService` around a call.
 *
 * **Gotchas**
 *
 * They are read from the caller of a tool. Given to the guard's layer alone, by `Layer.provide`, they are not seen.
 */
import type { Rule } from "#domain/classification/Classification"
import * as Escalation from "#domain/tool/EscalationPolicy"
import * as ShownPart from "#domain/parts/ShownPart"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"

/** Decides how much of a person an event needs. Default: the table of SPEC 10.2. */
export const EscalationPolicy = Context.Reference<Escalation.EscalationPolicy>("effect-toolguard/EscalationPolicy", {
  defaultValue: () => Escalation.decide
})

/** Rules asked before the table that classifies unknown errors. Default: none. */
export const ClassificationRules = Context.Reference<ReadonlyArray<Rule>>("effect-toolguard/ClassificationRules", {
  defaultValue: () => []
})

/** How long a result that is too large to be read at once can be read in parts. Default 24 hours. */
export const ArtifactLifetime = Context.Reference<Duration.Duration>("effect-toolguard/ArtifactLifetime", {
  defaultValue: () => Duration.hours(24)
})

/** Most bytes of pictures, files and texts beside one result; what does not fit is given as a link. */
export const PartLimits = Context.Reference<ShownPart.PartLimits>("effect-toolguard/PartLimits", {
  defaultValue: () => ShownPart.defaultLimits
})
