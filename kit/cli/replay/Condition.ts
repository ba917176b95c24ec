/** Parses and evaluates conditions on a report, for CI: `suspects>0`, `suspects>0.1%`, `failures>=5%`. */
import type { Report } from "#kit/report/Report"
import * as Effect from "effect/Effect"
import { misuse, type Problem } from "#kit/cli/console/Problem"

/** The available counts. A share is relative to all calls; for `skipped`, to all conversations and skipped lines. */
const counts = {
  suspects: ({ suspects }: Report) => suspects.total,
  failures: ({ totals }: Report) => totals.failed,
  rejected: ({ rejected }: Report) => rejected.reduce((sum, { count }) => sum + count, 0),
  refused: ({ refused }: Report) => refused.reduce((sum, { count }) => sum + count, 0),
  repeats: ({ repeats }: Report) => repeats.calls,
  loops: ({ loops }: Report) => loops.total,
  saved: ({ saved }: Report) => saved.calls,
  unanswered: ({ totals }: Report) => totals.unanswered,
  skipped: ({ skipped }: Report) => skipped.total
} as const

type Name = keyof typeof counts

/** The names of the available counts. */
export const names = Object.keys(counts) as ReadonlyArray<Name>

interface Condition {
  /** The condition as written, without spaces. */
  readonly text: string
  /** Returns the count and its share as a text if the condition holds. */
  readonly holds: (report: Report) => string | undefined
}

const compare: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  "=": (a, b) => a === b
}

const syntax = /^([a-z]+)(>=|<=|>|<|=)(\d+(?:\.\d+)?)(%?)$/

/** Parses conditions that are separated by commas. */
export const read = (text: string): Effect.Effect<ReadonlyArray<Condition>, Problem> =>
  Effect.forEach(text.replaceAll(/\s+/g, "").split(","), parse)

const parse = (text: string): Effect.Effect<Condition, Problem> => {
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
