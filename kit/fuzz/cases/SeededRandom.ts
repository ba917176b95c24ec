/**
 * Makes pseudo-random choices, determined by a seed and the index of a case. A replay token contains both numbers, so
 * that the case can be repeated.
 */

/** A source of pseudo-random choices. */
export interface Choices {
  /** Returns an integer from 0 to `count - 1`. */
  readonly below: (count: number) => number
  /** Returns `true` with the given probability, from 0 to 1. */
  readonly chance: (probability: number) => boolean
  /** Returns an item of a non-empty list. */
  readonly pick: <A>(from: ReadonlyArray<A>) => A
}

/** Returns the choices for a case, made by a mulberry32 generator whose initial state depends on both numbers. */
export const choices = (seed: number, index: number): Choices => {
  let state = (Math.imul(seed | 0, 0x9e37_79b1) ^ Math.imul(index + 1, 0x85eb_ca6b)) >>> 0
  const next = (): number => {
    state = (state + 0x6d2b_79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (count: number): number => Math.floor(next() * count)
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (from) => from[below(from.length)]! // the list is not empty
  }
}

/** Returns the replay token of a case: the seed and the number of the case, counted from 1. */
export const token = (seed: number, index: number): string => `${seed}:${index + 1}`

/** Parses a replay token. Returns `undefined` if the text is not a replay token. */
export const readToken = (text: string): { readonly seed: number; readonly index: number } | undefined => {
  const [, seed, number] = /^(-?\d{1,10}):([1-9]\d{0,9})$/u.exec(text) ?? []
  return seed === undefined || number === undefined ? undefined : { seed: Number(seed), index: Number(number) - 1 }
}
