/**
 * A policy is a reference that can be provided to the guard's layer and around a call.
 *
 * **Details**
 *
 * - A value for the guard's layer (`Layer.provide`, `Layer.provideMerge`, `Guard.layerMemoryWith`) applies to every
 *   call through that guard. A value around a call (`Effect.provideService`, `Effect.provide`) applies to that call.
 * - If a call has both, `combine` decides. If it has neither, `defaultValue` applies.
 */
import * as Context from "effect/Context"

export interface Policy<in out A> extends Context.Reference<A> {
  /** Returns the value for a call, from the guard's value and the value around the call. */
  readonly combine: (guard: A, caller: A) => A
}

/** Returns the value around the call, which takes precedence over the guard's value. */
export const nearer = <A>(_guard: A, caller: A): A => caller

/** Creates a policy from its default and the function that combines two values. */
export const make = <A>(
  key: string,
  { combine, defaultValue }: Pick<Policy<A>, "combine" | "defaultValue">
): Policy<A> => Object.assign(Context.Reference<A>(key, { defaultValue }), { combine })
