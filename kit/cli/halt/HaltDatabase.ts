/** Opens the halts in a database for the commands. */
import type { HaltEntry } from "effect-toolguard/internal/domain/tool/Halt"
import { inWords } from "effect-toolguard/internal/domain/text/TimeSpan"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import * as HaltsSql from "effect-toolguard/layers/HaltsSql"
import { Halts, type HaltsUnavailable } from "effect-toolguard/services/Halts"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import { open } from "#kit/cli/console/Database"
import { type Problem, problem } from "#kit/cli/console/Problem"

const store = { service: Halts, layer: HaltsSql.layer, table: "toolguard_halts", contents: "halts" } as const

/** Runs an effect with the halts of a database. Fails with a `Problem` if the database becomes unavailable. */
export const using = <A>(
  database: Option.Option<string>,
  use: (halts: Halts["Service"]) => Effect.Effect<A, Problem | HaltsUnavailable>
): Effect.Effect<A, Problem> =>
  Effect.flatMap(Halts, use).pipe(
    Effect.provide(open(store, database)),
    Effect.mapError((error) =>
      error._tag === "HaltsUnavailable"
        ? problem(
            "The database stopped responding.",
            "Check the database and try again. An order is stored completely or not at all."
          )
        : error
    )
  )

/** Writes an entry as one line: who did what, when and why. */
export const lineOf = ({ action, at, by, reason, tool }: HaltEntry, now: number): string =>
  `${shown(tool)}: ${action} by ${shown(by)} ${inWords(now - at)} ago${reason === "" ? "" : `: ${shown(reason)}`}`
