/**
 * Checks the fixed parts of a path. A document must not lead requests, which carry the credentials of the API, out of the
 * path of its base URL.
 */

/** Decodes escapes up to five times, as a chain of servers may do. */
const decoded = (text: string): string => {
  let current = text
  // each round decodes one level of nested escapes
  for (let round = 0; round < 5; round++) {
    const next = current.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16))
    )
    if (next === current) return current
    current = next
  }
  return current
}

/** Returns why requests to a path are refused, or undefined. The values of parameters are checked in each call. */
export const faultOf = (template: string): string | undefined => {
  const [path = ""] = template.replaceAll(/\{[^{}]*\}/g, "x").split(/[?#]/)
  if (/%(?![0-9a-f]{2})/i.test(path)) return "The path contains an incomplete escape."
  const plain = decoded(path)
  // URLs treat a backslash as a slash, and leave out line breaks
  if (/[\p{Cc}\\]/u.test(plain)) return "The path contains a backslash or a control character."
  // some servers ignore what follows a semicolon
  return plain.split("/").some((segment) => /^\.{1,2}(?:;|$)/.test(segment))
    ? 'The path contains a segment "." or "..", which leads out of the base URL.'
    : undefined
}
