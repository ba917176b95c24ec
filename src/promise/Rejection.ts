/** Runs a function of a program without Effect. The effect fails with exactly what the function throws or rejects with. */
import * as Effect from "effect/Effect"

/** Runs the function when the effect runs. The signal aborts when the effect is interrupted. */
export const ofPromise = <A>(f: (signal: AbortSignal) => A | PromiseLike<A>): Effect.Effect<A, unknown> =>
  // @effect-diagnostics-next-line unknownInEffectCatch:off -- a program may throw anything, which the guard classifies
  Effect.tryPromise({ try: async (signal) => f(signal), catch: (error) => error })
