/** Splits names and English sentences into words. */

/**
 * Splits a name into words in lower case. `searchOrders`, `search-orders` and `search_orders` yield the same two words.
 */
export const wordsOf = (name: string): ReadonlyArray<string> =>
  name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")

/** Returns the first 1,000 words of a text, in lower case. */
export const wordsIn = (text: string): ReadonlyArray<string> =>
  (
    text
      .slice(0, 10_000)
      .toLowerCase()
      .match(/\p{L}+(?:['’]\p{L}+)?/gu) ?? []
  ).slice(0, 1_000)

/** Converts a name to snake_case. */
export const snakeCase = (name: string): string => wordsOf(name).join("_")

/** Returns the possible base forms of a verb such as `returns`, `deletes`, `copying` or `applied`. */
export const stemsOf = (word: string): ReadonlyArray<string> => {
  const stems = [word]
  for (const ending of ["s", "es", "ed", "d", "ing"]) {
    if (word.length < ending.length + 2 || !word.endsWith(ending)) continue
    const stem = word.slice(0, -ending.length)
    stems.push(stem)
    if (ending === "ing") stems.push(`${stem}e`)
    if (ending === "es" || ending === "ed") stems.push(stem.replace(/i$/u, "y"))
    if (/(.)\1$/u.test(stem)) stems.push(stem.slice(0, -1))
  }
  return stems
}

const latin = /\p{Script=Latin}/u

/** Words that most English descriptions contain, but few descriptions in other languages. */
const english = new Set(
  "a an the of for to and with in on by from this that is are be it its or as using all new use you your get returns".split(
    " "
  )
)

const sentences = /[.!?:;\n"“”()]+/u

/**
 * True if all sentences of a text seem to be English, the only language in which phrases are checked. Short sentences
 * in ASCII letters count as English.
 */
export const isEnglish = (text: string): boolean => {
  const letters = text.slice(0, 2_000).match(/\p{L}/gu) ?? []
  if (letters.length === 0 || letters.filter((letter) => latin.test(letter)).length < letters.length * 0.8) return false
  return text.split(sentences).every((sentence) => {
    const words = wordsIn(sentence)
    const mayBeForeign = words.length >= 6 || words.some((word) => /[^\0-\u007f]/u.test(word))
    return !mayBeForeign || words.some((word) => english.has(word))
  })
}
