/** Cuts a text to a maximum length, and marks the cut. */

/**
 * Returns a text of at most `max` UTF-16 code units unchanged. A longer text is cut to at most `max` code units,
 * including a final `…`. Never splits a surrogate pair.
 */
export const cut = (text: string, max: number): string => {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 2)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 2 : max - 1) + "…"
}
