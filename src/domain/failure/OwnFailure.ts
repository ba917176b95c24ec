/** Finds a failure of the guard in the error of a handler. */
import * as Cause from "effect/Cause"
import { isFailure } from "./Failure.ts"
import * as StatedEffect from "./StatedEffect.ts"

/**
 * Returns an error without the statements of the handler around it, such as `nothingDone`. If a promise was rejected
 * with a failure of the guard, the wrapper error of `Effect.tryPromise` is removed too.
 */
export const ownFailure = (error: unknown): unknown => {
  const inner = StatedEffect.inner(error)
  if (!Cause.isUnknownError(inner)) return inner
  const rejected = StatedEffect.inner(inner.cause)
  return isFailure(rejected) ? rejected : inner
}
