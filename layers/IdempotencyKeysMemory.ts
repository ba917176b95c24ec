/**
 * Idempotency keys in this process.
 *
 * Claiming is one synchronous step, so that two fibers never both win. What is kept until its time is over: successes,
 * committed failures, and outcomes that are unknown. Anything else frees the key for another attempt.
 */
import type { Outcome } from "#domain/Outcome"
import { type Claim, IdempotencyKeys, type KeyClaim } from "#services/IdempotencyKeys"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

type Entry =
  | { readonly _tag: "InFlight"; readonly binding: string; readonly done: Deferred.Deferred<Outcome> }
  | { readonly _tag: "Done"; readonly binding: string; readonly outcome: Outcome; readonly expiresAt: number }

/** Finished keys held at most; the oldest are let go first. */
const limit = 10_000

const isKept = (outcome: Outcome): boolean => outcome._tag === "Success" || outcome.failure.sideEffect !== "none"

export const layer: Layer.Layer<IdempotencyKeys> = Layer.sync(IdempotencyKeys, () => {
  const entries = new Map<string, Entry>()
  const idOf = ({ key, tenant }: KeyClaim) => JSON.stringify([tenant, key])

  const look = (claim: KeyClaim, now: number): Exclude<Claim, { _tag: "Claimed" }> | undefined => {
    const entry = entries.get(idOf(claim))
    if (entry === undefined) return undefined
    if (entry._tag === "Done" && entry.expiresAt <= now) {
      entries.delete(idOf(claim))
      return undefined
    }
    if (entry.binding !== claim.binding) return { _tag: "Conflict" }
    return entry._tag === "Done"
      ? { _tag: "Done", outcome: entry.outcome }
      : { _tag: "InFlight", outcome: Deferred.await(entry.done) }
  }

  return {
    find: (claim) => Effect.map(Clock.currentTimeMillis, (now) => look(claim, now)),
    claim: (claim) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const found = look(claim, now)
        if (found !== undefined) return found
        entries.set(idOf(claim), { _tag: "InFlight", binding: claim.binding, done: Deferred.makeUnsafe() })
        return { _tag: "Claimed" }
      }),
    complete: (claim, outcome) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const id = idOf(claim)
        const entry = entries.get(id)
        if (entry?._tag !== "InFlight") return Effect.void
        entries.delete(id)
        if (isKept(outcome)) {
          const expiresAt = now + Duration.toMillis(claim.timeToLive)
          entries.set(id, { _tag: "Done", binding: entry.binding, outcome, expiresAt })
          if (entries.size > limit) letOldestGo(entries)
        }
        return Deferred.succeed(entry.done, outcome)
      })
  }
})

const letOldestGo = (entries: Map<string, Entry>): void => {
  for (const [id, entry] of entries) {
    if (entry._tag === "Done") {
      entries.delete(id)
      return
    }
  }
}
