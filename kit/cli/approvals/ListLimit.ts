/** Says how many waiting requests a list does not show, and how to see them. */

/** The maximum of `--limit`. */
export const maxLimit = 10_000

/** Returns the end of a sentence about `total` requests of which `listed` are shown; empty if all are shown. */
export const remaining = (total: number, listed: number): string => {
  const rest = total - listed
  if (rest <= 0) return ""
  if (total <= maxLimit) return `; ${rest} more with --limit ${total}`
  return listed < maxLimit
    ? `; --limit ${maxLimit} lists the oldest ${maxLimit}, and the others follow as those are decided`
    : `; the other ${rest} follow as these are decided`
}
