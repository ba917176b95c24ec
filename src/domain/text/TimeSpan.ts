/** Writes time spans in words. */

const units: ReadonlyArray<readonly [millis: number, one: string, many: string]> = [
  [86_400_000, "day", "days"],
  [3_600_000, "h", "h"],
  [60_000, "min", "min"],
  [1_000, "s", "s"]
]

/**
 * Writes a span in its largest unit and the next smaller unit: `3 min 20 s`, `2 h`, `4 days 1 h`. Negative spans are
 * `0 s`.
 */
export const inWords = (millis: number): string => {
  let rest = Math.max(0, millis)
  const parts: Array<string> = []
  let isFollowed = false
  for (const [length, one, many] of units) {
    const count = Math.floor(rest / length)
    rest -= count * length
    if (count > 0) parts.push(`${count} ${count === 1 ? one : many}`)
    if (isFollowed) break
    isFollowed = parts.length > 0
  }
  return parts.length === 0 ? "0 s" : parts.join(" ")
}
