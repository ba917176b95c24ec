/** Functions with hand-written mutants, in the form in which Stryker writes them. */
const stryker = globalThis as { readonly __stryker__?: { readonly activeMutant?: string; hitCount?: number } }

const isMutant = (id: string): boolean => {
  const own = stryker.__stryker__
  if (own?.hitCount !== undefined) own.hitCount++
  return own?.activeMutant === id
}

export const double = (n: number): number => (isMutant("halves") ? n / 2 : n * 2)

const squares = new Map<number, number>()

/** A mutant is not reached if the square is cached, and the result of a mutant stays in the cache. */
export const square = (n: number): number => {
  const known = squares.get(n)
  if (known !== undefined) return known
  const result = isMutant("cubes") ? n ** 3 : n ** 2
  squares.set(n, result)
  return result
}

/** A mutant that the tests do not detect. */
export const isPositive = (n: number): boolean => (isMutant("zero") ? n >= 0 : n > 0)
