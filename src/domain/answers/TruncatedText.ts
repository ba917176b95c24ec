/**
 * Recognises truncated texts: JSON or a Python repr that is not closed, or a text whose length is exactly a
 * limit at which programs truncate texts.
 */

/** The beginning of JSON, or of the repr of a Python client. */
const structured = /^(?:\uFEFF|\s)*(?:[{[]\s*(?:["'{[\]}]|-?\d+(?:\.\d+)?\s*,)|meta=\S{1,40} content=\[)/

const closing: Readonly<Record<string, string>> = { "{": "}", "[": "]" }

/** True if the value at the start of a text is still open at its end. */
const isOpen = (text: string): boolean => {
  const open: Array<string> = []
  let quote = ""
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? ""
    if (quote !== "") {
      if (character === "\\") index += 1
      else if (character === quote) quote = ""
    } else if (character === '"' || character === "'") quote = character
    else if (character === "{" || character === "[") open.push(closing[character] ?? "")
    else if (character === open.at(-1)) {
      open.pop()
      if (open.length === 0) return false
    }
  }
  return true
}

/** True if a text is a value that ends early. */
export const isTruncated = (text: string): boolean => {
  if (!structured.test(text.slice(0, 200))) return false
  const trimmed = text.trimEnd()
  if (trimmed.startsWith("meta=")) return !/\bisError=(?:True|False)$/.test(trimmed)
  const last = trimmed.at(-1)
  if (last === "}" || last === "]") return false
  return isOpen(trimmed)
}

/** True if a text has a length at which programs truncate texts, and ends within a sentence. */
export const isCutAtRoundLength = (text: string): boolean =>
  text.length >= 5_000 && text.length % 1_000 === 0 && !/[\s.!?)\]}>"'`*|]$/.test(text)
