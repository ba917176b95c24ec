/**
 * Idempotency keys in this process.
 *
 * Claiming is one synchronous step, so that exactly one of several fibers wins. The number and size of finished keys
 * are bounded; the oldest keys are dropped first.
 */
import { IdempotencyKeys, type KeyClaim } from "#services/IdempotencyKeys"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  idempotencyKeys,
  ownerOf,
  type KeyStore,
  type Stored,
  type StoredClaim
} from "#layers/internal/stores/KeyStore"

interface Entry {
  readonly binding: string
  readonly owner: string
  readonly callId: string
  readonly leaseUntil: number
  /** Absent while the action is in flight. */
  readonly done?: { readonly outcome: string; readonly expiresAt: number }
}

const mostKeys = 10_000
const mostBytes = 64 * 1024 * 1024

/** Keeps at most 10,000 finished keys with 64 MB of outcomes. */
export const layer: Layer.Layer<IdempotencyKeys> = Layer.sync(IdempotencyKeys, () => {
  let count = 0
  const keys = idempotencyKeys(
    makeStore(),
    Effect.sync(() => String((count += 1)))
  )
  return { ...keys, isShared: false }
})

const makeStore = (): KeyStore<never> => {
  const entries = new Map<string, Entry>()
  let bytes = 0
  const idOf = (claim: KeyClaim) => JSON.stringify([ownerOf(claim), claim.key])

  const look = (claim: KeyClaim, now: number): Stored | undefined => {
    const entry = entries.get(idOf(claim))
    if (entry === undefined || (entry.done !== undefined && entry.done.expiresAt <= now)) return undefined
    const { binding, callId, done, leaseUntil } = entry
    if (binding !== claim.binding) return { _tag: "Conflict" }
    if (done !== undefined) return { _tag: "Done", outcome: done.outcome, callId }
    return leaseUntil <= now || (claim.isResumed && callId === claim.callId)
      ? { _tag: "Lapsed", until: leaseUntil }
      : { _tag: "InFlight" }
  }
  const remove = (id: string) => {
    bytes -= entries.get(id)?.done?.outcome.length ?? 0
    entries.delete(id)
  }
  const dropOldest = () => {
    for (const [id, { done }] of entries) {
      if (entries.size <= mostKeys && bytes <= mostBytes) return
      if (done !== undefined) remove(id)
    }
  }

  return {
    find: (claim) => Effect.map(Clock.currentTimeMillis, (now) => look(claim, now)),
    claim: (claim, owner, consume = Effect.succeed(true)) =>
      Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<StoredClaim> => {
        const found = look(claim, now)
        if (found !== undefined && found._tag !== "Lapsed") return Effect.succeed(found)
        return Effect.map(consume, (isApproved): StoredClaim => {
          if (!isApproved) return { _tag: "NotApproved" }
          remove(idOf(claim))
          entries.set(idOf(claim), { ...claim, owner, leaseUntil: now + Duration.toMillis(claim.lease) })
          return { _tag: "Claimed", lapsed: found === undefined ? undefined : { until: found.until } }
        })
      }),
    complete: (claim, owner, outcome, isKept) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const id = idOf(claim)
        const entry = entries.get(id)
        if (entry === undefined || entry.owner !== owner || entry.done !== undefined) return false
        entries.delete(id)
        if (isKept) {
          entries.set(id, { ...entry, done: { outcome, expiresAt: now + Duration.toMillis(claim.timeToLive) } })
          bytes += outcome.length
          dropOldest()
        }
        return true
      }),
    release: (claim, outcome) =>
      Effect.sync(() => {
        const id = idOf(claim)
        if (entries.get(id)?.done?.outcome !== outcome) return false
        remove(id)
        return true
      })
  }
}
