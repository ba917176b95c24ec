/**
 * Counts, for each tool, the calls that violate the schema of its arguments, and how many of them the log answered well
 * [13.1]. A tool that accepts what its schema forbids has a schema that is stricter than its server.
 */
import type { ReplayedCall } from "#kit/replay/ReplayedCall"
import { byCount, others, table } from "./Tables.ts"

/** A tool whose calls violated the schema of its arguments. */
export interface StrictTool {
  readonly tool: string
  /** The number of calls that the log answered well. */
  readonly worked: number
  /** The number of calls that violate the schema. */
  readonly violating: number
  /** The number of these calls that the log answered well. */
  readonly accepted: number
  /** The number of accepted calls that the guard would have refused. It is 0 if the tool only advises. */
  readonly refused: number
}

/** Creates an empty count. */
export const make = () => {
  const rows = table<{ -readonly [K in keyof StrictTool]: StrictTool[K] }>()
  return {
    add: ({ argumentFaults, isAnswered, tally, tool: name }: ReplayedCall): void => {
      const rowOf = (tool: string) => ({ tool, worked: 0, violating: 0, accepted: 0, refused: 0 })
      const row = rows.at(
        name,
        () => rowOf(name),
        () => rowOf(others)
      )
      if (isAnswered) row.worked += 1
      if (argumentFaults.length === 0) return
      row.violating += 1
      if (!isAnswered) return
      row.accepted += 1
      if (tally.refusal === "invalid_arguments") row.refused += 1
    },
    /** Returns the tools with violations, those that accepted the most first. */
    rows: (): ReadonlyArray<StrictTool> =>
      rows
        .rows()
        .filter(({ violating }) => violating > 0)
        .toSorted(
          byCount(
            ({ accepted }) => accepted,
            ({ tool }) => tool
          )
        )
  }
}
