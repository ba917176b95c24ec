/**
 * Provides idempotency keys over a store, and tracks the claims that run in this process.
 *
 * A store has only the id of a claim's owner. This module tracks which claims run in this process, so that an equal
 * call joins the running call instead of being refused. Every layer of IdempotencyKeys is a store in this wrapper.
 */
import {
  type Claim,
  type ClaimResult,
  type IdempotencyKeys,
  IdempotencyKeysUnavailable,
  type KeyClaim,
  type KeyState,
  longestClaim
} from "#services/IdempotencyKeys"
import { ownerValues } from "#domain/turn/Turn"
import * as AtRest from "#services/AtRest"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { hash } from "node:crypto"
import * as Retries from "./Retries.ts"
import * as Timeout from "./Timeout.ts"

/** The state of a key in a store. A store cannot join a running call. */
export type StoredState = Exclude<KeyState, { readonly _tag: "InFlight" }> | { readonly _tag: "InFlight" }

/** The result of a claim in a store. */
export type StoredClaim =
  | Omit<ClaimResult, "owner">
  | Exclude<StoredState, { readonly _tag: "Lapsed" }>
  | { readonly _tag: "NotApproved" }

/** The operations of a store of keys. */
export interface KeyStore<E = IdempotencyKeysUnavailable> {
  readonly find: (claim: KeyClaim) => Effect.Effect<StoredState | undefined, E>
  readonly claim: (
    claim: KeyClaim,
    owner: string,
    consume: Effect.Effect<boolean> | undefined
  ) => Effect.Effect<StoredClaim, E>
  readonly renew: (claim: KeyClaim, owner: string) => Effect.Effect<boolean, E>
  readonly complete: (claim: KeyClaim, owner: string, outcome: string, isKept: boolean) => Effect.Effect<boolean, E>
  /** Frees a completed key if its stored outcome is this text. */
  readonly release: (claim: KeyClaim, outcome: string) => Effect.Effect<boolean, E>
}

/**
 * Returns the owner of a key as a text: the tenant, and the principal if there is one. Different owners have different
 * texts, because a tenant that begins with a bracket is written as JSON too.
 */
export const ownerOf = ({ principal, tenant }: KeyClaim): string =>
  principal === undefined && !tenant.startsWith("[") ? tenant : JSON.stringify(ownerValues({ tenant, principal }))

/** Returns the digest of the call of a claim, which a store keeps instead of the arguments. */
export const bindingOf = ({ binding }: KeyClaim): string => hash("sha256", binding, "hex")

/**
 * Rejects a claim or a renewal whose answer came too late. The timeout cannot detect this after the thread was blocked
 * or the machine slept: a monotonic clock may stop then, and a wall clock can be set back, so both are read.
 */
const inTime = <A>(claiming: Effect.Effect<A, IdempotencyKeysUnavailable>) =>
  Effect.clockWith((clock) => {
    const [wall, monotonic] = [clock.currentTimeMillisUnsafe(), clock.monotonicTimeNanosUnsafe()]
    return Effect.flatMap(claiming, (claim) => {
      const elapsed = Math.max(
        clock.currentTimeMillisUnsafe() - wall,
        Number(clock.monotonicTimeNanosUnsafe() - monotonic) / 1e6
      )
      return elapsed <= Duration.toMillis(longestClaim)
        ? Effect.succeed(claim)
        : Effect.fail(new IdempotencyKeysUnavailable({ cause: new Error("The answer to the claim came too late.") }))
    })
  })

/** The retries of completing a claim. An unfinished claim lapses, and may need a person to resolve it. */
const completeRetries = Schedule.exponential("50 millis").pipe(Schedule.upTo({ times: 5 }))

const placeOf = (claim: KeyClaim): AtRest.Place => ["keys", ownerOf(claim), claim.key]

/** Seals the outcomes of a store, and opens them. */
const sealed = <E>(store: KeyStore<E>, cipher: AtRest.AtRestCipher): KeyStore<E | AtRest.AtRestUnreadable> => {
  const opened = <A extends { readonly _tag: string }>(
    claim: KeyClaim,
    stored: A
  ): Effect.Effect<A, AtRest.AtRestUnreadable> =>
    "outcome" in stored && typeof stored.outcome === "string"
      ? Effect.map(AtRest.openText(cipher, stored.outcome, placeOf(claim)), (outcome) => ({ ...stored, outcome }))
      : Effect.succeed(stored)
  return {
    find: (claim) =>
      Effect.flatMap(store.find(claim), (found) =>
        found === undefined ? Effect.succeed(undefined) : opened(claim, found)
      ),
    claim: (claim, owner, consume) =>
      Effect.flatMap(store.claim(claim, owner, consume), (answer) => opened(claim, answer)),
    renew: store.renew,
    // sealed once: each repetition of the effect stores the same text
    complete: (claim, owner, outcome, isKept) =>
      store.complete(claim, owner, cipher.seal(outcome, placeOf(claim)), isKept),
    // `release` compares the stored text, and sealing the outcome again would give a different text
    release: (claim, outcome) =>
      Effect.flatMap(store.find(claim), (found): Effect.Effect<boolean, E | AtRest.AtRestUnreadable> => {
        if (found?._tag !== "Done") return Effect.succeed(false)
        return Effect.flatMap(opened(claim, found), (plain) =>
          plain.outcome === outcome ? store.release(claim, found.outcome) : Effect.succeed(false)
        )
      })
  }
}

/**
 * Adds timeouts and retries to a store on a disk or a server, which may fail or hang. The cipher seals the outcomes.
 */
export const remote = <E>(store: KeyStore<E>, cipher: AtRest.AtRestCipher): KeyStore =>
  withTimeouts(sealed(store, cipher))

const withTimeouts = <E>(store: KeyStore<E>): KeyStore => {
  const withTimeout = <A>(step: Effect.Effect<A, E>): Effect.Effect<A, IdempotencyKeysUnavailable> =>
    Effect.mapError(Timeout.within(step, longestClaim), (cause) => new IdempotencyKeysUnavailable({ cause }))
  return {
    find: (claim) => withTimeout(store.find(claim)),
    claim: (claim, owner, consume) => inTime(withTimeout(store.claim(claim, owner, consume))),
    renew: (claim, owner) => inTime(withTimeout(store.renew(claim, owner))),
    complete: (claim, owner, outcome, isKept) =>
      Retries.retry(withTimeout(store.complete(claim, owner, outcome, isKept)), completeRetries),
    release: (claim, outcome) => withTimeout(store.release(claim, outcome))
  }
}

const inFlight = { _tag: "InFlight", outcome: undefined } as const

/**
 * The calls of this process with one key: the call that claims or has claimed the key, and the calls that wait for the
 * answer.
 */
interface KeyCalls {
  binding: string
  /** True as soon as the store has granted the claim. */
  isHeld: boolean
  readonly outcome: Deferred.Deferred<string>
  /** The waiting calls, in order. Each gets true if the claim was granted, and false if it is its turn. */
  readonly waiting: Set<Deferred.Deferred<boolean>>
}

const newRunning = ({ binding }: KeyClaim): KeyCalls => ({
  binding,
  isHeld: false,
  outcome: Deferred.makeUnsafe(),
  waiting: new Set()
})

/** The answer to an equal or a conflicting call after a claim was granted in this process. */
type JoinedState = Extract<KeyState, { _tag: "InFlight" | "Conflict" }>

/** Creates the service over a store. `newOwner` returns an id for each claim, unique across all processes. */
export const idempotencyKeys = (store: KeyStore, newOwner: Effect.Effect<string>): IdempotencyKeys["Service"] => {
  const running = new Map<string, KeyCalls>()
  const idOf = (claim: KeyClaim) => JSON.stringify([ownerOf(claim), claim.key])

  const joined = (one: KeyCalls, { binding }: KeyClaim): JoinedState =>
    one.binding === binding ? { _tag: "InFlight", outcome: Deferred.await(one.outcome) } : { _tag: "Conflict" }

  /** Gives the turn to the next waiting call. Only one is woken: if all were, each refusal would wake all others. */
  const passOn = (id: string, one: KeyCalls): Effect.Effect<void> =>
    Effect.suspend(() => {
      const [next] = one.waiting
      if (next === undefined) {
        running.delete(id)
        return Effect.void
      }
      one.waiting.delete(next)
      return Effect.asVoid(Deferred.succeed(next, false))
    })

  /** Waits. Returns true when the claim is granted, and false when it is the turn of this call. */
  const wait = (id: string, one: KeyCalls): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      const mine = Deferred.makeUnsafe<boolean>()
      one.waiting.add(mine)
      return Effect.onInterrupt(Deferred.await(mine), () =>
        one.waiting.delete(mine) || one.isHeld ? Effect.void : passOn(id, one)
      )
    })

  /** Runs `act` as soon as no other call of this process is claiming the key, or returns the claim that was granted. */
  const inTurn = <A, E>(
    request: KeyClaim,
    act: (one: KeyCalls) => Effect.Effect<A, E>
  ): Effect.Effect<A | JoinedState, E> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend((): Effect.Effect<A | JoinedState, E> => {
        const id = idOf(request)
        const known = running.get(id)
        if (known?.isHeld === true) return Effect.succeed(joined(known, request))
        const one = known ?? newRunning(request)
        const acting = Effect.suspend(() => {
          one.binding = request.binding
          return Effect.ensuring(
            restore(act(one)),
            Effect.suspend(() => (one.isHeld ? Effect.void : passOn(id, one)))
          )
        })
        if (known === undefined) {
          running.set(id, one)
          return acting
        }
        return Effect.flatMap(
          restore(wait(id, one)),
          // the call that passed the turn on is still on the stack
          (isHeld): Effect.Effect<A | JoinedState, E> =>
            isHeld ? Effect.succeed(joined(one, request)) : Effect.andThen(Effect.yieldNow, acting)
        )
      })
    )

  const granted = (one: KeyCalls): void => {
    one.isHeld = true
    const waiting = [...one.waiting]
    one.waiting.clear()
    for (const each of waiting) Deferred.doneUnsafe(each, Effect.succeed(true))
  }

  const claim: IdempotencyKeys["Service"]["claim"] = (request, consume) =>
    inTurn(request, (one) =>
      Effect.flatMap(newOwner, (owner) =>
        Effect.map(store.claim(request, owner, consume), (stored): Claim => {
          if (stored._tag !== "Claimed") return stored._tag === "InFlight" ? inFlight : stored
          granted(one)
          return { ...stored, owner }
        })
      )
    )

  /** Ends the claim in this process: joined calls get the outcome. */
  const settle = (request: KeyClaim, outcome: string): Effect.Effect<void> => {
    const id = idOf(request)
    const one = running.get(id)
    running.delete(id)
    return one === undefined ? Effect.void : Effect.asVoid(Deferred.succeed(one.outcome, outcome))
  }

  return {
    claim,
    renew: store.renew,
    find: (request) =>
      Effect.suspend(() => {
        const stored = Effect.map(store.find(request), (found) => (found?._tag === "InFlight" ? inFlight : found))
        return running.has(idOf(request))
          ? Effect.flatMap(
              inTurn(request, () => Effect.void),
              (known): Effect.Effect<KeyState | undefined, IdempotencyKeysUnavailable> =>
                known === undefined ? stored : Effect.succeed(known)
            )
          : stored
      }),
    complete: (request, owner, outcome, isKept) =>
      Effect.ensuring(
        store.complete(request, owner, outcome, isKept),
        Effect.suspend(() => settle(request, outcome))
      ),
    release: store.release,
    leave: (request, outcome) => Effect.suspend(() => settle(request, outcome))
  }
}
