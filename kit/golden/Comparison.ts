/** Compares a run with a golden file. Returns the differences, call by call, and the updated file. */
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import * as Alignment from "./Alignment.ts"
import * as FieldDiff from "./FieldDiff.ts"
import { expected as expectedOf, type Golden, type GoldenCall, inOrder } from "./GoldenFile.ts"
import * as IgnoredFields from "./IgnoredFields.ts"
import { repaired } from "./Repair.ts"
import * as ReportedError from "./ReportedError.ts"
import type { MadeCall, Round } from "./Sequence.ts"
import { replaced, updated } from "./Update.ts"

/** The position of a call: its number in the whole sequence and its round, both from 1. */
export interface CallNumber {
  readonly call: number
  readonly round: number
}

/** One difference between a run and a golden file. */
export type Difference =
  | {
      readonly _tag: "Changed"
      readonly tool: string
      /** The position of the call in the run. */
      readonly at: CallNumber
      readonly fields: ReadonlyArray<FieldDiff.FieldDifference>
    }
  | { readonly _tag: "Missing"; readonly tool: string; readonly at: CallNumber; readonly arguments: unknown }
  | { readonly _tag: "Extra"; readonly tool: string; readonly at: CallNumber; readonly arguments: unknown }
  /** The call was made at another position. */
  | { readonly _tag: "Moved"; readonly tool: string; readonly from: CallNumber; readonly at: CallNumber }

/** The result of a comparison. */
export interface ComparisonResult {
  readonly differences: ReadonlyArray<Difference>
  /** The number of expected calls. */
  readonly expected: number
  /** The golden file, updated to match the run. It is the original object if nothing changes. */
  readonly updated: Golden
}

/** Merges repairs, and removes ignored fields. */
const normalised = (
  rounds: ReadonlyArray<Round>,
  ignore: ReadonlyArray<string>,
  tools: ReadonlyMap<string, AnyTool> | undefined
): ReadonlyArray<Round> => IgnoredFields.make(ignore, tools)(repaired(rounds))

/** Creates a golden file for a run. */
export const first = (
  scenario: string,
  rounds: ReadonlyArray<Round>,
  ignore: ReadonlyArray<string>,
  tools?: ReadonlyMap<string, AnyTool>
): Golden => ({
  scenario,
  ignore,
  rounds: normalised(rounds, ignore, tools).map((round) => inOrder(round.map(expectedOf))),
  others: {}
})

/** Compares the rounds of a run, including failed calls, with a golden file. */
export const compare = (
  golden: Golden,
  rounds: ReadonlyArray<Round>,
  tools?: ReadonlyMap<string, AnyTool>
): ComparisonResult => {
  const made = normalised(rounds, golden.ignore, tools)
  const expectedRounds = expectedRoundsOf(golden, tools)
  const pairs = Alignment.align(expectedRounds, made)
  const expected = expectedRounds.reduce((count, round) => count + round.length, 0)
  const differences = differencesOf(pairs)
  const changed = updated(golden, pairs)
  if (differences.length === 0) return { differences, expected, updated: changed }
  const remaining = differencesOf(Alignment.align(expectedRoundsOf(changed, tools), made))
  return { differences, expected, updated: remaining.length === 0 ? changed : replaced(golden, pairs) }
}

/** Returns the rounds of a golden file, without ignored fields. */
const expectedRoundsOf = (golden: Golden, tools: ReadonlyMap<string, AnyTool> | undefined): ReadonlyArray<Round> =>
  IgnoredFields.make(golden.ignore, tools)(golden.rounds.map((round) => round.map(madeOf)))

const madeOf = ({ arguments: args, error, fails, tool }: GoldenCall): MadeCall => ({
  tool,
  arguments: args,
  hasFailed: fails === true,
  ...(error === undefined ? {} : { error: { fields: error } })
})

const numbered = ({ number, round }: Alignment.PlacedCall): CallNumber => ({ call: number, round: round + 1 })

/**
 * Returns the differences, in the order of the sequence. Reports a missing call and an equal extra call as one moved
 * call.
 */
const differencesOf = (pairs: ReadonlyArray<Alignment.Pair>): ReadonlyArray<Difference> => {
  const extras = pairs.flatMap(({ expected, made }) => (expected === undefined && made !== undefined ? [made] : []))
  const moved = new Set<Alignment.PlacedCall>()
  const moves = new Map<Alignment.PlacedCall, Alignment.PlacedCall>()
  for (const { expected, made } of pairs) {
    if (expected === undefined || made !== undefined) continue
    const other = extras.find((extra) => extra.key === expected.key && !moved.has(extra))
    if (other === undefined) continue
    moved.add(other)
    moves.set(expected, other)
  }
  return pairs.flatMap((pair): ReadonlyArray<Difference> => {
    const { expected, made } = pair
    if (Alignment.isEqual(pair)) return []
    if (expected === undefined) return made === undefined || moved.has(made) ? [] : [only("Extra", made)]
    if (made !== undefined) {
      return [{ _tag: "Changed", tool: made.call.tool, at: numbered(made), fields: fieldsOf(expected.call, made.call) }]
    }
    const other = moves.get(expected)
    return other === undefined
      ? [only("Missing", expected)]
      : [{ _tag: "Moved", tool: expected.call.tool, from: numbered(expected), at: numbered(other) }]
  })
}

const only = (tag: "Missing" | "Extra", placed: Alignment.PlacedCall): Difference => ({
  _tag: tag,
  tool: placed.call.tool,
  at: numbered(placed),
  arguments: placed.call.arguments
})

const fieldsOf = (one: MadeCall, other: MadeCall): ReadonlyArray<FieldDiff.FieldDifference> => [
  ...(one.hasFailed === other.hasFailed
    ? ReportedError.differences(one.error?.fields, other.error)
    : [{ path: "fails", expected: String(one.hasFailed), got: String(other.hasFailed) }]),
  ...FieldDiff.diff(one.arguments, other.arguments)
]
