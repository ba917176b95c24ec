/** The counts of a replay that conditions of `--fail-if` use: `suspects>0`, `suspects>0.1%`, `failures>=5%`. */
import type { ComparedReport } from "#kit/report/Comparison"
import * as Effect from "effect/Effect"
import * as Conditions from "#kit/cli/console/Conditions"
import { misuse, type Problem } from "#kit/cli/console/Problem"

/** The available counts. A share is relative to all calls; for `skipped`, to all conversations and skipped lines. */
const counts = {
  suspects: ({ suspects }: ComparedReport) => suspects.total,
  failures: ({ totals }: ComparedReport) => totals.failed,
  rejected: ({ rejected }: ComparedReport) => rejected.reduce((sum, { count }) => sum + count, 0),
  refused: ({ refused }: ComparedReport) => refused.reduce((sum, { count }) => sum + count, 0),
  repeats: ({ repeats }: ComparedReport) => repeats.calls,
  loops: ({ loops }: ComparedReport) => loops.total,
  saved: ({ saved }: ComparedReport) => saved.calls,
  unanswered: ({ totals }: ComparedReport) => totals.unanswered,
  skipped: ({ skipped }: ComparedReport) => skipped.total,
  changed: ({ comparison }: ComparedReport) => comparison?.changed ?? 0,
  broken: ({ comparison }: ComparedReport) => comparison?.broken ?? 0
} as const

/** The counts of a comparison, which need `--against`. */
const ofComparison: ReadonlySet<string> = new Set<keyof typeof counts>(["changed", "broken"])

/** The names of the available counts. */
export const names = Object.keys(counts)

const countable: Conditions.Countable<ComparedReport> = {
  counts,
  total: ({ skipped, totals }, name) => (name === "skipped" ? totals.conversations + skipped.total : totals.calls),
  example: "suspects>0.1%,loops>=3"
}

/** Parses conditions that are separated by commas. `isCompared` is true if the replay compares two versions. */
export const read = (
  text: string,
  isCompared: boolean
): Effect.Effect<ReadonlyArray<Conditions.Condition<ComparedReport>>, Problem> =>
  Effect.flatMap(Conditions.read(countable, text), (conditions) => {
    const wrong = isCompared ? undefined : conditions.find(({ name }) => ofComparison.has(name))
    return wrong === undefined
      ? Effect.succeed(conditions)
      : Effect.fail(
          misuse(`"${wrong.text}" counts differences between two versions.`, "Name the second version with --against.")
        )
  })
