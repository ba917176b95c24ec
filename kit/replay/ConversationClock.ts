/**
 * Finds the times of a conversation that its clock follows. A log may contain a wrong time, such as a date in 2099 or a
 * number in another unit, and a clock never runs backwards: without a check, one such time would stop it for all later
 * calls.
 *
 * **Details**
 *
 * - The clock follows the longest sequence of times that do not decrease. Any other time contradicts it.
 * - A time that contradicts it is replaced by one between its neighbours in the sequence: several in a row are spaced
 *   evenly, and those before the sequence get its first time. Those after it count as absent.
 * - Nothing contradicts the last time of a conversation if it is too late.
 *
 * The work grows with `n log n` for `n` times, and with `n` if the times are in order.
 */

/** Returns the times of a conversation with those that contradict the others replaced. An absent time stays absent. */
export const inOrder = (times: ReadonlyArray<number | undefined>): ReadonlyArray<number | undefined> => {
  if (isOrdered(times)) return times
  const followed: Array<number | undefined> = Array.from(times, () => undefined)
  let previous: number | undefined
  let wrong: Array<number> = []
  const kept = longestOrdered(times)
  for (const [index, time] of times.entries()) {
    if (time === undefined) continue
    if (!kept.has(index)) {
      wrong.push(index)
      continue
    }
    const start = previous ?? time
    const step = (time - start) / (wrong.length + 1)
    for (const [nth, place] of wrong.entries()) followed[place] = start + Math.floor(step * (nth + 1))
    followed[index] = time
    previous = time
    wrong = []
  }
  return followed
}

const isOrdered = (times: ReadonlyArray<number | undefined>): boolean => {
  let latest = 0
  for (const time of times) {
    if (time === undefined) continue
    if (time < latest) return false
    latest = time
  }
  return true
}

/** Returns the places of the longest sequence of times that do not decrease; of several, the one that ends earliest. */
const longestOrdered = (times: ReadonlyArray<number | undefined>): ReadonlySet<number> => {
  // the last time of the best sequence of each length, and its place
  const ends: Array<{ readonly time: number; readonly index: number }> = []
  const before = new Map<number, number | undefined>()
  for (const [index, time] of times.entries()) {
    if (time === undefined) continue
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((ends[middle]?.time ?? time) <= time) low = middle + 1
      else high = middle
    }
    before.set(index, ends[low - 1]?.index)
    ends[low] = { time, index }
  }
  const kept = new Set<number>()
  for (let index = ends.at(-1)?.index; index !== undefined; index = before.get(index)) kept.add(index)
  return kept
}
