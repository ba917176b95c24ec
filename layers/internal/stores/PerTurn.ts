/**
 * State of turns or conversations in this process, up to a limit.
 *
 * The state of a turn object is found by identity; equal turn objects share one state by key. Beyond `limit` the oldest
 * state is dropped, so that memory is bounded even if a host never ends its turns.
 */
import type { Turn } from "#domain/turn/Turn"
import * as Effect from "effect/Effect"

interface PerTurn<State> {
  readonly get: (turn: Turn) => State
  /** Changes the state in one step, and returns the first item of the pair that `f` returns. */
  readonly modify: <A>(turn: Turn, f: (state: State) => readonly [A, State]) => Effect.Effect<A>
  readonly end: (turn: Turn) => void
}

interface Cell<State> {
  state: State
  /** True if the state was dropped; the next use of the turn creates a new cell. */
  isDropped: boolean
}

/** Creates the states. `limit` is the maximum number of states, 10,000 by default. */
export const make = <State>(keyOf: (turn: Turn) => string, initial: () => State, limit = 10_000): PerTurn<State> => {
  const byKey = new Map<string, Cell<State>>()
  const byTurn = new WeakMap<Turn, Cell<State>>()
  const drop = (key: string): void => {
    const cell = byKey.get(key)
    if (cell === undefined) return
    byKey.delete(key)
    cell.isDropped = true
    cell.state = initial()
  }
  const find = (turn: Turn): Cell<State> => {
    const key = keyOf(turn)
    const known = byKey.get(key)
    if (known !== undefined) return known
    const cell = { state: initial(), isDropped: false }
    byKey.set(key, cell)
    if (byKey.size > limit) {
      const [oldest] = byKey.keys()
      if (oldest !== undefined) drop(oldest)
    }
    return cell
  }
  let last: { readonly turn: Turn; readonly cell: Cell<State> } | undefined
  const cellOf = (turn: Turn): Cell<State> => {
    // the stages of one call read the state of one turn in sequence
    if (last !== undefined && last.turn === turn && !last.cell.isDropped) return last.cell
    const known = byTurn.get(turn)
    const cell = known === undefined || known.isDropped ? find(turn) : known
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
    end: (turn) => drop(keyOf(turn))
  }
}
