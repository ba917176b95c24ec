/**
 * A Redis that need not be there: what is asked of it is answered without it where it is away.
 *
 * Waits at most a second. After a failure it is left alone for five seconds, so that calls do not wait for it one by one.
 */
import { DatabasePlace } from "#services/DatabaseUnavailable"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { oncePerMinute } from "#layers/internal/stores/oncePerMinute"
import { remedyOf } from "./remedy.ts"

const longest = "1 second"
const leftAloneMillis = 5_000

/** Gives what `step` answers, or `otherwise`. `meaning` says what that comes to, for the log. */
export type Lenient = <A>(step: Effect.Effect<A, unknown>, otherwise: () => A) => Effect.Effect<A>

export const make = (meaning: string): Effect.Effect<Lenient> =>
  Effect.map(DatabasePlace, (place) => {
    const warn = oncePerMinute()
    let awayUntil = Number.NEGATIVE_INFINITY
    return <A>(step: Effect.Effect<A, unknown>, otherwise: () => A) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        now < awayUntil
          ? Effect.sync(otherwise)
          : Effect.catch(Effect.timeout(Effect.interruptible(step), longest), (cause) => {
              awayUntil = now + leftAloneMillis
              return Effect.as(warn(`Cannot use ${place}. ${remedyOf(cause)} ${meaning}`, cause), otherwise())
            })
      )
  })
