/** Splits a stream of bytes into lines of bounded length. Each byte is scanned once, however the chunks arrive. */

interface Lines {
  /** Takes more bytes and returns the complete lines; false if a line is too long. */
  readonly feed: (chunk: Uint8Array, line: (text: string, ordinal: number) => void) => boolean
  /** The incomplete line at the end of the stream. */
  readonly rest: (line: (text: string, ordinal: number) => void) => void
}

/** `longest` is in UTF-16 units. Empty lines are skipped, but counted. */
export const make = (longest: number): Lines => {
  const decoder = new TextDecoder()
  let begun: Array<string> = []
  let length = 0
  let ordinal = 0
  const give = (text: string, line: (text: string, ordinal: number) => void) => {
    ordinal += 1
    const whole = text.endsWith("\r") ? text.slice(0, -1) : text
    if (whole.trim() !== "") line(whole, ordinal)
  }
  return {
    feed: (chunk, line) => {
      const text = decoder.decode(chunk, { stream: true })
      let from = 0
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
        const piece = text.slice(from, end)
        if (length + piece.length > longest) return false
        const whole = begun.length === 0 ? piece : begun.join("") + piece
        begun = []
        length = 0
        from = end + 1
        give(whole, line)
      }
      if (from < text.length) {
        begun.push(text.slice(from))
        length += text.length - from
      }
      return length <= longest
    },
    rest: (line) => {
      const text = begun.join("") + decoder.decode()
      begun = []
      length = 0
      if (text !== "") give(text, line)
    }
  }
}
