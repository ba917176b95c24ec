/**
 * Limits the work of the foreign patterns that share an allowance, so that many patterns or many texts cannot block a
 * process, although each pattern runs in linear time.
 *
 * - One synchronous task reads about `maxPerTask` characters and states at most. The count restarts in the microtask
 *   that follows the task.
 * - All new states of the patterns' automata together cost at most `maxForStates` steps. Ordinary patterns soon know all
 *   their states. Only a pattern that was designed to be slow needs new states for each text.
 */

/** Counts steps. */
export interface Allowance {
  /** True if a text may be read. */
  readonly isLeft: () => boolean
  /** Counts characters that were read, and the cost of new states. */
  readonly spend: (characters: number, states: number) => void
}

const maxPerTask = 20_000_000

const maxForStates = 10_000_000

/** Creates an allowance. */
export const make = (): Allowance => {
  let thisTask = 0
  let forStates = 0
  return {
    isLeft: () => thisTask < maxPerTask && forStates < maxForStates,
    spend: (characters, states) => {
      if (thisTask === 0) queueMicrotask(() => (thisTask = 0))
      thisTask += characters + states + 1
      forStates += states
    }
  }
}
