/**
 * The counts at which the loop detector notifies the model of a pattern [7.1], and how often a write may be repeated.
 */
export interface LoopThresholds {
  /** The number of identical calls with the same result. */
  readonly identical: number
  /** How many times in a row two to four calls must occur to count as a cycle. */
  readonly cycles: number
  /** The number of equal failures with different arguments. */
  readonly sameFailure: number
  /** The number of consecutive calls without progress. */
  readonly noProgress: number
  /** The maximum number of successes, in a turn, of one write whose repeats are allowed [4.6]. */
  readonly repeats: number
}

/** The default thresholds. */
export const defaults: LoopThresholds = { identical: 2, cycles: 3, sameFailure: 4, noProgress: 8, repeats: 10 }

/** The largest value of `cycles`. The detector remembers the calls of that many repetitions. */
export const maxCycles = 10
