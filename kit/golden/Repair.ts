/**
 * Merges failed calls with their repairs: both count as the repaired call.
 *
 * The repair of a failed call is the model's next call of that tool, in a later round, that succeeds. The merged call has
 * the position of the repair, or that of the failed call if the repair is in the very next round. A call that is never
 * repaired remains as a failed call.
 */
import type { MadeCall, Round } from "./Sequence.ts"

interface Placed {
  readonly call: MadeCall
  readonly round: number
}

/** The rounds with failed calls replaced by their repairs. */
export const repaired = (rounds: ReadonlyArray<Round>): ReadonlyArray<Round> => {
  const left: Array<Array<Placed>> = rounds.map(() => [])
  const failed = new Map<string, Array<Placed>>()
  for (const [index, round] of rounds.entries()) {
    const here: Array<Placed> = []
    for (const call of round) {
      const placed = { call, round: index }
      const first = (failed.get(call.tool) ?? []).find((each) => each.round < index)
      if (call.hasFailed) {
        // the same intent fails again: drop the earlier attempt
        if (first !== undefined) remove(left, failed, first)
        failed.set(call.tool, [...(failed.get(call.tool) ?? []), placed])
        here.push(placed)
        continue
      }
      if (first === undefined) {
        here.push(placed)
        continue
      }
      remove(left, failed, first)
      if (first.round === index - 1) left[first.round]?.push(placed)
      else here.push(placed)
    }
    left[index] = [...(left[index] ?? []), ...here]
  }
  return left.flatMap((round) => (round.length === 0 ? [] : [round.map(({ call }) => call)]))
}

/** Removes a failed call that a later call replaces. */
const remove = (left: Array<Array<Placed>>, failed: Map<string, Array<Placed>>, replaced: Placed): void => {
  left[replaced.round] = (left[replaced.round] ?? []).filter((placed) => placed !== replaced)
  failed.set(
    replaced.call.tool,
    (failed.get(replaced.call.tool) ?? []).filter((placed) => placed !== replaced)
  )
}
