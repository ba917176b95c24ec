/**
 * Replaces the `id` in the text of a message, and leaves the rest unchanged, byte for byte.
 *
 * Serialising the message again would change what JavaScript cannot represent: long numbers, `1.0`, duplicate keys.
 */

/** Returns the text with another id, or undefined if it has no id or a duplicate field. */
export const withId = (text: string, id: string | number): string | undefined => {
  const { found, hasDuplicate } = spanOf(text)
  return found === undefined || hasDuplicate
    ? undefined
    : text.slice(0, found.start) + JSON.stringify(id) + text.slice(found.end)
}

/** True if a message has a duplicate field. Readers differ on which value counts. */
export const isAmbiguous = (text: string): boolean => spanOf(text).hasDuplicate

interface Span {
  readonly start: number
  readonly end: number
}

/** Finds the value of the outermost `id` in a text that is a JSON object, and duplicate fields. */
const spanOf = (text: string): { readonly found: Span | undefined; readonly hasDuplicate: boolean } => {
  const keys = new Set<string>()
  let hasDuplicate = false
  let found: Span | undefined
  let depth = 0
  let isKey = false
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x7b: // {
        depth += 1
        isKey = depth === 1
        break
      case 0x5b: // [
        depth += 1
        break
      case 0x7d: // }
      case 0x5d: // ]
        depth -= 1
        break
      case 0x2c: // ,
        isKey = depth === 1
        break
      case 0x22: {
        const end = endOfString(text, at)
        if (isKey) {
          isKey = false
          const raw = text.slice(at, end)
          const key: string = raw.includes("\\") ? JSON.parse(raw) : raw.slice(1, -1)
          hasDuplicate ||= keys.has(key)
          keys.add(key)
          if (key === "id") {
            found = valueAfter(text, end)
            at = found.end - 1
            break
          }
        }
        at = end - 1
      }
    }
  }
  return { found, hasDuplicate }
}

/** Returns the end of a string that begins at `start`. */
const endOfString = (text: string, start: number): number => {
  let at = start + 1
  while (at < text.length) {
    const end = text.indexOf('"', at)
    if (end < 0) return text.length
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === 0x5c) slashes += 1
    if (slashes % 2 === 0) return end + 1
    at = end + 1
  }
  return at
}

/** Returns the position of the string or number after a key. */
const valueAfter = (text: string, from: number): Span => {
  let start = from
  while (/[\s:]/u.test(text.charAt(start))) start += 1
  if (text.charAt(start) === '"') return { start, end: endOfString(text, start) }
  let end = start
  while (end < text.length && !/[\s,}]/u.test(text.charAt(end))) end += 1
  return { start, end }
}
