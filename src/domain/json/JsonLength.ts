/**
 * Measures the length of a string as JSON text, and cuts a string to a given length.
 *
 * The length is the number of code units that `JSON.stringify` writes without the quotes. Escapes count in full; a lone
 * surrogate counts as six.
 */

/** True for backspace, tab, line feed, form feed, carriage return, the quote and the backslash. */
const isShortEscape = (unit: number): boolean =>
  unit === 0x22 || unit === 0x5c || (unit >= 0x08 && unit <= 0x0d && unit !== 0x0b)

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** Returns the number of code units of a string as JSON, without its quotes. */
export const of = (text: string): number => JSON.stringify(text).length - 2

/**
 * Cuts a string so that it is at most `length` code units as JSON, without quotes. A string that was cut ends with `…`.
 *
 * **Details**
 *
 * Never splits a surrogate pair. Reads the text only up to the cut, so that the cost does not depend on the size of the
 * text. If `length` is below one, the result is empty.
 */
export const cut = (text: string, length: number): string => {
  let used = 0
  let end = 0
  for (let i = 0; i < text.length;) {
    const unit = text.charCodeAt(i)
    const pair = isHigh(unit) && isLow(text.charCodeAt(i + 1))
    const width = pair ? 2 : 1
    if (pair) used += 2
    else if (isShortEscape(unit)) used += 2
    else if (unit < 0x20 || isHigh(unit) || isLow(unit)) used += 6
    else used += 1
    if (used > length) return length < 1 ? "" : text.slice(0, end) + "…"
    i += width
    // The mark needs one unit of room.
    if (used < length) end = i
  }
  return text
}
