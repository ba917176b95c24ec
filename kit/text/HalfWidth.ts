/** Replaces full-width characters of East Asian texts. */

/**
 * Replaces full-width punctuation, digits and letters with their ASCII equivalents, one for one, so that one pattern
 * matches both forms.
 */
export const halfWidth = (text: string): string =>
  text.replace(/[\uff01-\uff5e]/gu, (character) => String.fromCharCode(character.charCodeAt(0) - 0xfee0))
