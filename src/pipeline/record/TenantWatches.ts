/**
 * Holds the watches of tools in memory, separately for each tenant: no tenant reads findings about another tenant's
 * calls or uses up another tenant's notices.
 *
 * **Details**
 *
 * - At most 1,000 tools are watched. At the limit, the tenant with the most watched tools forgets its least
 *   recently called tool.
 * - At most 10 notices an hour are sent for a tenant as long as it has a watched tool. Without one, its notices are
 *   forgotten.
 */

const maxWatches = 1_000
const maxNotices = 10
const hour = 3_600_000

/** The watches of one tenant by the scope of the tool, least recently called first, and the times of its last notices. */
interface Tenant<Watch> {
  readonly watches: Map<string, Watch>
  readonly notices: ReadonlyArray<number>
}

export class TenantWatches<Watch> {
  readonly #tenants = new Map<string, Tenant<Watch>>()
  readonly #empty: Watch
  #size = 0
  /** The tool that was saved last, which is the last of its tenant. */
  #last: { readonly tenant: string; readonly tool: string } | undefined

  /** `empty` is the watch of a tool without calls. */
  constructor(empty: Watch) {
    this.#empty = empty
  }

  /** Returns the watch of a tool. */
  get(tenant: string, tool: string): Watch {
    return this.#tenants.get(tenant)?.watches.get(tool) ?? this.#empty
  }

  /** Saves the watch of a tool that was just called. */
  set(tenant: string, tool: string, watch: Watch): void {
    const { watches } = this.#of(tenant)
    if (this.#last?.tool === tool && this.#last.tenant === tenant && watches.has(tool)) {
      watches.set(tool, watch)
      return
    }
    if (!watches.delete(tool)) this.#size += 1
    watches.set(tool, watch)
    this.#last = { tenant, tool }
    if (this.#size > maxWatches) this.#forget()
  }

  /** True if a notice about a tool of the tenant may be sent at this time. */
  mayInform(tenant: string, now: number): boolean {
    const recent = this.#tenants.get(tenant)?.notices.filter((at) => at > now - hour) ?? []
    return recent.length < maxNotices
  }

  /** Records that a notice was sent. */
  informed(tenant: string, now: number): void {
    const before = this.#of(tenant)
    const notices = [...before.notices.filter((at) => at > now - hour), now]
    this.#tenants.set(tenant, { ...before, notices })
  }

  #of(tenant: string): Tenant<Watch> {
    const known = this.#tenants.get(tenant)
    if (known !== undefined) return known
    const created: Tenant<Watch> = { watches: new Map(), notices: [] }
    this.#tenants.set(tenant, created)
    return created
  }

  #forget(): void {
    let largest: readonly [string, Tenant<Watch>] | undefined
    for (const entry of this.#tenants) {
      if (largest === undefined || entry[1].watches.size > largest[1].watches.size) largest = entry
    }
    if (largest === undefined) return
    const [tenant, { watches }] = largest
    for (const oldest of watches.keys()) {
      watches.delete(oldest)
      this.#size -= 1
      break
    }
    if (watches.size === 0) this.#tenants.delete(tenant)
  }
}
