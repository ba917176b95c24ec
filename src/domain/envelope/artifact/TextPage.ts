/** Cuts pages from a long text by their size in bytes as a JSON string, without splitting characters. */

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

const isInsidePair = (text: string, at: number): boolean =>
  isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1))

/** Returns the UTF-8 bytes that `JSON.stringify` writes for one code unit outside a surrogate pair. */
const bytesOf = (unit: number): number => {
  if (unit === 0x22 || unit === 0x5c) return 2
  if (unit < 0x20) return unit >= 0x08 && unit <= 0x0d && unit !== 0x0b ? 2 : 6
  if (isHigh(unit) || isLow(unit)) return 6
  return unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3
}

/** The position of a page in a text, in UTF-16 units. */
interface TextPage {
  /** The requested offset, or the offset before it if the requested offset is inside a surrogate pair. */
  readonly start: number
  readonly end: number
}

/**
 * Returns the longest page from `offset` with at most `limit` UTF-16 units and `room` bytes, but at least one
 * character.
 */
export const cut = (text: string, offset: number, limit: number, room: number): TextPage => {
  const start = isInsidePair(text, offset) ? offset - 1 : offset
  const last = Math.min(text.length, offset + limit)
  let left = room
  let end = start
  while (end < last) {
    const unit = text.charCodeAt(end)
    const isPair = isHigh(unit) && isLow(text.charCodeAt(end + 1))
    const width = isPair ? 2 : 1
    left -= isPair ? 4 : bytesOf(unit)
    if (end > start && (left < 0 || end + width > last)) break
    end += width
  }
  return { start, end }
}
