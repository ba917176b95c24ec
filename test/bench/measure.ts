/** Measures variants in one process. Each round runs every variant once, and ratios compare variants within a round. */
import type { Variant } from "./variants.ts"

export interface Measurement {
  readonly name: string
  /** Microseconds per call, one value per round. */
  readonly micros: ReadonlyArray<number>
  /** Milliseconds of single calls, in ascending order. */
  readonly latencies: ReadonlyArray<number>
  /** Bytes allocated on the heap by a call. */
  readonly bytes: number
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

export const quantile = (sorted: ReadonlyArray<number>, q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN

/** Returns the heap bytes per call: the largest of seven growths, probably a growth without garbage collection. */
const bytesOf = async ({ loop }: Variant): Promise<number> => {
  const calls = 60
  let most = 0
  for (let i = 0; i < 7; i++) {
    globalThis.gc?.()
    const before = process.memoryUsage().heapUsed
    await loop(calls)
    most = Math.max(most, (process.memoryUsage().heapUsed - before) / calls)
  }
  return most
}

export interface Options {
  readonly rounds: number
  readonly calls: number
}

/** Warm-up calls per variant, so that every variant runs compiled. */
const warmUp = 20_000

/** Measures variants against each other, after warming up each. */
export const measure = async (
  variants: ReadonlyArray<Variant>,
  { calls, rounds }: Options
): Promise<ReadonlyMap<string, Measurement>> => {
  const micros = new Map(variants.map(({ name }) => [name, [] as Array<number>]))
  for (let done = 0; done < warmUp; done += calls) for (const { loop } of variants) await loop(calls)
  for (let round = 0; round < rounds; round++) {
    for (const { loop, name } of variants) {
      const start = performance.now()
      await loop(calls)
      micros.get(name)?.push(((performance.now() - start) * 1000) / calls)
    }
  }
  const measured = new Map<string, Measurement>()
  for (const variant of variants) {
    const latencies: Array<number> = []
    await variant.loop(calls, latencies)
    measured.set(variant.name, {
      name: variant.name,
      micros: micros.get(variant.name) ?? [],
      latencies: latencies.sort((a, b) => a - b),
      bytes: await bytesOf(variant)
    })
  }
  return measured
}

/** Returns the median over the rounds of one variant's time divided by another's. */
export const ratio = (measured: ReadonlyMap<string, Measurement>, name: string, to: string): number => {
  const own = measured.get(name)?.micros ?? []
  const other = measured.get(to)?.micros ?? []
  return median(own.map((micros, round) => micros / (other[round] ?? Number.NaN)))
}
