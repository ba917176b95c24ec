/**
 * Recognises truncated texts: JSON or a Python repr that is not closed, and a long text whose length is a multiple of
 * 1,000, because programs truncate texts at such lengths.
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

/** True if a text is JSON or a Python repr that ends early. */
export const isTruncated = (text: string): boolean => {
  if (!structured.test(text.slice(0, 200))) return false
  const trimmed = text.trimEnd()
  if (trimmed.startsWith("meta=")) return !/\bisError=(?:True|False)$/.test(trimmed)
  const last = trimmed.at(-1)
  if (last === "}" || last === "]") return false
  return isOpen(trimmed)
}

/** True if the length of a text is a multiple of 1,000 from 5,000 up, and the text ends within a sentence. */
export const isCutAtRoundLength = (text: string): boolean =>
  text.length >= 5_000 && text.length % 1_000 === 0 && !/[\s.!?)\]}>"'`*|]$/.test(text)
