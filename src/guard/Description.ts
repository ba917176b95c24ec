/** Describes the effective policy of a tool behind a guard [2.12]: every field, its value, and where it was set. */
import * as Escalation from "#domain/tool/EscalationPolicy"
import { type FieldValue, type PolicyField, policyFields } from "#domain/tool/PolicyFields"
import * as PolicyOrigin from "#domain/tool/PolicyOrigin"
import { names, type Origin } from "#domain/tool/PolicySources"
import { decidingOf } from "#domain/tool/SharedApproval"
import type { ToolDefinition } from "#domain/tool/ToolDefinition"
import { callerPolicyOf, configuredPolicyOf, type PolicySources, policyOf } from "#pipeline/call/GuardPolicies"
import type { Chain } from "#pipeline/call/Stage"
import { EscalationPolicy } from "#services/Policies"
import type { Policy } from "#services/Policy"
import { ResultLimit } from "#services/ResultLimit"

/** A field of a tool's policy, with its effective value and where it comes from. */
export interface DescribedField extends Pick<PolicyField, "field" | "unit" | "stages">, PolicyOrigin.PolicyOrigin {
  readonly value: FieldValue
}

/** The effective policy of a tool. */
export interface ToolDescription {
  readonly tool: string
  readonly id: string
  /** The stages that do something for the tool, outermost first. */
  readonly stages: ReadonlyArray<string>
  readonly fields: ReadonlyArray<DescribedField>
  /** Why the guard refuses all calls of the tool; absent if it does not. */
  readonly refusal?: string
}

/** Describes the tool of a chain, for a caller with these policies. */
export const of = ({ acting, tool }: Chain, sources: PolicySources): ToolDescription => {
  const { definition, refusal } = tool
  return {
    tool: definition.name,
    id: definition.id,
    stages: acting,
    fields: policyFields.map((row) => described(row, definition, sources)),
    ...(refusal === undefined ? {} : { refusal })
  }
}

const described = (row: PolicyField, definition: ToolDefinition, sources: PolicySources): DescribedField => {
  const { field, stages, unit } = row
  const shared = { field, stages, ...(unit === undefined ? {} : { unit }) }
  switch (field) {
    case "approval":
      return { ...shared, ...approvalOf(row, definition, sources) }
    case "limits.shownBytes":
      return { ...shared, ...shownBytesOf(row, definition, sources) }
    default:
      return { ...shared, value: row.value(definition), ...PolicyOrigin.of(field, definition) }
  }
}

type FieldDescription = Pick<DescribedField, "follows" | "origin" | "value">

/** Returns the strictest of the approvals that decide, or the first approval that is a function. */
const approvalOf = (row: PolicyField, definition: ToolDefinition, sources: PolicySources): FieldDescription => {
  const { access, approval, critical, name, sharedApprovals } = definition
  const { own, policy, shared } = decidingOf(approval, sharedApprovals)
  const set: ReadonlyArray<{ readonly approval: unknown; readonly origin: Origin }> = [
    ...(own ? [{ approval, origin: "tool" } as const] : []),
    ...shared.map(({ approval, source }) => ({ approval, origin: names[source] }))
  ]
  const byCall = set.find(({ approval }) => typeof approval === "function")
  if (byCall !== undefined) return { value: "by the arguments", origin: byCall.origin }
  const { level } = Escalation.levelOf(policyOf(sources, EscalationPolicy), {
    _tag: "CallRequested",
    tool: name,
    access,
    critical
  })
  const isAsked = policy && (!own || configuredPolicyOf(sources, EscalationPolicy) !== undefined)
  const levels = [
    ...set.flatMap(({ approval, origin }) => (Escalation.isLevel(approval) ? [{ value: approval, origin }] : [])),
    ...(isAsked ? [{ value: level, origin: originOfPolicy(sources, EscalationPolicy) }] : [])
  ]
  const strictest = levels.reduce<Escalation.Level>((most, { value }) => Escalation.strictest(most, value), "auto")
  return levels.find(({ value }) => value === strictest) ?? { value: row.value(definition), origin: "tool" }
}

/** Returns the limit of results: the limit around the call, otherwise the tool's, otherwise the guard's. */
const shownBytesOf = (row: PolicyField, definition: ToolDefinition, sources: PolicySources): FieldDescription => {
  const around = callerPolicyOf(sources, ResultLimit)
  if (around !== undefined) return { value: around, origin: "use site" }
  return definition.shownBytes === undefined
    ? { value: policyOf(sources, ResultLimit), origin: originOfPolicy(sources, ResultLimit) }
    : { value: row.value(definition), ...PolicyOrigin.of(row.field, definition) }
}

const originOfPolicy = <A>(sources: PolicySources, policy: Policy<A>): Origin => {
  if (callerPolicyOf(sources, policy) !== undefined) return "use site"
  return configuredPolicyOf(sources, policy) === undefined ? "default" : "guard"
}
