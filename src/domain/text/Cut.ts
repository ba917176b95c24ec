/** Cuts a text to a length, and shows that it was cut. */

/**
 * Returns the text if it has at most `max` UTF-16 code units; else its beginning and `…`, together at most `max`. Never
 * splits a surrogate pair.
 */
export const cut = (text: string, max: number): string => {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 2)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 2 : max - 1) + "…"
}
