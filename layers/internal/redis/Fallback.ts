/**
 * Redis for services that can work without it: while Redis is unavailable, each step uses a fallback.
 *
 * A step waits for at most a second. After a failure, no step contacts Redis for five seconds, so that not every call
 * waits.
 */
import { DatabasePlace } from "#services/DatabaseUnavailable"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as LimitedWarning from "#layers/internal/stores/LimitedWarning"
import * as Timeout from "#layers/internal/stores/Timeout"
import { remedyOf } from "./Remedy.ts"

const timeout = Duration.seconds(1)
const awayMillis = 5_000

/** Runs `step`, or `fallback` while Redis is unavailable. */
type OrElse = <A>(step: Effect.Effect<A, unknown>, fallback: () => A) => Effect.Effect<A>

/**
 * Creates the fallback. `consequence` is a sentence for the warning that says what happens while Redis is unavailable.
 */
export const make = (consequence: string): Effect.Effect<OrElse> =>
  Effect.map(DatabasePlace, (place) => {
    const warn = LimitedWarning.make()
    let awayUntil = Number.NEGATIVE_INFINITY
    return <A>(step: Effect.Effect<A, unknown>, fallback: () => A) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        now < awayUntil
          ? Effect.sync(fallback)
          : Effect.catch(Timeout.within(step, timeout), (cause) => {
              awayUntil = now + awayMillis
              return Effect.as(warn(`Cannot use ${place}. ${remedyOf(cause)} ${consequence}`, cause), fallback())
            })
      )
  })
