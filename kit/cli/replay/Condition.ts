/** Parses and evaluates conditions on a report, for CI: `suspects>0`, `suspects>0.1%`, `failures>=5%`. */
import type { ComparedReport } from "#kit/report/Comparison"
import * as Effect from "effect/Effect"
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
const ofComparison: ReadonlySet<string> = new Set<Name>(["changed", "broken"])

type Name = keyof typeof counts

/** The names of the available counts. */
export const names = Object.keys(counts) as ReadonlyArray<Name>

interface Condition {
  /** The condition as written, without spaces. */
  readonly text: string
  /** Returns the count and its share as a text if the condition holds. */
  readonly holds: (report: ComparedReport) => string | undefined
}

const compare: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  "=": (a, b) => a === b
}

const syntax = /^([a-z]+)(>=|<=|>|<|=)(\d+(?:\.\d+)?)(%?)$/

/** Parses conditions that are separated by commas. `isCompared` is true if the replay compares two versions. */
export const read = (text: string, isCompared: boolean): Effect.Effect<ReadonlyArray<Condition>, Problem> =>
  Effect.forEach(text.replaceAll(/\s+/g, "").split(","), (one) => parse(one, isCompared))

const parse = (text: string, isCompared: boolean): Effect.Effect<Condition, Problem> => {
  const [, name = "", operator = "", amount = "", percent] = syntax.exec(text) ?? []
  const comparison = compare[operator]
  if (!Object.hasOwn(counts, name) || comparison === undefined) {
    return Effect.fail(
      misuse(
        `"${text}" is not a condition.`,
        `Write conditions such as suspects>0.1%,loops>=3. Available counts: ${names.join(", ")}.`
      )
    )
  }
  if (ofComparison.has(name) && !isCompared) {
    return Effect.fail(
      misuse(`"${text}" counts differences between two versions.`, "Name the second version with --against.")
    )
  }
  // hasOwn has checked the name
  const count = counts[name as Name]
  return Effect.succeed({
    text,
    holds: (report) => {
      const { calls, conversations } = report.totals
      const all = name === "skipped" ? conversations + report.skipped.total : calls
      const counted = count(report)
      const share = all === 0 ? 0 : (100 * counted) / all
      return comparison(percent === "%" ? share : counted, Number(amount))
        ? `${counted} of ${all} (${Number(share.toFixed(3))} %)`
        : undefined
    }
  })
}
