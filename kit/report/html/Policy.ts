/**
 * What a browser may do with the page: show its own style, run its own script, and reach nothing.
 *
 * The hashes are those of `Style` and `Script`; a test computes them, and says what to write here after a change.
 */

/** SHA-256 of the style sheet, in base64. */
export const styleHash = "DmoXswpPE4jdW8X8Zu0g5MexEmqepnWOC2I3xGoB6Gw="
/** SHA-256 of the script, in base64. */
export const scriptHash = "x1OKtYKmVoG3d8mGhlA103U+C/TGgQpqUcIcN3yWr0E="

/** The value of the page's `Content-Security-Policy`. */
export const policy = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
  `script-src 'sha256-${scriptHash}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'"
].join("; ")
