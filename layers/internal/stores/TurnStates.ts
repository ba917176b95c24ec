/**
 * State of turns or conversations in this process, bounded for each tenant.
 *
 * - The state of a turn object is found by identity; equal turn objects share one state by key.
 * - Beyond the limit of a tenant, its least recently used states are dropped. Other tenants keep theirs.
 * - All tenants together have ten times the limit of one, so memory is bounded even if a host never ends its turns,
 *   however many tenants it has. Beyond this limit, one of the tenants that hold the most drops its least recently used
 *   state: a tenant drops nothing while another tenant holds twice as much.
 */
import type { Turn } from "#domain/turn/Turn"
import * as Effect from "effect/Effect"

interface TurnStates<State> {
  /** Changes the state in one step, and returns the first item of the pair that `f` returns. */
  readonly modify: <A>(turn: Turn, f: (state: State) => readonly [A, State]) => Effect.Effect<A>
  readonly end: (turn: Turn) => void
}

interface TurnStatesOptions<State> {
  readonly keyOf: (turn: Turn) => string
  readonly initial: () => State
  /** The limit of a tenant: of its number of states, or of the sum of their weights. Default 10,000. */
  readonly limit?: number
  /** The weight of a state, at least 1. Default 1. */
  readonly weigh?: (state: State) => number
}

interface Cell<State> {
  readonly key: string
  readonly owner: Owner<State>
  state: State
  weight: number
  /** True if the state was dropped; the next use of the turn creates a new cell. */
  isDropped: boolean
}

/** The states of a tenant. */
interface Owner<State> {
  readonly tenant: string
  /** Least recently used first. */
  readonly cells: Map<string, Cell<State>>
  weight: number
}

/** The limit of all tenants together, as a multiple of the limit of one tenant. */
const tenantsInAll = 10

/** Creates the states. */
export const make = <State>({
  initial,
  keyOf,
  limit = 10_000,
  weigh = () => 1
}: TurnStatesOptions<State>): TurnStates<State> => {
  const owners = new Map<string, Owner<State>>()
  /** The owners by the magnitude of their weights: those at `n` hold from 2ⁿ to less than 2ⁿ⁺¹. */
  const magnitudes: Array<Set<Owner<State>>> = []
  const byTurn = new WeakMap<Turn, Cell<State>>()
  let total = 0

  const add = (owner: Owner<State>, weight: number): void => {
    const before = owner.weight
    owner.weight += weight
    total += weight
    const [from, to] = [magnitudeOf(before), magnitudeOf(owner.weight)]
    if (from === to) return
    magnitudes[from]?.delete(owner)
    if (owner.weight === 0) owners.delete(owner.tenant)
    else (magnitudes[to] ??= new Set()).add(owner)
  }
  const drop = (cell: Cell<State>): void => {
    cell.owner.cells.delete(cell.key)
    cell.isDropped = true
    cell.state = initial()
    add(cell.owner, -cell.weight)
  }
  /**
   * Drops the least recently used state of an owner other than `kept`. Returns false if the owner has no other state.
   */
  const dropOldest = (owner: Owner<State>, kept: Cell<State>): boolean => {
    for (const cell of owner.cells.values()) {
      if (cell === kept) continue
      drop(cell)
      return true
    }
    return false
  }
  const dropOfLargest = (kept: Cell<State>): boolean => {
    for (let at = magnitudes.length - 1; at >= 0; at -= 1) {
      for (const owner of magnitudes[at] ?? []) if (dropOldest(owner, kept)) return true
    }
    return false
  }
  /** Brings the weight of a state up to date, and drops others if a limit is exceeded. */
  const reweigh = (cell: Cell<State>): void => {
    const weight = weigh(cell.state)
    if (cell.isDropped || weight === cell.weight) return
    const added = weight - cell.weight
    cell.weight = weight
    add(cell.owner, added)
    while (cell.owner.weight > limit && dropOldest(cell.owner, cell)) continue
    while (total > limit * tenantsInAll && dropOfLargest(cell)) continue
  }
  const ownerOf = (tenant: string): Owner<State> => {
    const known = owners.get(tenant)
    if (known !== undefined) return known
    const owner: Owner<State> = { tenant, cells: new Map(), weight: 0 }
    owners.set(tenant, owner)
    return owner
  }
  const find = (turn: Turn): Cell<State> => {
    const key = keyOf(turn)
    const owner = ownerOf(turn.tenant)
    const known = owner.cells.get(key)
    if (known !== undefined) return known
    const cell: Cell<State> = { key, owner, state: initial(), weight: 0, isDropped: false }
    reweigh(cell)
    return cell
  }
  let last: { readonly turn: Turn; readonly cell: Cell<State> } | undefined
  const cellOf = (turn: Turn): Cell<State> => {
    // the stages of one call use the state of one turn in sequence
    if (last !== undefined && last.turn === turn && !last.cell.isDropped) return last.cell
    const known = byTurn.get(turn)
    const cell = known === undefined || known.isDropped ? find(turn) : known
    if (cell !== known) byTurn.set(turn, cell)
    cell.owner.cells.delete(cell.key)
    cell.owner.cells.set(cell.key, cell)
    last = { turn, cell }
    return cell
  }
  return {
    modify: (turn, f) =>
      Effect.sync(() => {
        const cell = cellOf(turn)
        const [answer, state] = f(cell.state)
        cell.state = state
        reweigh(cell)
        return answer
      }),
    end: (turn) => {
      const cell = owners.get(turn.tenant)?.cells.get(keyOf(turn))
      if (cell !== undefined) drop(cell)
    }
  }
}

/** Returns the magnitude of a weight; -1 for no weight. */
const magnitudeOf = (weight: number): number => (weight === 0 ? -1 : Math.floor(Math.log2(weight)))
