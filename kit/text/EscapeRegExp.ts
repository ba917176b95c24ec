/** Escapes a text so that a regular expression with the flag `u` matches it literally. */
export const escapeRegExp = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&")
