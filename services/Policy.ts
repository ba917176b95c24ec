/**
 * A policy: a reference that may be given to the guard's layer and around a call.
 *
 * **Details**
 *
 * - A value given to the guard's layer (`Layer.provide`, `Layer.provideMerge`, `Guard.layerMemoryWith`) holds for every
 *   call through that guard, a value around a call (`Effect.provideService`, `Effect.provide`) for this call.
 * - If a call has both, `combine` decides. If it has neither, `defaultValue` holds.
 */
import * as Context from "effect/Context"

export interface Policy<in out A> extends Context.Reference<A> {
  /** Returns the value for a call, from the guard's value and the value around the call. */
  readonly combine: (guard: A, caller: A) => A
}

/** The value around the call takes precedence. */
export const nearer = <A>(_guard: A, caller: A): A => caller

/** Creates a policy with its default and its rule for two values. */
export const make = <A>(
  key: string,
  { combine, defaultValue }: Pick<Policy<A>, "combine" | "defaultValue">
): Policy<A> => Object.assign(Context.Reference<A>(key, { defaultValue }), { combine })
