/**
 * Aligns the calls of a run with the expected calls, so that a missing or extra call does not shift the others.
 *
 * **Details**
 *
 * - The calls of a round were made together, so their order is irrelevant. Calls that were expected in one round may be
 *   made in several rounds, and vice versa.
 * - The alignment has the lowest cost, as in a longest common subsequence: an equal call costs 0; a call of the same tool
 *   with different arguments or a different outcome, a missing call and an extra call cost 1 each. The fields of errors
 *   do not count.
 */
import * as ReportedError from "./ReportedError.ts"
import { keyOf, type MadeCall, type Round } from "./Sequence.ts"

/** A call with its position: round and place in the round from 0, number in the whole sequence from 1. */
export interface PlacedCall {
  readonly call: MadeCall
  readonly key: string
  readonly round: number
  readonly place: number
  readonly number: number
}

/** An expected call and the made call that is aligned with it; one of them may be absent. */
export interface Pair {
  readonly expected?: PlacedCall
  readonly made?: PlacedCall
}

/** True if both calls are present and equal, and the error of the made call is as expected. */
export const isEqual = ({ expected, made }: Pair): boolean =>
  expected?.key === made?.key && ReportedError.differences(expected?.call.error?.fields, made?.call.error).length === 0

/** The maximum number of pairs to compare. Calls of longer sequences are paired by position. */
const maxTried = 4_000_000

/**
 * Pairs the expected calls with the made calls, in the order of the run. A missing call is at the position where it was
 * expected. The index before each `!` is in bounds.
 */
export const align = (expected: ReadonlyArray<Round>, made: ReadonlyArray<Round>): ReadonlyArray<Pair> => {
  const [expectedCalls, found] = sorted(placed(expected), placed(made))
  let from = 0
  while (from < expectedCalls.length && from < found.length && expectedCalls[from]?.key === found[from]?.key) from += 1
  let to = 0
  const most = Math.min(expectedCalls.length, found.length) - from
  while (to < most && expectedCalls.at(-1 - to)?.key === found.at(-1 - to)?.key) to += 1
  const rest = [expectedCalls.slice(from, expectedCalls.length - to), found.slice(from, found.length - to)] as const
  const isTooLong = rest[0].length * rest[1].length > maxTried
  return [
    ...expectedCalls.slice(0, from).map((call, index) => ({ expected: call, made: found[index]! })),
    ...(isTooLong ? byPlace(...rest) : cheapest(...rest)),
    ...expectedCalls.slice(expectedCalls.length - to).map((call, index) => ({
      expected: call,
      made: found[found.length - to + index]!
    }))
  ]
}

const placed = (rounds: ReadonlyArray<Round>): ReadonlyArray<PlacedCall> => {
  let number = 0
  return rounds.flatMap((calls, round) =>
    calls.map((call, place) => ({ call, key: keyOf(call), round, place, number: (number += 1) }))
  )
}

/** Sorts the calls of each round of both sequences in the order of the other sequence. */
const sorted = (
  expected: ReadonlyArray<PlacedCall>,
  made: ReadonlyArray<PlacedCall>
): readonly [ReadonlyArray<PlacedCall>, ReadonlyArray<PlacedCall>] => {
  const expectedCalls = sortedWithinRounds(expected, placesIn(expected, made))
  return [expectedCalls, sortedWithinRounds(made, placesIn(made, expectedCalls))]
}

/**
 * Returns the position of an equal call in the other sequence for each call. The second of two equal calls gets the
 * second position.
 */
const placesIn = (
  calls: ReadonlyArray<PlacedCall>,
  others: ReadonlyArray<PlacedCall>
): ReadonlyMap<PlacedCall, number> => {
  const free = new Map<string, Array<number>>()
  for (const [index, { key }] of others.entries()) free.set(key, [...(free.get(key) ?? []), index])
  return new Map(
    calls.flatMap((call) => {
      const index = free.get(call.key)?.shift()
      return index === undefined ? [] : [[call, index] as const]
    })
  )
}

/** Sorts the calls of each round by position. Calls without a position come last. */
const sortedWithinRounds = (
  calls: ReadonlyArray<PlacedCall>,
  places: ReadonlyMap<PlacedCall, number>
): ReadonlyArray<PlacedCall> =>
  calls.toSorted(
    (a, b) => a.round - b.round || (places.get(a) ?? Infinity) - (places.get(b) ?? Infinity) || a.place - b.place || 0
  )

const costOf = (expected: PlacedCall, made: PlacedCall): number => {
  if (expected.key === made.key) return 0
  return expected.call.tool === made.call.tool ? 1 : Infinity
}

/** Returns the alignment with the lowest cost. The index before each `!` is in bounds. */
const cheapest = (expected: ReadonlyArray<PlacedCall>, made: ReadonlyArray<PlacedCall>): ReadonlyArray<Pair> => {
  // cost[i][j] is the lowest cost of aligning the expected calls from i with the made calls from j
  const cost = Array.from({ length: expected.length + 1 }, () => new Float64Array(made.length + 1))
  const both = (i: number, j: number) =>
    i < expected.length && j < made.length ? costOf(expected[i]!, made[j]!) + cost[i + 1]![j + 1]! : Infinity
  const missing = (i: number, j: number) => (i < expected.length ? 1 + cost[i + 1]![j]! : Infinity)
  const extra = (i: number, j: number) => (j < made.length ? 1 + cost[i]![j + 1]! : Infinity)
  for (let i = expected.length; i >= 0; i--) {
    for (let j = made.length; j >= 0; j--) {
      if (i < expected.length || j < made.length) cost[i]![j] = Math.min(both(i, j), missing(i, j), extra(i, j))
    }
  }
  const pairs: Array<Pair> = []
  for (let i = 0, j = 0; i < expected.length || j < made.length;) {
    const lowest = cost[i]![j]!
    if (lowest === both(i, j)) pairs.push({ expected: expected[i++]!, made: made[j++]! })
    else if (lowest === missing(i, j)) pairs.push({ expected: expected[i++]! })
    else pairs.push({ made: made[j++]! })
  }
  return pairs
}

/** Pairs calls at the same position if they call the same tool. */
const byPlace = (expected: ReadonlyArray<PlacedCall>, made: ReadonlyArray<PlacedCall>): ReadonlyArray<Pair> =>
  Array.from({ length: Math.max(expected.length, made.length) }, (_, index): ReadonlyArray<Pair> => {
    const [one, other] = [expected[index], made[index]]
    if (one !== undefined && other !== undefined && costOf(one, other) <= 1) return [{ expected: one, made: other }]
    return [...(one === undefined ? [] : [{ expected: one }]), ...(other === undefined ? [] : [{ made: other }])]
  }).flat()
