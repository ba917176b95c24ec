/** Parses and evaluates conditions on the counts of a report, for CI: `suspects>0`, `suspects>0.1%`, `failures>=5%`. */
import * as Effect from "effect/Effect"
import { misuse, type Problem } from "./Problem.ts"

/** The available counts, and what each is a share of. */
export interface Countable<Report> {
  readonly counts: Readonly<Record<string, (report: Report) => number>>
  readonly total: (report: Report, name: string) => number
  /** The end of the message for a text that is not a condition: an example. */
  readonly example: string
}

/** A condition on a report. */
export interface Condition<Report> {
  /** The name of the count. */
  readonly name: string
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

/** Parses conditions that are separated by commas. Fails with a misuse that lists the available counts. */
export const read = <Report>(
  countable: Countable<Report>,
  text: string
): Effect.Effect<ReadonlyArray<Condition<Report>>, Problem> =>
  Effect.forEach(text.replaceAll(/\s+/g, "").split(","), (one) => parse(countable, one))

const parse = <Report>(
  { counts, example, total }: Countable<Report>,
  text: string
): Effect.Effect<Condition<Report>, Problem> => {
  const [, name = "", operator = "", amount = "", percent] = syntax.exec(text) ?? []
  const comparison = compare[operator]
  const count = Object.hasOwn(counts, name) ? counts[name] : undefined
  if (count === undefined || comparison === undefined) {
    return Effect.fail(
      misuse(
        `"${text}" is not a condition.`,
        `Write conditions such as ${example}. Available counts: ${Object.keys(counts).join(", ")}.`
      )
    )
  }
  return Effect.succeed({
    name,
    text,
    holds: (report) => {
      const all = total(report, name)
      const counted = count(report)
      const share = all === 0 ? 0 : (100 * counted) / all
      return comparison(percent === "%" ? share : counted, Number(amount))
        ? `${counted} of ${all} (${Number(share.toFixed(3))} %)`
        : undefined
    }
  })
}
