/**
 * Gives the stores in SQL the time of the database, by which they expire leases, keys and requests.
 *
 * **Details**
 *
 * - A statement contains the time as an expression that the database evaluates. The clock of a process, and its pause
 *   before it sends the statement, therefore have no influence.
 * - A database that only this process can open, such as SQLite in memory, uses the clock of this process. Tests control
 *   it with `TestClock`.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"

/** The clock that the stores in a database use: the clock of the database, which is the default, or of this process. */
export const StoreTime = Context.Reference<"database" | "process">("effect-toolguard/StoreTime", {
  defaultValue: () => "database"
})

/** Reads the time in epoch milliseconds, for code that needs its value and not only an expression in a statement. */
export const millis = (sql: SqlClient, time: Effect.Effect<Time>): Effect.Effect<number, SqlError> =>
  Effect.flatMap(time, ({ now }) =>
    Effect.map(sql<{ readonly now: number | bigint | string }>`SELECT ${now} AS now`, ([row]) => Number(row?.now))
  )

/** The time of one statement, in epoch milliseconds. */
export interface Time {
  readonly now: Fragment
  /**
   * The time `millis` later; earlier if `millis` is negative. An infinite duration ends at the largest safe integer.
   */
  readonly after: (millis: number) => Fragment
  /** The same for the place of a value, which `wholeMillis` returns. */
  readonly afterValue: (millis: Fragment) => Fragment
}

/** Returns a duration as a value for `afterValue`. An infinite duration ends in 100,000 years. */
export const wholeMillis = (duration: Duration.Duration): number =>
  Math.min(maxMillis, Math.ceil(Duration.toMillis(duration)))

/**
 * Returns the time for a statement: an expression of the database, the same for every statement, or the reading of the
 * clock of this process. `now` is the expression of the dialect.
 */
export const make = (sql: SqlClient, now: Fragment): Effect.Effect<Time | Effect.Effect<Time>> =>
  Effect.map(StoreTime, (whose) => {
    const timeAt = (at: Fragment): Time => ({
      now: at,
      after: (millis) =>
        millis > maxMillis
          ? sql`CAST(${Number.MAX_SAFE_INTEGER} AS BIGINT)`
          : sql`(${at} + CAST(${Math.ceil(millis)} AS BIGINT))`,
      afterValue: (millis) => sql`(${at} + CAST(${millis} AS BIGINT))`
    })
    return whose === "database"
      ? timeAt(now)
      : Effect.map(Clock.currentTimeMillis, (millis) => timeAt(sql`CAST(${Math.floor(millis)} AS BIGINT)`))
  })

/** The duration beyond which a duration counts as infinite: 100,000 years, in milliseconds. */
const maxMillis = 100_000 * 365 * 86_400_000
