/**
 * Keeps idempotency keys in memory. Exactly one of several fibers wins a key, because `idempotencyKeys` runs the claims
 * of a key one after another.
 *
 * - The number of keys and the size of their outcomes are bounded for each tenant. At a limit, new keys of the tenant
 *   are refused: a key that was dropped before it expires would let its action run again.
 * - Each claim removes some expired keys of any tenant, so that a tenant that makes no more calls needs no memory.
 */
import { IdempotencyKeysUnavailable, type KeyClaim } from "#services/IdempotencyKeys"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { ownerOf, type KeyStore, type StoredState, type StoredClaim } from "./KeyStore.ts"

interface Entry {
  readonly id: string
  readonly tenant: string
  readonly binding: string
  readonly owner: string
  readonly callId: string
  readonly leaseUntil: number
  readonly fencingToken: number
  /** When the entry may be removed: `timeToLive` after its outcome was stored, or after its lease while it has none. */
  readonly expiresAt: number
  /** Absent while the action is in flight. */
  readonly outcome?: string
}

/** The limits of each tenant. */
interface MemoryKeyStoreOptions {
  /** The maximum number of keys that have not expired. Default 100,000. */
  readonly maxKeys?: number
  /** The maximum size of all stored outcomes, in UTF-16 code units. Default 64,000,000. */
  readonly maxCharacters?: number
}

/** How often all keys of a tenant at its limit are examined, in milliseconds. */
const fullSweepMillis = 1_000

/** The number of keys that each claim examines to remove those that have expired. */
const sweptPerClaim = 4

const isExpired = ({ expiresAt }: Entry, now: number): boolean => expiresAt <= now

const endTime = (now: number, time: Duration.Duration): number => now + Duration.toMillis(time)

interface Usage {
  readonly keys: number
  readonly characters: number
  /** When all keys of the tenant were examined last. */
  sweptAt: number
}

/** Creates a store that refuses new keys at the limits of a tenant. */
export const make = ({ maxCharacters = 64_000_000, maxKeys = 100_000 }: MemoryKeyStoreOptions = {}): KeyStore => {
  let lastToken = 0
  const entries = new Map<string, Entry>()
  const usages = new Map<string, Usage>()
  let sweeping = entries.values()
  const idOf = (claim: KeyClaim) => JSON.stringify([ownerOf(claim), claim.key])

  const count = ({ outcome = "", tenant }: Entry, sign: 1 | -1): void => {
    const { characters, keys, sweptAt } = usages.get(tenant) ?? { characters: 0, keys: 0, sweptAt: -Infinity }
    if (keys + sign === 0) usages.delete(tenant)
    else usages.set(tenant, { keys: keys + sign, characters: characters + sign * outcome.length, sweptAt })
  }
  const remove = (id: string): void => {
    const entry = entries.get(id)
    if (entry === undefined) return
    entries.delete(id)
    count(entry, -1)
  }
  const put = (entry: Entry): void => {
    remove(entry.id)
    entries.set(entry.id, entry)
    count(entry, 1)
  }
  const sweep = (now: number): void => {
    for (let left = sweptPerClaim; left > 0; left--) {
      const { done, value } = sweeping.next()
      if (done === true) sweeping = entries.values()
      else if (isExpired(value, now)) remove(value.id)
    }
  }
  const limitReached = (tenant: string): string | undefined => {
    const usage = usages.get(tenant)
    if (usage === undefined) return undefined
    if (usage.keys >= maxKeys) return `${maxKeys} keys`
    return usage.characters >= maxCharacters ? `outcomes of ${maxCharacters} characters` : undefined
  }
  /** Returns the limit that a new key of the tenant would exceed. */
  const fullOf = (tenant: string, now: number): string | undefined => {
    const limit = limitReached(tenant)
    const usage = usages.get(tenant)
    if (limit === undefined || usage === undefined || Math.abs(now - usage.sweptAt) < fullSweepMillis) return limit
    usage.sweptAt = now
    for (const entry of entries.values()) if (entry.tenant === tenant && isExpired(entry, now)) remove(entry.id)
    return limitReached(tenant)
  }

  const look = (claim: KeyClaim, now: number): StoredState | undefined => {
    const entry = entries.get(idOf(claim))
    if (entry === undefined || isExpired(entry, now)) return undefined
    const { binding, callId, leaseUntil, outcome } = entry
    if (binding !== claim.binding) return { _tag: "Conflict" }
    if (outcome !== undefined) return { _tag: "Done", outcome, callId }
    return leaseUntil <= now || (claim.isResumed && callId === claim.callId)
      ? { _tag: "Lapsed", remainingMillis: Math.max(0, leaseUntil - now) }
      : { _tag: "InFlight" }
  }

  return {
    find: (claim) => Effect.map(Clock.currentTimeMillis, (now) => look(claim, now)),
    claim: (claim, owner, consume = Effect.succeed(true)) =>
      Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<StoredClaim, IdempotencyKeysUnavailable> => {
        sweep(now)
        const found = look(claim, now)
        if (found !== undefined && found._tag !== "Lapsed") return Effect.succeed(found)
        const limit = found === undefined ? fullOf(claim.tenant, now) : undefined
        if (limit !== undefined) return Effect.fail(full(limit))
        return Effect.map(consume, (isApproved): StoredClaim => {
          if (!isApproved) return { _tag: "NotApproved" }
          const { binding, callId, tenant } = claim
          const leaseUntil = endTime(now, claim.lease)
          const expiresAt = endTime(leaseUntil, claim.timeToLive)
          const fencingToken = (lastToken += 1)
          put({ id: idOf(claim), tenant, binding, callId, owner, leaseUntil, expiresAt, fencingToken })
          const lapsed = found === undefined ? undefined : { remainingMillis: found.remainingMillis }
          return { _tag: "Claimed", fencingToken, lapsed }
        })
      }),
    renew: (claim, owner) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const entry = entries.get(idOf(claim))
        if (entry === undefined || entry.owner !== owner || entry.outcome !== undefined) return false
        const leaseUntil = endTime(now, claim.lease)
        put({ ...entry, leaseUntil, expiresAt: endTime(leaseUntil, claim.timeToLive) })
        return true
      }),
    complete: (claim, owner, outcome, isKept) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const id = idOf(claim)
        const entry = entries.get(id)
        if (entry === undefined || entry.owner !== owner) return false
        if (entry.outcome !== undefined) return isKept && entry.outcome === outcome
        if (isKept) put({ ...entry, outcome, expiresAt: endTime(now, claim.timeToLive) })
        else remove(id)
        return true
      }),
    release: (claim, outcome) =>
      Effect.sync(() => {
        const id = idOf(claim)
        if (entries.get(id)?.outcome !== outcome) return false
        remove(id)
        return true
      })
  }
}

const full = (limit: string): IdempotencyKeysUnavailable => {
  const detail = `This tenant has reached the limit of IdempotencyKeysMemory: ${limit} that have not expired. Nothing was done. IdempotencyKeysSql and IdempotencyKeysRedis have no such limit.`
  return new IdempotencyKeysUnavailable({ cause: new Error(detail), detail })
}
