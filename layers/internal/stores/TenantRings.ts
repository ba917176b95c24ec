/**
 * The latest values of each tenant, in the order in which they were added.
 *
 * - Beyond the limit of a tenant, its oldest value is dropped. Other tenants keep theirs.
 * - All tenants together have ten times the limit of one. Beyond it, one of the tenants that hold the most drops its
 *   oldest value: a tenant drops nothing while another tenant holds twice as much.
 * - Adding takes constant time, because it happens in every call.
 */
interface TenantRings<A> {
  readonly push: (tenant: string, value: A) => void
  /** The values of all tenants, oldest first. */
  readonly all: () => ReadonlyArray<A>
  /** The values of a tenant, oldest first. */
  readonly of: (tenant: string) => ReadonlyArray<A>
}

/** The values of one tenant. `at` is the position of the oldest. */
interface Ring<A> {
  readonly tenant: string
  readonly values: Array<A | undefined>
  /** The number of each value in the order of all tenants. */
  readonly numbers: Array<number>
  at: number
  size: number
}

/** The limit of all tenants together, as a multiple of the limit of one tenant. */
const tenantsInAll = 10

export const make = <A>(limit: number): TenantRings<A> => {
  const rings = new Map<string, Ring<A>>()
  /** The rings by the magnitude of their sizes: those at `n` hold from 2ⁿ to less than 2ⁿ⁺¹ values. */
  const magnitudes: Array<Set<Ring<A>>> = []
  let total = 0
  let added = 0

  const resize = (ring: Ring<A>, size: number): void => {
    const [from, to] = [magnitudeOf(ring.size), magnitudeOf(size)]
    total += size - ring.size
    ring.size = size
    if (from === to) return
    magnitudes[from]?.delete(ring)
    if (size === 0) rings.delete(ring.tenant)
    else (magnitudes[to] ??= new Set()).add(ring)
  }
  const dropOldest = (ring: Ring<A>): void => {
    ring.values[ring.at] = undefined
    ring.at = (ring.at + 1) % limit
    resize(ring, ring.size - 1)
  }
  const dropOfLargest = (): void => {
    for (let at = magnitudes.length - 1; at >= 0; at -= 1) {
      for (const ring of magnitudes[at] ?? []) return dropOldest(ring)
    }
  }
  const ringOf = (tenant: string): Ring<A> => {
    const known = rings.get(tenant)
    if (known !== undefined) return known
    const ring: Ring<A> = { tenant, values: [], numbers: [], at: 0, size: 0 }
    rings.set(tenant, ring)
    return ring
  }
  const entries = ({ at, numbers, size, values }: Ring<A>) =>
    Array.from({ length: size }, (_, n) => {
      const index = (at + n) % limit
      return [numbers[index] as number, values[index] as A] as const // both are set at each of these positions
    })
  return {
    push: (tenant, value) => {
      if (limit < 1) return
      const ring = ringOf(tenant)
      const end = (ring.at + ring.size) % limit
      ring.values[end] = value
      ring.numbers[end] = added += 1
      if (ring.size === limit) {
        ring.at = (ring.at + 1) % limit
        return
      }
      resize(ring, ring.size + 1)
      if (total > limit * tenantsInAll) dropOfLargest()
    },
    all: () =>
      [...rings.values()]
        .flatMap(entries)
        .sort(([a], [b]) => a - b)
        .map(([, value]) => value),
    of: (tenant) => {
      const ring = rings.get(tenant)
      return ring === undefined ? [] : entries(ring).map(([, value]) => value)
    }
  }
}

/** Returns the magnitude of a size; -1 for no values. */
const magnitudeOf = (size: number): number => (size === 0 ? -1 : 31 - Math.clz32(size))
