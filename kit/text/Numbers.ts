/** Formats numbers for people, the same on every machine. */

const plain = new Intl.NumberFormat("en")
const rounded = new Intl.NumberFormat("en", { maximumFractionDigits: 1 })

/** Formats a count with separators: `5,353`. */
export const grouped = (count: number): string => plain.format(count)

/** Formats a count with its noun: `1 call`, `5,353 calls`. `plural` is for irregular nouns. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${grouped(count)} ${count === 1 ? noun : plural}`

/**
 * Returns a formatter of counts, which writes a count that may be too high as `at most 12`, and an exact count as `12`.
 */
export const atMost =
  (isUpperBound = false) =>
  (count: number): string =>
    isUpperBound && count > 0 ? `at most ${grouped(count)}` : grouped(count)

/** Formats a share: `13.2 %`. Only an exact zero is `0 %`, and only the whole is `100 %`. */
export const share = (count: number, all: number): string => {
  if (all === 0 || count === 0) return "0 %"
  const percent = (100 * count) / all
  if (percent < 0.1) return "< 0.1 %"
  return count < all && percent > 99.9 ? "> 99.9 %" : `${rounded.format(percent)} %`
}

/** Formats an average with at most one decimal: `4.2`; a dash without a count. */
export const average = (sum: number, count: number): string => (count === 0 ? "–" : rounded.format(sum / count))

/** Formats a count briefly: `940`, `36,082`, `7.3 million`. */
export const about = (count: number): string => {
  if (count < 1_000_000) return grouped(count)
  return count < 1_000_000_000
    ? `${rounded.format(count / 1_000_000)} million`
    : `${rounded.format(count / 1_000_000_000)} billion`
}

/** Formats an amount: `$22.50`, or `$0.0012` for less than a cent. */
export const dollars = (amount: number): string => {
  const digits = amount > 0 && amount < 0.01 ? 4 : 2
  return `$${new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(amount)}`
}
