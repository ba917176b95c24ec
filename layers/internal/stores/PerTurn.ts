/**
 * In-process state by turn or conversation, bounded.
 *
 * A turn object is found again by identity; turns that are equal but not the same object share their state by key.
 * Over `limit` the state that was made first is let go: a host that never ends its turns does not grow without bound.
 */
import type { Turn } from "#domain/turn/Turn"
import * as Effect from "effect/Effect"

export interface PerTurn<State> {
  readonly get: (turn: Turn) => State
  /** Changes the state in one step, and gives what `f` answers. */
  readonly modify: <A>(turn: Turn, f: (state: State) => readonly [A, State]) => Effect.Effect<A>
  readonly end: (turn: Turn) => void
}

interface Cell<State> {
  state: State
  /** It was let go, and holds nothing: who finds it by its turn makes a new one. */
  isOver: boolean
}

export const make = <State>(keyOf: (turn: Turn) => string, initial: () => State, limit = 10_000): PerTurn<State> => {
  const byKey = new Map<string, Cell<State>>()
  const byTurn = new WeakMap<Turn, Cell<State>>()
  const letGo = (key: string): void => {
    const cell = byKey.get(key)
    if (cell === undefined) return
    byKey.delete(key)
    cell.isOver = true
    cell.state = initial()
  }
  const find = (turn: Turn): Cell<State> => {
    const key = keyOf(turn)
    const known = byKey.get(key)
    if (known !== undefined) return known
    const cell = { state: initial(), isOver: false }
    byKey.set(key, cell)
    if (byKey.size > limit) {
      const [oldest] = byKey.keys()
      if (oldest !== undefined) letGo(oldest)
    }
    return cell
  }
  let last: { readonly turn: Turn; readonly cell: Cell<State> } | undefined
  const cellOf = (turn: Turn): Cell<State> => {
    // the stages of a call ask one after the other about the same turn
    if (last !== undefined && last.turn === turn && !last.cell.isOver) return last.cell
    const known = byTurn.get(turn)
    const cell = known === undefined || known.isOver ? find(turn) : known
    if (cell !== known) byTurn.set(turn, cell)
    last = { turn, cell }
    return cell
  }
  return {
    get: (turn) => cellOf(turn).state,
    modify: (turn, f) =>
      Effect.sync(() => {
        const cell = cellOf(turn)
        const [answer, state] = f(cell.state)
        cell.state = state
        return answer
      }),
    end: (turn) => letGo(keyOf(turn))
  }
}
