/**
 * In-process state by turn or conversation, bounded.
 *
 * A turn object is found again by identity; turns that are equal but not the same object share their state by key.
 * Over `limit` the state that was made first is let go: a host that never ends its turns does not grow without bound.
 */
import type { Turn } from "#domain/Turn"

export interface PerTurn<State> {
  readonly get: (turn: Turn) => State
  readonly end: (turn: Turn) => void
}

export const make = <State>(keyOf: (turn: Turn) => string, initial: () => State, limit = 10_000): PerTurn<State> => {
  const byKey = new Map<string, State>()
  let byTurn = new WeakMap<Turn, State>()
  const find = (turn: Turn): State => {
    const key = keyOf(turn)
    const known = byKey.get(key)
    if (known !== undefined) return known
    const state = initial()
    byKey.set(key, state)
    if (byKey.size > limit) {
      const [oldest] = byKey.keys()
      if (oldest !== undefined) byKey.delete(oldest)
      byTurn = new WeakMap()
    }
    return state
  }
  return {
    get: (turn) => {
      const known = byTurn.get(turn)
      if (known !== undefined) return known
      const state = find(turn)
      byTurn.set(turn, state)
      return state
    },
    end: (turn) => {
      byKey.delete(keyOf(turn))
      byTurn = new WeakMap()
    }
  }
}
