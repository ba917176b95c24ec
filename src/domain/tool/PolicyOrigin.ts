/**
 * Says where the value of a policy field comes from [2.12]: the source that sets the field, or the field from which the
 * value is derived and the source that sets that field.
 */
import * as EffectivePolicy from "./EffectivePolicy.ts"
import { policyFields } from "./PolicyFields.ts"
import type { PolicyInput } from "./PolicyInput.ts"
import * as PolicySources from "./PolicySources.ts"
import { isRepeatable, type ToolDefinition } from "./ToolDefinition.ts"

/** Where a value comes from. */
export interface PolicyOrigin {
  readonly origin: PolicySources.Origin
  /** The field from which the value is derived, if the field is unset or overruled by a nearer field: `timeout`. */
  readonly follows?: string
}

/** The fields that an unset field can follow. */
const leaders: Readonly<Record<string, ReadonlyArray<string>>> = {
  timeout: ["deadline"],
  deadline: ["timeout", "retry.attempts", "retry.base", "retry.cap", "retry.jitter", "budget"],
  budget: ["retry.attempts"],
  "retry.attempts": ["budget"],
  "retry.base": ["retry.cap"],
  "retry.cap": ["retry.base"],
  "circuit.window": ["circuit.minimum"],
  "circuit.minimum": ["circuit.window"],
  "circuit.open": ["circuit.cap"],
  "circuit.cap": ["circuit.open"]
}

/** Returns the origin of a field of the tool. */
export const of = (field: string, definition: ToolDefinition): PolicyOrigin => {
  const { declared, sources } = definition
  const origin = declared[field] ?? PolicySources.originOf(sources, field)
  const isOverruled = PolicySources.overruledOf(sources, isRepeatable(definition)) === field
  if (origin !== "default" && !isOverruled) return { origin }
  const [nearest] = (leaders[field] ?? [])
    .flatMap((leader) => {
      const source = PolicySources.sourceOf(sources, leader)
      return source !== undefined && (isOverruled || isLed(field, leader, definition)) ? [{ leader, source }] : []
    })
    .toSorted((a, b) => PolicySources.order.indexOf(b.source) - PolicySources.order.indexOf(a.source))
  return nearest === undefined ? { origin } : { origin: PolicySources.names[nearest.source], follows: nearest.leader }
}

/** True if the value of an unset field would be different without the leader. */
const isLed = (field: string, leader: string, definition: ToolDefinition): boolean => {
  const row = policyFields.find((each) => each.field === field)
  const merged = PolicySources.merged(definition.sources, isRepeatable(definition))
  const unled = EffectivePolicy.fill(definition.name, without(merged, leader), isRepeatable(definition))
  return row !== undefined && row.value(definition) !== row.value({ ...definition, ...unled })
}

/** Returns the policy without a field. The path of a nested field has a dot. */
const without = (policy: PolicyInput, path: string): PolicyInput => {
  const [field = "", nested] = path.split(".")
  const value: unknown = policy[field as keyof PolicyInput]
  return { ...policy, [field]: nested === undefined ? undefined : { ...(value as object), [nested]: undefined } }
}
