/** Runs the situations, several at once, and returns a cell for each. */
import { Effect, References } from "effect"
import { report } from "./Callers.ts"
import * as GuardedAct from "./GuardedAct.ts"
import { Ledger } from "./Ledger.ts"
import type { Report } from "./Report.ts"
import type { Situation } from "./Situation.ts"
import { start } from "./Upstream.ts"

/** A situation, what was reported, and what really happened. */
export interface Cell {
  readonly situation: Situation
  readonly report: Report
  readonly ledger: Ledger
}

const concurrency = 16

/** Runs all situations, in their order. */
export const run = async (situations: ReadonlyArray<Situation>): Promise<ReadonlyArray<Cell>> => {
  const upstream = await start()
  try {
    return await Effect.runPromise(
      Effect.forEach(
        situations,
        (situation) =>
          Effect.suspend(() => {
            const ledger = new Ledger(situation.deed)
            const act = GuardedAct.make(situation, ledger, upstream)
            return Effect.map(report(situation.caller, act), (report): Cell => ({ situation, report, ledger }))
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
