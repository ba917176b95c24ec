/**
 * Merges failed calls with their repairs: a failed call and its repair count as one call, the repair.
 *
 * The repair of a failed call is the model's next successful call of the same tool in a later round. The merged call
 * has the position of the failed call if the repair is in the next round, otherwise the position of the repair. A call
 * that is never repaired remains as a failed call. If its retry in a later round fails too, only the retry remains.
 */
import type { MadeCall, Round } from "./Sequence.ts"

interface PlacedCall {
  readonly call: MadeCall
  readonly round: number
}

/** Replaces failed calls with their repairs. */
export const repaired = (rounds: ReadonlyArray<Round>): ReadonlyArray<Round> => {
  const kept: Array<Array<PlacedCall>> = rounds.map(() => [])
  const failed = new Map<string, Array<PlacedCall>>()
  for (const [index, round] of rounds.entries()) {
    const inRound: Array<PlacedCall> = []
    for (const call of round) {
      const placed = { call, round: index }
      const first = (failed.get(call.tool) ?? []).find((each) => each.round < index)
      if (call.hasFailed) {
        // the call probably retries the earlier failed call, so drop the earlier call
        if (first !== undefined) remove(kept, failed, first)
        failed.set(call.tool, [...(failed.get(call.tool) ?? []), placed])
        inRound.push(placed)
        continue
      }
      if (first === undefined) {
        inRound.push(placed)
        continue
      }
      remove(kept, failed, first)
      if (first.round === index - 1) kept[first.round]?.push(placed)
      else inRound.push(placed)
    }
    kept[index] = [...(kept[index] ?? []), ...inRound]
  }
  return kept.flatMap((round) => (round.length === 0 ? [] : [round.map(({ call }) => call)]))
}

/** Removes a failed call that a later call replaces. */
const remove = (kept: Array<Array<PlacedCall>>, failed: Map<string, Array<PlacedCall>>, replaced: PlacedCall): void => {
  kept[replaced.round] = (kept[replaced.round] ?? []).filter((placed) => placed !== replaced)
  failed.set(
    replaced.call.tool,
    (failed.get(replaced.call.tool) ?? []).filter((placed) => placed !== replaced)
  )
}
