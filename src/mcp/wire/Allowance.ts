/**
 * Limits a quantity that the other side sends without being asked: to a large amount at once, and to a steady rate
 * after that.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

interface AllowanceOptions {
  /** The maximum amount at once. */
  readonly burst: number
  /** The amount that is added each second, up to `burst`. */
  readonly perSecond: number
}

export interface Allowance {
  /** Subtracts an amount. Returns false, and subtracts nothing, if less is left. */
  readonly spend: (amount: number) => boolean
  /** Adds an amount that was subtracted before. */
  readonly refund: (amount: number) => void
}

/** Creates an allowance that is full. */
export const make = ({ burst, perSecond }: AllowanceOptions): Effect.Effect<Allowance> =>
  Effect.map(Clock.Clock, (clock) => {
    let left = burst
    let since = clock.currentTimeMillisUnsafe()
    return {
      spend: (amount) => {
        if (amount > left) {
          const now = clock.currentTimeMillisUnsafe()
          left = Math.min(burst, left + (Math.max(0, now - since) / 1_000) * perSecond)
          since = now
        }
        if (amount > left) return false
        left -= amount
        return true
      },
      refund: (amount) => {
        left = Math.min(burst, left + amount)
      }
    }
  })
