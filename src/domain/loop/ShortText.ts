/** Shortens long texts. Different texts stay different unless their hashes of 53 bits collide. */

/** Returns a 53-bit hash (cyrb53). It is not cryptographic. */
export const hash53 = (text: string): string => {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 2654435761)
    b = Math.imul(b ^ unit, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36)
}

/** Returns a text of at most `longest` characters unchanged, and a longer text as its beginning, length and hash. */
export const shorten = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, 32)}…${text.length}:${hash53(text)}`
