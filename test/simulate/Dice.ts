/** Generates reproducible random numbers: equal seeds give equal numbers. Each purpose uses a separate generator. */

/** A source of reproducible random numbers. */
export interface Dice {
  /** A number from 0, inclusive, to 1, exclusive. */
  readonly next: () => number
  /** An integer from `least` to `most`, inclusive. */
  readonly between: (least: number, most: number) => number
  /** True with this probability. */
  readonly chance: (probability: number) => boolean
  /** One of the values. */
  readonly one: <A>(values: ReadonlyArray<A>) => A
}

/** Returns 32 well-mixed bits of a text (FNV-1a with the finalizer of MurmurHash3). */
const bitsOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Creates dice for a purpose of a seed (Mulberry32). */
export const make = (seed: number, purpose: string): Dice => {
  let state = bitsOf(`${seed}/${purpose}`)
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    one: (values) => values[between(0, values.length - 1)] as (typeof values)[number] // `values` is not empty
  }
}
