/** Tells people where a run differs from a golden file: call by call, with the path, what was expected and what came. */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import { counted } from "#kit/text/Numbers"
import type { Compared, Difference, Numbered } from "./Compare.ts"

/** Longest value that is shown, and most places of one call. */
const longest = 120
const mostFields = 12

/** The lines of a difference. */
export const lines = (difference: Difference): ReadonlyArray<string> => {
  const tool = shown(difference.tool)
  switch (difference._tag) {
    case "Changed": {
      const more = difference.fields.length - mostFields
      return [
        `${where(difference.at)} ${tool}`,
        ...difference.fields
          .slice(0, mostFields)
          .map(
            ({ expected, got, path }) =>
              `  ${shown(path) || "arguments"}: expected ${brief(expected)}, got ${brief(got)}`
          ),
        ...(more > 0 ? [`  and ${more} more`] : [])
      ]
    }
    case "Missing":
      return [`${where(difference.at)} ${tool}: missing`, `  expected ${written(difference.arguments)}`]
    case "Extra":
      return [`${where(difference.at)} ${tool}: not expected`, `  got ${written(difference.arguments)}`]
    case "Moved":
      return [`${where(difference.from)} ${tool}: made as ${where(difference.at)}`]
  }
}

const where = ({ call, round }: Numbered): string => `call ${call} (round ${round})`

const brief = (json: string): string => shown(cut(json, longest))

const written = (args: unknown): string => brief(CallKey.canonical(args))

/** All differences, told in the order of the sequence. */
export const text = (scenario: string, { differences, expected }: Compared): string =>
  [
    `${shown(scenario)}: ${counted(differences.length, "difference")} from ${counted(expected, "expected call")}`,
    ...differences.flatMap(lines).map((line) => `  ${line}`)
  ].join("\n")
