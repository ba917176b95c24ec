/** A number for a text, spread evenly and always the same: to draw samples fairly, and to name things. Not for secrets. */

/** From 0 to 2³² (FNV-1a over code units, with a final mix). */
export const spread = (text: string): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
