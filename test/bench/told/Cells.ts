/** Runs the situations, several concurrently, and returns a cell for each. */
import { Effect, References, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { report } from "./Callers.ts"
import * as GuardedAct from "./GuardedAct.ts"
import { Ledger } from "./Ledger.ts"
import type { Report } from "./Report.ts"
import type { LocalSituation, Situation } from "./Situation.ts"
import { start } from "./Upstream.ts"

/** A situation with the guard's report and the upstream's ledger. */
export interface Cell {
  readonly situation: Situation
  readonly report: Report
  readonly ledger: Ledger
}

const concurrency = 24

/** Runs all situations, in their order. */
export const run = async (situations: ReadonlyArray<LocalSituation>): Promise<ReadonlyArray<Cell>> => {
  const upstream = await start()
  try {
    return await Effect.runPromise(
      Effect.forEach(
        situations,
        (situation) =>
          Effect.suspend(() => {
            const ledger = new Ledger(situation.deed)
            const act = GuardedAct.make(situation, ledger, upstream)
            const reported = report(situation.caller, act)
            const timed = GuardedAct.hasTestClock(situation) ? passingTime(reported, ledger) : reported
            return Effect.map(timed, (report): Cell => ({ situation, report, ledger }))
          }).pipe(
            Effect.scoped,
            Effect.catchCause((cause) => Effect.die(new Error(nameOf(situation), { cause })))
          ),
        { concurrency }
        // crashes are expected in situations, so their logs are suppressed
      ).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
    )
  } finally {
    await upstream.close()
  }
}

/** Names a situation in one line. */
export const nameOf = ({ access, answer, caller, deed, policy }: Situation): string =>
  `${access} × ${deed} × ${answer.name} × ${caller} × ${policy}`

/** Real milliseconds between two steps of virtual time. */
const stepMillis = 2

/**
 * Runs a call in virtual time. The time limit of an attempt passes as soon as the upstream has received a request that it
 * will never answer. Otherwise a millisecond passes at each step, for the waits between attempts.
 */
const passingTime = <A, E>(
  call: Effect.Effect<A, E, Scope.Scope>,
  ledger: Ledger
): Effect.Effect<A, E, Scope.Scope> => {
  let passed = 0
  const step = Effect.gen(function* () {
    yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, stepMillis)))
    const isDue = ledger.unanswered > passed
    if (isDue) passed += 1
    yield* TestClock.adjust(isDue ? "6 seconds" : "1 millis")
  })
  return Effect.raceFirst(call, Effect.forever(step)).pipe(Effect.provide(TestClock.layer()))
}
