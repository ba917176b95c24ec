/** Counts the parts of a JSON text before it is parsed, because parsed parts take many times the memory of their text. */

/** The maximum number of objects and lists in a text. */
const maxContainers = 1_000_000

/** The maximum number of commas in a text, which separate its fields and values. */
const maxValues = 4_000_000

/** A shorter text cannot have too many parts. */
const counted = maxContainers

const [quote, backslash, comma, brace, bracket] = [0x22, 0x5c, 0x2c, 0x7b, 0x5b]

/** Returns a sentence if a text has too many parts to be parsed. The counts are exact for valid JSON. */
export const excess = (text: string, most = maxValues): string | undefined => {
  if (text.length < Math.min(counted, most)) return undefined
  let containers = 0
  let commas = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === quote) at = endOfString(text, at)
    else if (unit === comma) commas++
    else if (unit === brace || unit === bracket) containers++
    if (containers > maxContainers) return `It has more than ${maxContainers} objects and lists.`
    if (commas > most) return `It has more than ${most} values.`
  }
  return undefined
}

/** Returns the offset of the closing quote of the string at `start`; the length of the text if the quote is missing. */
const endOfString = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1
    while (text.charCodeAt(before) === backslash) before--
    if ((end - before) % 2 === 1) return end
  }
  return text.length
}
