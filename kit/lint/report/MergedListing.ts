/** Merges the lists of the servers that one agent uses, and splits the findings by list again. */
import type { Suppression } from "#kit/lint/reading/Suppressions"
import * as JsonPointer from "effect-toolguard/internal/domain/json/JsonPointer"
import type { Finding, Outcome } from "#kit/lint/Lint"
import type { ListedTool, Listing, Places } from "#kit/lint/reading/ListedTool"

/** A list with its suppressions and the repeated keys of its text. */
interface Part {
  readonly listing: Listing
  readonly suppressions: ReadonlyArray<Suppression>
  readonly duplicates: ReadonlyArray<JsonPointer.JsonPointer>
}

/** Merges lists. The first part of each pointer in the merged list is the index of the original list. */
export const merge = (parts: ReadonlyArray<Part>): Part => ({
  listing: {
    tools: parts.flatMap(({ listing }, index) => listing.tools.map((tool) => moved(tool, index))),
    unreadable: parts.flatMap(({ listing }, index) =>
      listing.unreadable.map(({ pointer, reason }) => ({ pointer: [index, ...pointer], reason }))
    )
  },
  suppressions: parts.flatMap(({ suppressions }, index) =>
    suppressions.map((suppression): Suppression => ({
      ...suppression,
      pointer: [index, ...suppression.pointer],
      covers: (found) =>
        JsonPointer.isWithin(found.pointer, [index]) &&
        suppression.covers({ ...found, pointer: found.pointer.slice(1) })
    }))
  ),
  duplicates: parts.flatMap(({ duplicates }, index) => duplicates.map((pointer) => [index, ...pointer]))
})

const moved = (tool: ListedTool, index: number): ListedTool => ({
  ...tool,
  // the type of `Object.fromEntries` does not contain the names of the fields
  at: Object.fromEntries(
    Object.entries(tool.at).map(([part, pointer]: [string, JsonPointer.JsonPointer]) => [part, [index, ...pointer]])
  ) as unknown as Places
})

/** Splits the findings in a merged list by original list. Findings about the merged list belong to the first list. */
export const split = (outcome: Outcome, parts: number): ReadonlyArray<Outcome> =>
  Array.from({ length: parts }, (_, index) => ({
    findings: outcome.findings.filter((finding) => partOf(finding) === index).map(unmoved),
    suppressed: outcome.suppressed.filter((finding) => partOf(finding) === index).map(unmoved)
  }))

const partOf = ({ pointer }: Finding): number => Number(pointer[0] ?? 0)

const unmoved = <F extends Finding>(finding: F): F => ({ ...finding, pointer: finding.pointer.slice(1) })
