/** Cuts a page out of a long text, by the bytes that it takes as a JSON string, never inside of a character. */

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

const isInsidePair = (text: string, at: number): boolean =>
  at > 0 && isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1))

/** UTF-8 bytes of one code unit that is no half of a pair, as `JSON.stringify` writes it. */
const bytesOf = (unit: number): number => {
  if (unit === 0x22 || unit === 0x5c) return 2
  if (unit < 0x20) return unit >= 0x08 && unit <= 0x0d && unit !== 0x0b ? 2 : 6
  if (isHigh(unit) || isLow(unit)) return 6
  return unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3
}

export interface TextPage {
  /** Where the page begins, in UTF-16 units: as asked, or one before where that lies inside of a character. */
  readonly start: number
  readonly end: number
}

/** The longest page from `offset` on that has at most `limit` UTF-16 units and `room` bytes; one character at least. */
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
