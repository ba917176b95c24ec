/**
 * The keys of one store, and the calls of this process that wait for each other.
 *
 * A store knows which process has a claim only as an owner's name; who runs in this process is known here, so that an
 * equal call joins it instead of being refused. Every layer of IdempotencyKeys is a store in this wrapping.
 */
import {
  type Claim,
  type IdempotencyKeys,
  IdempotencyKeysUnavailable,
  type KeyClaim,
  type Known,
  longestClaim
} from "#services/IdempotencyKeys"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/** What a store says: it can join nobody. */
export type Stored = Exclude<Known, { readonly _tag: "InFlight" }> | { readonly _tag: "InFlight" }

export type StoredClaim =
  | { readonly _tag: "Claimed"; readonly lapsed: { readonly until: number } | undefined }
  | Exclude<Stored, { readonly _tag: "Lapsed" }>
  | { readonly _tag: "NotApproved" }

/** A place where keys are kept. */
export interface KeyStore<E = IdempotencyKeysUnavailable> {
  readonly find: (claim: KeyClaim) => Effect.Effect<Stored | undefined, E>
  readonly claim: (
    claim: KeyClaim,
    owner: string,
    consume: Effect.Effect<boolean> | undefined
  ) => Effect.Effect<StoredClaim, E>
  readonly complete: (claim: KeyClaim, owner: string, outcome: string, isKept: boolean) => Effect.Effect<boolean, E>
}

/** When a time is over, in epoch milliseconds as stores take them: whole, and finite where the time is without end. */
export const ending = (now: number, time: Duration.Duration): number =>
  Math.min(Number.MAX_SAFE_INTEGER, Math.ceil(now + Duration.toMillis(time)))

/** A claim whose answer came too late counts as none: a blocked thread, or a machine that slept, stops the timer as well. */
const inTime = <A>(claiming: Effect.Effect<A, IdempotencyKeysUnavailable>) =>
  Effect.gen(function* () {
    const since = yield* Clock.currentTimeMillis // of the wall: a monotonic one sleeps with its machine
    const claim = yield* claiming
    if ((yield* Clock.currentTimeMillis) - since <= Duration.toMillis(longestClaim)) return claim
    return yield* new IdempotencyKeysUnavailable({ cause: new Error("The answer to the claim came too late.") })
  })

/** A claim that cannot be ended would lapse and cost a person's time: the store is asked again for a while. */
const again = Schedule.exponential("50 millis").pipe(Schedule.upTo({ times: 5 }))

/** A store in another process or on a disk: it may fail, and it may hang. */
export const remote = <E>(store: KeyStore<E>): KeyStore => {
  const asked = <A>(step: Effect.Effect<A, E>): Effect.Effect<A, IdempotencyKeysUnavailable> =>
    Effect.mapError(
      Effect.timeout(Effect.interruptible(step), longestClaim),
      (cause) => new IdempotencyKeysUnavailable({ cause })
    )
  return {
    find: (claim) => asked(store.find(claim)),
    claim: (claim, owner, consume) => inTime(asked(store.claim(claim, owner, consume))),
    complete: (claim, owner, outcome, isKept) =>
      Effect.retry(asked(store.complete(claim, owner, outcome, isKept)), again)
  }
}

const inFlight = { _tag: "InFlight", outcome: undefined } as const

/** A claim of this process. `isHeld` comes first: whether the store gave it to us. */
interface Running {
  readonly binding: string
  readonly isHeld: Deferred.Deferred<boolean>
  readonly outcome: Deferred.Deferred<string>
}

/** The service over a store. `newOwner` gives each claim a name that no other process gives. */
export const idempotencyKeys = (store: KeyStore, newOwner: Effect.Effect<string>): IdempotencyKeys["Service"] => {
  const running = new Map<string, Running>()
  const idOf = ({ key, tenant }: KeyClaim) => JSON.stringify([tenant, key])

  /** What this process knows of a key by itself; undefined where the store must be asked. */
  const here = (claim: KeyClaim): Effect.Effect<Extract<Known, { _tag: "InFlight" | "Conflict" }> | undefined> => {
    const one = running.get(idOf(claim))
    if (one === undefined) return Effect.succeed(undefined)
    return Effect.flatMap(Deferred.await(one.isHeld), (isHeld) =>
      !isHeld
        ? here(claim)
        : Effect.succeed(
            one.binding === claim.binding
              ? { _tag: "InFlight", outcome: Deferred.await(one.outcome) }
              : { _tag: "Conflict" }
          )
    )
  }

  const start = (wanted: KeyClaim, consume: Effect.Effect<boolean> | undefined) =>
    Effect.suspend(() => {
      const id = idOf(wanted)
      if (running.has(id)) return claim(wanted, consume) // another call has begun while this one waited
      const one: Running = { binding: wanted.binding, isHeld: Deferred.makeUnsafe(), outcome: Deferred.makeUnsafe() }
      running.set(id, one)
      const letGo = Effect.suspend(() => {
        running.delete(id)
        return Deferred.succeed(one.isHeld, false)
      })
      const started = Effect.gen(function* () {
        const owner = yield* newOwner
        const stored = yield* store.claim(wanted, owner, consume)
        if (stored._tag !== "Claimed") {
          yield* letGo
          return stored._tag === "InFlight" ? inFlight : stored
        }
        yield* Deferred.succeed(one.isHeld, true)
        return { ...stored, owner }
      })
      return Effect.onError(started, () => letGo)
    })

  const claim: IdempotencyKeys["Service"]["claim"] = (wanted, consume) =>
    Effect.flatMap(
      Effect.suspend(() => here(wanted)),
      (known): Effect.Effect<Claim, IdempotencyKeysUnavailable> =>
        known === undefined ? start(wanted, consume) : Effect.succeed(known)
    )

  /** It runs here no more: whoever joined it gets the outcome. */
  const tell = (wanted: KeyClaim, outcome: string): Effect.Effect<void> => {
    const one = running.get(idOf(wanted))
    running.delete(idOf(wanted))
    return one === undefined ? Effect.void : Effect.asVoid(Deferred.succeed(one.outcome, outcome))
  }

  return {
    claim,
    find: (wanted) =>
      Effect.flatMap(
        Effect.suspend(() => here(wanted)),
        (known): Effect.Effect<Known | undefined, IdempotencyKeysUnavailable> =>
          known === undefined
            ? Effect.map(store.find(wanted), (stored) => (stored?._tag === "InFlight" ? inFlight : stored))
            : Effect.succeed(known)
      ),
    complete: (wanted, owner, outcome, isKept) =>
      Effect.ensuring(
        store.complete(wanted, owner, outcome, isKept),
        Effect.suspend(() => tell(wanted, outcome))
      ),
    leave: (wanted, outcome) => Effect.suspend(() => tell(wanted, outcome))
  }
}
