/**
 * A failed call and its repair count as the repaired call.
 *
 * The repair of a failed call is the model's next call of that tool, in a later round, that succeeds. It stands where it
 * succeeded; where that is the very next round, in the place of the call that failed. What is never repaired stays, as a
 * call that fails.
 */
import type { MadeCall, Round } from "./Sequence.ts"

interface Placed {
  readonly call: MadeCall
  readonly round: number
}

/** The rounds without the calls that were repaired. */
export const repaired = (rounds: ReadonlyArray<Round>): ReadonlyArray<Round> => {
  const left: Array<Array<Placed>> = rounds.map(() => [])
  const failed = new Map<string, Array<Placed>>()
  for (const [index, round] of rounds.entries()) {
    const here: Array<Placed> = []
    for (const call of round) {
      const placed = { call, round: index }
      const first = (failed.get(call.tool) ?? []).find((each) => each.round < index)
      if (call.hasFailed) {
        // the same intent, still failing: the attempt before it is forgotten
        if (first !== undefined) forget(left, failed, first)
        failed.set(call.tool, [...(failed.get(call.tool) ?? []), placed])
        here.push(placed)
        continue
      }
      if (first === undefined) {
        here.push(placed)
        continue
      }
      forget(left, failed, first)
      if (first.round === index - 1) left[first.round]?.push(placed)
      else here.push(placed)
    }
    left[index] = [...(left[index] ?? []), ...here]
  }
  return left.flatMap((round) => (round.length === 0 ? [] : [round.map(({ call }) => call)]))
}

/** Takes a failed call out, since a later one stands for it. */
const forget = (left: Array<Array<Placed>>, failed: Map<string, Array<Placed>>, gone: Placed): void => {
  left[gone.round] = (left[gone.round] ?? []).filter((placed) => placed !== gone)
  failed.set(
    gone.call.tool,
    (failed.get(gone.call.tool) ?? []).filter((placed) => placed !== gone)
  )
}
