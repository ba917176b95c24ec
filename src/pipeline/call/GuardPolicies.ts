/**
 * The policies that hold for a call: those that the guard's layer was given, combined with those around the call.
 *
 * A stage that reads a policy from the call's context alone would ignore the guard's: it calls `policyOf` instead.
 */
import { all } from "#services/Policies"
import type { Policy } from "#services/Policy"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** The policies that a guard's layer was given. */
export type GuardPolicies = Context.Context<never>

/** Takes the policies of the context in which the guard's layer is built. */
export const capture: Effect.Effect<GuardPolicies> = Effect.contextWith((context: Context.Context<never>) =>
  Effect.succeed(Context.pick(...all)(context))
)

/** Where policies are given: to the guard's layer, and around the call. */
interface Given {
  readonly guardPolicies: GuardPolicies
  readonly context: Context.Context<never>
}

/** The value of a policy for a call; undefined if it was given neither to the guard's layer nor around the call. */
export const givenPolicyOf = <A>({ context, guardPolicies }: Given, policy: Policy<A>): A | undefined => {
  const guard = Context.getOrUndefined(guardPolicies, policy)
  const caller = Context.getOrUndefined(context, policy)
  if (guard === undefined || guard === caller) return caller
  return caller === undefined ? guard : policy.combine(guard, caller)
}

/** The value of a policy for a call. */
export const policyOf = <A>(given: Given, policy: Policy<A>): A => givenPolicyOf(given, policy) ?? policy.defaultValue()
