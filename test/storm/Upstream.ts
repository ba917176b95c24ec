/**
 * The upstream of a storm. It refuses everything during the outage, and afterwards serves a limited number of requests
 * per second: a token bucket that holds a tenth of a second. It refuses other requests with a 503 without Retry-After.
 */
import * as Effect from "effect/Effect"
import * as World from "../simulate/World.ts"

/** The upstream as a storm needs it. */
export interface UpstreamOptions {
  /** The requests that it serves per second after the outage. */
  readonly capacity: number
  /** How long a served request takes, in milliseconds. Default 50. */
  readonly servedMillis?: number
  /** How long a refused request takes, in milliseconds. Default 5. */
  readonly refusedMillis?: number
}

/** A request, which succeeds if it is served. */
export type Request = Effect.Effect<true, { readonly status: number; readonly message: string }>

export interface Upstream {
  readonly request: Request
  /** The number of requests in each slice of time since the start. */
  readonly rates: () => ReadonlyArray<number>
}

/** The slices of `rates`: how long one is, and how many are a second. */
export const slice = { millis: 100, perSecond: 10 } as const

export const make = (
  world: World.World,
  recovery: number,
  { capacity, refusedMillis = 5, servedMillis = 50 }: UpstreamOptions
): Upstream => {
  const rates: Array<number> = []
  const burst = Math.max(1, capacity / slice.perSecond)
  let tokens = burst
  let refilledAt = recovery
  const isServed = (): boolean => {
    const now = world.now()
    const index = Math.floor((now - World.start) / slice.millis)
    rates[index] = (rates[index] ?? 0) + 1
    if (now < recovery) return false
    tokens = Math.min(burst, tokens + ((now - refilledAt) * capacity) / 1_000)
    refilledAt = now
    if (tokens < 1) return false
    tokens -= 1
    return true
  }
  const request: Request = Effect.suspend(() =>
    isServed()
      ? Effect.as(Effect.sleep(servedMillis), true)
      : Effect.andThen(Effect.sleep(refusedMillis), Effect.fail({ status: 503, message: "Service Unavailable" }))
  )
  return { request, rates: () => Array.from(rates, (count = 0) => count) }
}
