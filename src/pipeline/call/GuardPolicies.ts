/**
 * The policies that apply to a call: those of the guard's layer, combined with those of the call's context.
 *
 * Stages read policies with `policyOf`. The call's context alone does not contain the policies of the guard's layer.
 */
import { all } from "#services/Policies"
import type { Policy } from "#services/Policy"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** The policies of a guard's layer. */
export type GuardPolicies = Context.Context<never>

/** Captures the policies of the context in which the guard's layer is built. */
export const capture: Effect.Effect<GuardPolicies> = Effect.contextWith((context: Context.Context<never>) =>
  Effect.succeed(Context.pick(...all)(context))
)

/** The sources of policies: the guard's layer and the call's context. */
export interface PolicySources {
  readonly guardPolicies: GuardPolicies
  readonly context: Context.Context<never>
}

/** Returns the value that the caller has set for a policy; undefined if only the guard's layer sets it, or nothing does. */
export const callerPolicyOf = <A>({ context, guardPolicies }: PolicySources, policy: Policy<A>): A | undefined => {
  const caller = Context.getOrUndefined(context, policy)
  return caller === Context.getOrUndefined(guardPolicies, policy) ? undefined : caller
}

/** Returns the configured value of a policy for a call; undefined if neither source has one. */
export const configuredPolicyOf = <A>({ context, guardPolicies }: PolicySources, policy: Policy<A>): A | undefined => {
  const guard = Context.getOrUndefined(guardPolicies, policy)
  const caller = Context.getOrUndefined(context, policy)
  if (guard === undefined || guard === caller) return caller
  return caller === undefined ? guard : policy.combine(guard, caller)
}

/** Returns the value of a policy for a call: the configured value, or the policy's default. */
export const policyOf = <A>(sources: PolicySources, policy: Policy<A>): A =>
  configuredPolicyOf(sources, policy) ?? policy.defaultValue()
