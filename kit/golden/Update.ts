/**
 * Updates a golden file to match a run. `updated` changes only the differences: equal calls keep their position and
 * their text, including notes. If the updated file still does not match, because calls have moved, `replaced` uses the
 * run's rounds.
 *
 * An expected call without an `error` gets the error that the run's call reported. An existing `error` keeps its
 * selection of fields.
 */
import * as Alignment from "./Alignment.ts"
import { expected as expectedOf, type Golden, type GoldenCall, inOrder } from "./GoldenFile.ts"
import * as ReportedError from "./ReportedError.ts"
import type { MadeCall } from "./Sequence.ts"

/** Changes each difference in place. Returns the original object if nothing changes. */
export const updated = (golden: Golden, pairs: ReadonlyArray<Alignment.Pair>): Golden => {
  const kept = golden.rounds.map((round) => new Map(round.entries()))
  const touched = new Set<number>()
  let isChanged = false
  for (const pair of pairs) {
    const { expected, made } = pair
    if (expected === undefined) {
      isChanged = true
      continue
    }
    const { place, round } = expected
    const old = golden.rounds[round]?.[place]
    const next = made === undefined || old === undefined ? undefined : renewed(old, made.call, pair)
    if (next !== undefined && next === old) continue
    isChanged = true
    if (!Alignment.isEqual(pair)) touched.add(round)
    if (next === undefined) kept[round]?.delete(place)
    else kept[round]?.set(place, next)
  }
  if (!isChanged) return golden
  const added = additions(pairs)
  for (const round of added.into.keys()) touched.add(round)
  const rounds = kept.map((round, index) => {
    const calls = [...round.values(), ...(added.into.get(index) ?? [])]
    return touched.has(index) ? inOrder(calls) : calls
  })
  const all = [
    ...(added.after.get(-1) ?? []),
    ...rounds.flatMap((round, index) => [round, ...(added.after.get(index) ?? [])])
  ]
  return { ...golden, rounds: all.filter((round) => round.length > 0) }
}

/** Replaces the rounds of the file with the rounds of the run. Equal calls keep their text. */
export const replaced = (golden: Golden, pairs: ReadonlyArray<Alignment.Pair>): Golden => {
  const rounds = new Map<number, Calls>()
  for (const pair of pairs.toSorted((a, b) => (a.made?.number ?? 0) - (b.made?.number ?? 0))) {
    const { expected, made } = pair
    if (made === undefined) continue
    const old = expected === undefined ? undefined : golden.rounds[expected.round]?.[expected.place]
    const next = old === undefined ? expectedOf(made.call) : renewed(old, made.call, pair)
    rounds.set(made.round, [...(rounds.get(made.round) ?? []), next])
  }
  return { ...golden, rounds: [...rounds.values()].map(inOrder) }
}

/**
 * Returns the call for the updated file: the old call if nothing changes, otherwise the call of the run with the other
 * fields that the author added. Equal calls keep the text of their arguments, which may have ignored fields.
 */
const renewed = (old: GoldenCall, made: MadeCall, { expected, made: placed }: Alignment.Pair): GoldenCall => {
  const error = ReportedError.renewed(old.error, made.error)
  const isSameError = error === old.error || (made.error === undefined && noFields(old.error))
  const isSame = expected?.key === placed?.key
  if (isSame && isSameError) return old
  const { error: _error, fails: _fails, ...others } = old
  const { error: _reported, ...call } = expectedOf(made)
  const kept = isSame ? { arguments: old.arguments } : {}
  return { ...others, ...call, ...kept, ...(error === undefined ? {} : { error }) }
}

const noFields = (error: ReportedError.ErrorFields | undefined): boolean =>
  error !== undefined && Object.keys(error).length === 0

type Calls = ReadonlyArray<GoldenCall>

/**
 * Decides where to add new calls: in the expected round of a call that was made in the same round, otherwise in a new
 * round after the round of the preceding call.
 */
const additions = (pairs: ReadonlyArray<Alignment.Pair>) => {
  const into = new Map<number, Calls>()
  const after = new Map<number, ReadonlyArray<Calls>>()
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
    const together = roundOf.get(made.round)
    if (together !== undefined) {
      into.set(together, [...(into.get(together) ?? []), call])
      continue
    }
    const rounds = after.get(before) ?? []
    const isSame = last?.made === made.round && last.after === before
    const own = isSame ? inOrder([...(rounds.at(-1) ?? []), call]) : [call]
    after.set(before, isSame ? [...rounds.slice(0, -1), own] : [...rounds, own])
    last = { made: made.round, after: before }
  }
  return { into, after }
}
