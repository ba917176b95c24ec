/**
 * The golden file as a run would have it. Only what differs is written anew: calls that are equal stay where they stand, as
 * they were written, notes included. Where so much has moved that this gives no order of the run's, its rounds are taken.
 */
import * as Align from "./Align.ts"
import { expected as expectedOf, type Golden, type GoldenCall, inOrder } from "./GoldenFile.ts"

/** The file with what differs changed in its place. */
export const updated = (golden: Golden, pairs: ReadonlyArray<Align.Pair>): Golden => {
  const kept = golden.rounds.map((round) => new Map(round.entries()))
  const touched = new Set<number>()
  for (const pair of pairs) {
    const { expected, made } = pair
    if (expected === undefined || Align.isEqual(pair)) continue
    const { place, round } = expected
    touched.add(round)
    const old = golden.rounds[round]?.[place]
    if (made === undefined || old === undefined) kept[round]?.delete(place)
    else kept[round]?.set(place, renewed(old, expectedOf(made.call)))
  }
  const added = additions(pairs)
  for (const round of added.into.keys()) touched.add(round)
  const rounds = kept.map((round, index) => {
    const calls = [...round.values(), ...(added.into.get(index) ?? [])]
    return touched.has(index) ? inOrder(calls) : calls
  })
  const all = [
    ...(added.behind.get(-1) ?? []),
    ...rounds.flatMap((round, index) => [round, ...(added.behind.get(index) ?? [])])
  ]
  return { ...golden, rounds: all.filter((round) => round.length > 0) }
}

/** The file with the rounds of the run; calls that are equal are as they were written. */
export const taken = (golden: Golden, pairs: ReadonlyArray<Align.Pair>): Golden => {
  const rounds = new Map<number, Calls>()
  for (const { expected, made } of pairs.toSorted((a, b) => (a.made?.number ?? 0) - (b.made?.number ?? 0))) {
    if (made === undefined) continue
    const old = expected === undefined ? undefined : golden.rounds[expected.round]?.[expected.place]
    const call = expectedOf(made.call)
    const next = old === undefined ? call : expected?.key === made.key ? old : renewed(old, call)
    rounds.set(made.round, [...(rounds.get(made.round) ?? []), next])
  }
  return { ...golden, rounds: [...rounds.values()].map(inOrder) }
}

/** The call with other arguments, and what its author wrote beside it. */
const renewed = ({ fails: _, ...old }: GoldenCall, call: GoldenCall): GoldenCall => ({ ...old, ...call })

type Calls = ReadonlyArray<GoldenCall>

/**
 * Where new calls belong: into the expected round of a call that they were made with, or into a round of their own behind
 * that of the call before them.
 */
const additions = (pairs: ReadonlyArray<Align.Pair>) => {
  const into = new Map<number, Calls>()
  const behind = new Map<number, ReadonlyArray<Calls>>()
  const roundOf = new Map<number, number>()
  for (const { expected, made } of pairs) {
    if (expected !== undefined && made !== undefined) roundOf.set(made.round, expected.round)
  }
  let before = -1
  let last: { readonly made: number; readonly after: number } | undefined
  for (const { expected, made } of pairs) {
    if (expected !== undefined && made !== undefined) before = Math.max(before, expected.round)
    if (expected !== undefined || made === undefined) continue
    const call = expectedOf(made.call)
    const beside = roundOf.get(made.round)
    if (beside !== undefined) {
      into.set(beside, [...(into.get(beside) ?? []), call])
      continue
    }
    const rounds = behind.get(before) ?? []
    const isSame = last?.made === made.round && last.after === before
    const own = isSame ? inOrder([...(rounds.at(-1) ?? []), call]) : [call]
    behind.set(before, isSame ? [...rounds.slice(0, -1), own] : [...rounds, own])
    last = { made: made.round, after: before }
  }
  return { into, behind }
}
