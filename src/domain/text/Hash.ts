/** Computes stable, evenly distributed hashes of texts, for fair samples and short names. Do not use it for secrets. */

/** Returns an integer from 0 to 2³² − 1: FNV-1a over code units, with a final mix. */
export const hash = (text: string): number => {
  let state = 0x811c9dc5
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193)
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35)
  return (state ^ (state >>> 16)) >>> 0
}
