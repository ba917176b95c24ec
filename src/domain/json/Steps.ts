/**
 * Work on large data in steps, so that other work can run between two steps. A step takes a few milliseconds, except
 * calls of the platform, such as `JSON.parse`, which cannot be divided.
 */

/** Work in steps that ends with a value. */
export type Steps<A> = Generator<void, A, void>

/** The number of characters that a step reads. */
export const stepLength = 250_000

/** Does all steps, one immediately after another. */
export const whole = <A>(steps: Steps<A>): A => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
