/**
 * Limits the work of the foreign patterns that share an allowance, so that many patterns or many texts cannot block a
 * process, although each pattern runs in linear time.
 *
 * - One synchronous piece of work reads at most `mostPerTurn` characters and states. The count restarts in the microtask
 *   that follows the piece of work.
 * - All new states of the patterns' automata together cost at most `mostForStates` steps. Ordinary patterns soon know all
 *   their states. Only a pattern that was designed to be slow needs new states for each text.
 */

/** Counts steps. */
export interface Allowance {
  /** True if a text may be read. */
  readonly isLeft: () => boolean
  /** Counts characters that were read, and the cost of new states. */
  readonly spend: (characters: number, states: number) => void
}

const mostPerTurn = 20_000_000

const mostForStates = 10_000_000

/** Creates an allowance. */
export const make = (): Allowance => {
  let thisTurn = 0
  let forStates = 0
  return {
    isLeft: () => thisTurn < mostPerTurn && forStates < mostForStates,
    spend: (characters, states) => {
      if (thisTurn === 0) queueMicrotask(() => (thisTurn = 0))
      thisTurn += characters + states + 1
      forStates += states
    }
  }
}
