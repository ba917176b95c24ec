/** Measures strings in UTF-8. A lone surrogate counts as three bytes, because an encoder replaces it. */

const encoder = new TextEncoder()
/** A buffer that the encoder fills and no code reads. Encoding into a buffer counts bytes faster than a loop. */
const scratch = new Uint8Array(16_384)

/** Returns the number of UTF-8 bytes of a string. */
export const length = (text: string): number => {
  let bytes = 0
  for (let at = 0; at < text.length;) {
    const { read, written } = encoder.encodeInto(at === 0 ? text : text.slice(at), scratch)
    at += read
    bytes += written
  }
  return bytes
}

/** True if a string has at most `limit` bytes in UTF-8. Counts bytes only if the length does not decide. */
export const fits = (text: string, limit: number): boolean =>
  text.length * 3 <= limit || (text.length <= limit && length(text) <= limit)
