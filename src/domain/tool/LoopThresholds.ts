/** When the loop detector notifies the model of a pattern [7.1], and how often a write may be repeated. */
export interface LoopThresholds {
  /** The number of identical calls with the same result. */
  readonly identical: number
  /** The number of rounds that make a cycle of two to four calls. */
  readonly cycles: number
  /** The number of equal failures with different arguments. */
  readonly sameFailure: number
  /** The number of consecutive calls without progress. */
  readonly noProgress: number
  /** The number of successes of one write whose repeats are allowed, in a turn [4.6]. */
  readonly repeats: number
}

/** The default thresholds. */
export const defaults: LoopThresholds = { identical: 2, cycles: 3, sameFailure: 4, noProgress: 8, repeats: 10 }

/** The largest number of rounds of a cycle that can be set: the detector remembers as many calls as it has. */
export const mostCycles = 10
