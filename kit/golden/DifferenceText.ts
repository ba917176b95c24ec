/** Describes how a run differs from a golden file, call by call, with paths and with expected and actual values. */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import { counted } from "#kit/text/Numbers"
import type { ComparisonResult, Difference, CallNumber } from "./Comparison.ts"

/** The maximum number of characters to show of a value. */
const maxLength = 120
/** The maximum number of fields to list for one call. */
const maxFields = 12

/** Describes one difference in lines. */
export const lines = (difference: Difference): ReadonlyArray<string> => {
  const tool = shown(difference.tool)
  switch (difference._tag) {
    case "Changed": {
      const more = difference.fields.length - maxFields
      return [
        `${where(difference.at)} ${tool}`,
        ...difference.fields
          .slice(0, maxFields)
          .map(
            ({ expected, got, path }) =>
              `  ${shown(path) || "arguments"}: expected ${brief(expected)}, got ${brief(got)}`
          ),
        ...(more > 0 ? [`  and ${more} more`] : [])
      ]
    }
    case "Missing":
      return [`${where(difference.at)} ${tool}: missing`, `  expected ${canonical(difference.arguments)}`]
    case "Extra":
      return [`${where(difference.at)} ${tool}: unexpected`, `  got ${canonical(difference.arguments)}`]
    case "Moved":
      return [`${where(difference.from)} ${tool}: moved to ${where(difference.at)}`]
  }
}

const where = ({ call, round }: CallNumber): string => `call ${call} (round ${round})`

const brief = (json: string): string => shown(cut(json, maxLength))

const canonical = (args: unknown): string => brief(CallKey.canonical(args))

/** Describes all differences, in the order of the sequence. */
export const text = (scenario: string, { differences, expected }: ComparisonResult): string =>
  [
    `${shown(scenario)}: ${counted(differences.length, "difference")} from ${counted(expected, "expected call")}`,
    ...differences.flatMap(lines).map((line) => `  ${line}`)
  ].join("\n")
