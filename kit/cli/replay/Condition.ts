/** Conditions on a report, for CI: `suspects>0`, `suspects>0.1%`, `failures>=5%`. */
import type { Report } from "#kit/report/Report"
import * as Effect from "effect/Effect"
import { misuse, type Problem } from "#kit/cli/console/Problem"

/** What can be counted. A share is one of all calls; of `skipped`, one of all conversations and skipped lines. */
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

export const names = Object.keys(counts) as ReadonlyArray<Name>

interface Condition {
  /** As it was written, without blanks. */
  readonly text: string
  /** What was counted, where the condition holds. */
  readonly holds: (report: Report) => string | undefined
}

const compare: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  "=": (a, b) => a === b
}

const written = /^([a-z]+)(>=|<=|>|<|=)(\d+(?:\.\d+)?)(%?)$/

/** Reads conditions, separated by commas. */
export const read = (given: string): Effect.Effect<ReadonlyArray<Condition>, Problem> =>
  Effect.forEach(given.replaceAll(/\s+/g, "").split(","), one)

const one = (text: string): Effect.Effect<Condition, Problem> => {
  const [, name = "", operator = "", amount = "", percent] = written.exec(text) ?? []
  const isHeld = compare[operator]
  if (!Object.hasOwn(counts, name) || isHeld === undefined) {
    return Effect.fail(
      misuse(
        `"${text}" is no condition.`,
        `Write one as suspects>0.1% or loops>=3, separated by commas; what is counted: ${names.join(", ")}.`
      )
    )
  }
  const count = counts[name as Name]
  return Effect.succeed({
    text,
    holds: (report) => {
      const { calls, conversations } = report.totals
      const all = name === "skipped" ? conversations + report.skipped.total : calls
      const counted = count(report)
      const share = all === 0 ? 0 : (100 * counted) / all
      return isHeld(percent === "%" ? share : counted, Number(amount))
        ? `${counted} of ${all} (${Number(share.toFixed(3))} %)`
        : undefined
    }
  })
}
