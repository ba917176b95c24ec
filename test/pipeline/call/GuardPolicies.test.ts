/** Tests which value of a policy applies to a call, and what the caller itself has set. */
import * as GuardPolicies from "#pipeline/call/GuardPolicies"
import * as Policy from "#services/Policy"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { ArtifactLifetime } from "#services/Policies"

/** A policy whose values are lists of names, and are joined. */
const Names = Policy.make<ReadonlyArray<string>>("test/Names", {
  defaultValue: () => ["default"],
  combine: (guard, caller) => [...guard, ...caller]
})

const given = (names: ReadonlyArray<string> | undefined): Context.Context<never> =>
  names === undefined ? Context.empty() : (Context.make(Names, names) as Context.Context<never>)

const one = ["guard"]

describe("a policy", () => {
  for (const [what, guard, caller, ofCaller, configured, applies] of [
    ["that nothing sets has its default", undefined, undefined, undefined, undefined, ["default"]],
    ["that only the guard sets", one, undefined, undefined, one, one],
    ["that only the caller sets", undefined, ["caller"], ["caller"], ["caller"], ["caller"]],
    ["that both set is combined", one, ["caller"], ["caller"], ["guard", "caller"], ["guard", "caller"]],
    ["whose value around the call is the guard's own applies once", one, one, undefined, one, one]
  ] as const) {
    it(`2.11 ${what}`, () => {
      const sources = { guardPolicies: given(guard), context: given(caller) }
      assert.deepStrictEqual(
        [
          GuardPolicies.callerPolicyOf(sources, Names),
          GuardPolicies.configuredPolicyOf(sources, Names),
          GuardPolicies.policyOf(sources, Names)
        ],
        [ofCaller, configured, applies]
      )
    })
  }

  it.effect("2.11 is captured from the context of the guard's layer, without other services", () =>
    Effect.gen(function* () {
      const lifetime = ArtifactLifetime.defaultValue()
      const captured = yield* GuardPolicies.capture.pipe(
        Effect.provideService(ArtifactLifetime, lifetime),
        Effect.provideService(Names, one)
      )
      assert.strictEqual(Context.getOrUndefined(captured, ArtifactLifetime), lifetime)
      assert.isUndefined(Context.getOrUndefined(captured, Names))
    })
  )
})
