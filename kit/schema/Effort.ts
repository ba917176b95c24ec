/**
 * Bounds the steps of a comparison of schemas, so that the comparison of hostile schemas ends as undecided.
 *
 * A step is one schema that is read, one value that is validated against one schema, or one value that is generated. A
 * pattern counts as several steps. The steps are counted for one comparison at a time.
 */

/** Thrown to end a comparison that took too many steps. */
// @effect-diagnostics-next-line extendsNativeError:off -- thrown and caught in this module, in code without effects
class EffortExhausted extends Error {}

/** The maximum number of steps of a comparison: more than 100 times the steps that real tools need. */
export const maxSteps = 200_000

/** The maximum number of steps of a comparison, after `maxExhausted` comparisons of the same series took too many. */
const stepsAfterwards = 5_000

const maxExhausted = 3

let left = Infinity
/** How many comparisons of the series took too many steps or overflowed the stack; below zero outside a series. */
let exhausted = -1

/** Runs a series of comparisons. After `maxExhausted` of them took too many steps, later comparisons may take fewer. */
export const inSeries = <A>(run: () => A): A => {
  const before = exhausted
  exhausted = 0
  try {
    return run()
  } finally {
    exhausted = before
  }
}

/** Counts steps. Ends the comparison if too many were taken. */
export const spend = (steps = 1): void => {
  left -= steps
  if (left < 0) throw new EffortExhausted()
}

/** Runs a comparison. Returns `otherwise` if it takes too many steps, or if it overflows the stack. */
export const bounded = <A>(run: () => A, otherwise: A): A => {
  const before = left
  left = Math.min(left, exhausted < maxExhausted ? maxSteps : stepsAfterwards)
  try {
    return run()
  } catch (error) {
    if (!(error instanceof EffortExhausted) && !(error instanceof RangeError)) throw error
    if (exhausted >= 0) exhausted += 1
    return otherwise
  } finally {
    left = before
  }
}
