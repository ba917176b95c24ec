/**
 * Choices that are always the same for a seed and the number of a case, so that a token of the two makes the case again.
 */

/** Makes choices, each other than the one before. */
export interface Choices {
  /** A whole number from 0 to `count - 1`. */
  readonly below: (count: number) => number
  /** True in that share of cases. */
  readonly chance: (share: number) => boolean
  /** One of a list that is not empty. */
  readonly pick: <A>(from: ReadonlyArray<A>) => A
}

/** The choices of a case (mulberry32, its state mixed from both numbers). */
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
    chance: (share) => next() < share,
    pick: (from) => from[below(from.length)]!
  }
}

/** What makes a case again: the seed and its number, from 1. */
export const token = (seed: number, index: number): string => `${seed}:${index + 1}`

/** Reads a token; undefined where it is none. */
export const readToken = (text: string): { readonly seed: number; readonly index: number } | undefined => {
  const [, seed, number] = /^(-?\d{1,10}):([1-9]\d{0,9})$/u.exec(text) ?? []
  return seed === undefined || number === undefined ? undefined : { seed: Number(seed), index: Number(number) - 1 }
}
