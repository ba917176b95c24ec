/** Splits a stream of bytes into lines of bounded length. Each byte is scanned once, however the chunks arrive. */

interface Lines {
  /** Reads more bytes and passes the complete lines to `line`. Returns false if a line is too long. */
  readonly feed: (chunk: Uint8Array, line: (text: string, ordinal: number) => void) => boolean
  /** Passes the incomplete line at the end of the stream to `line`. */
  readonly rest: (line: (text: string, ordinal: number) => void) => void
  /** Returns the number of characters in skipped lines since the last call. */
  readonly skipped: () => number
}

/** Creates a reader of lines of at most `maxLength` UTF-16 units. Empty lines are skipped, but counted. */
export const make = (maxLength: number): Lines => {
  const decoder = new TextDecoder()
  let partial: Array<string> = []
  let length = 0
  let ordinal = 0
  let skipped = 0
  const emit = (text: string, line: (text: string, ordinal: number) => void) => {
    ordinal += 1
    const whole = text.endsWith("\r") ? text.slice(0, -1) : text
    if (whole.trim() === "") skipped += text.length + 1
    else line(whole, ordinal)
  }
  return {
    feed: (chunk, line) => {
      const text = decoder.decode(chunk, { stream: true })
      let from = 0
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
        if (end === from && partial.length === 0) {
          ordinal += 1
          skipped += 1
          from = end + 1
          continue
        }
        const piece = text.slice(from, end)
        if (length + piece.length > maxLength) return false
        const whole = partial.length === 0 ? piece : partial.join("") + piece
        partial = []
        length = 0
        from = end + 1
        emit(whole, line)
      }
      if (from < text.length) {
        partial.push(text.slice(from))
        length += text.length - from
      }
      return length <= maxLength
    },
    rest: (line) => {
      const text = partial.join("") + decoder.decode()
      partial = []
      length = 0
      if (text !== "") emit(text, line)
    },
    skipped: () => {
      const count = skipped
      skipped = 0
      return count
    }
  }
}
