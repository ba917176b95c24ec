/** Compares a run with a golden file: what differs, call by call, and the file as the run would have it. */
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import * as Align from "./Align.ts"
import * as FieldDiff from "./FieldDiff.ts"
import { expected as expectedOf, type Golden, type GoldenCall, inOrder } from "./GoldenFile.ts"
import * as Ignored from "./Ignored.ts"
import { repaired } from "./Repair.ts"
import type { MadeCall, Round } from "./Sequence.ts"
import { taken, updated } from "./Update.ts"

/** Where a call stands: its number in the whole sequence and its round, both from 1. */
export interface Numbered {
  readonly call: number
  readonly round: number
}

export type Difference =
  | {
      readonly _tag: "Changed"
      readonly tool: string
      /** Where it was made. */
      readonly at: Numbered
      readonly fields: ReadonlyArray<FieldDiff.FieldDifference>
    }
  | { readonly _tag: "Missing"; readonly tool: string; readonly at: Numbered; readonly arguments: unknown }
  | { readonly _tag: "Extra"; readonly tool: string; readonly at: Numbered; readonly arguments: unknown }
  /** The same call, elsewhere in the sequence. */
  | { readonly _tag: "Moved"; readonly tool: string; readonly from: Numbered; readonly at: Numbered }

export interface Compared {
  readonly differences: ReadonlyArray<Difference>
  /** How many calls were expected. */
  readonly expected: number
  /** The golden file as the run would have it; the same object where nothing differs. */
  readonly updated: Golden
}

/** The rounds that count: repaired, and without what means nothing. */
const steady = (
  rounds: ReadonlyArray<Round>,
  ignore: ReadonlyArray<string>,
  tools: ReadonlyMap<string, AnyTool> | undefined
): ReadonlyArray<Round> => Ignored.make(ignore, tools)(repaired(rounds))

/** A golden file for a run that has none. */
export const first = (
  scenario: string,
  rounds: ReadonlyArray<Round>,
  ignore: ReadonlyArray<string>,
  tools?: ReadonlyMap<string, AnyTool>
): Golden => ({
  scenario,
  ignore,
  rounds: steady(rounds, ignore, tools).map((round) => inOrder(round.map(expectedOf))),
  others: {}
})

/** Compares the rounds of a run, failed calls included, with a golden file. */
export const compare = (
  golden: Golden,
  rounds: ReadonlyArray<Round>,
  tools?: ReadonlyMap<string, AnyTool>
): Compared => {
  const made = steady(rounds, golden.ignore, tools)
  const wanted = wantedOf(golden, tools)
  const pairs = Align.align(wanted, made)
  const expected = wanted.reduce((count, round) => count + round.length, 0)
  const differences = differencesOf(pairs)
  if (differences.length === 0) return { differences, expected, updated: golden }
  const changed = updated(golden, pairs)
  const left = differencesOf(Align.align(wantedOf(changed, tools), made))
  return { differences, expected, updated: left.length === 0 ? changed : taken(golden, pairs) }
}

/** The rounds of a golden file, without what means nothing. */
const wantedOf = (golden: Golden, tools: ReadonlyMap<string, AnyTool> | undefined): ReadonlyArray<Round> =>
  Ignored.make(golden.ignore, tools)(golden.rounds.map((round) => round.map(madeOf)))

const madeOf = ({ arguments: args, fails, tool }: GoldenCall): MadeCall => ({
  tool,
  arguments: args,
  hasFailed: fails === true
})

const numbered = ({ number, round }: Align.Placed): Numbered => ({ call: number, round: round + 1 })

/** What differs, in the order of the sequence. A call that is missing here and new there has moved. */
const differencesOf = (pairs: ReadonlyArray<Align.Pair>): ReadonlyArray<Difference> => {
  const extras = pairs.flatMap(({ expected, made }) => (expected === undefined && made !== undefined ? [made] : []))
  const gone = new Set<Align.Placed>()
  const moves = new Map<Align.Placed, Align.Placed>()
  for (const { expected, made } of pairs) {
    if (expected === undefined || made !== undefined) continue
    const other = extras.find((extra) => extra.key === expected.key && !gone.has(extra))
    if (other === undefined) continue
    gone.add(other)
    moves.set(expected, other)
  }
  return pairs.flatMap((pair): ReadonlyArray<Difference> => {
    const { expected, made } = pair
    if (Align.isEqual(pair)) return []
    if (expected === undefined) return made === undefined || gone.has(made) ? [] : [only("Extra", made)]
    if (made !== undefined) {
      return [{ _tag: "Changed", tool: made.call.tool, at: numbered(made), fields: fieldsOf(expected.call, made.call) }]
    }
    const other = moves.get(expected)
    return other === undefined
      ? [only("Missing", expected)]
      : [{ _tag: "Moved", tool: expected.call.tool, from: numbered(expected), at: numbered(other) }]
  })
}

const only = (tag: "Missing" | "Extra", placed: Align.Placed): Difference => ({
  _tag: tag,
  tool: placed.call.tool,
  at: numbered(placed),
  arguments: placed.call.arguments
})

const fieldsOf = (one: MadeCall, other: MadeCall): ReadonlyArray<FieldDiff.FieldDifference> => [
  ...(one.hasFailed === other.hasFailed
    ? []
    : [{ path: "fails", expected: String(one.hasFailed), got: String(other.hasFailed) }]),
  ...FieldDiff.diff(one.arguments, other.arguments)
]
