/** Finds the common pattern of ids: an equal sequence of letters and digits, or a common alphabet and length. */
import { escapeRegExp } from "#kit/text/EscapeRegExp"

type Run = { readonly class: string; readonly text: string }

const classes: ReadonlyArray<readonly [name: string, pattern: RegExp]> = [
  ["\\d", /^\d+/],
  ["[a-z]", /^[a-z]+/],
  ["[A-Z]", /^[A-Z]+/]
]

const longestId = 80

const runs = (text: string): ReadonlyArray<Run> => {
  const found: Array<Run> = []
  for (let rest = text; rest !== "";) {
    const [name, run] = classes
      .map(([name, pattern]) => [name, pattern.exec(rest)?.[0]] as const)
      .find(([, run]) => run !== undefined) ?? ["", rest.charAt(0)]
    found.push({ class: name, text: run ?? "" })
    rest = rest.slice(run?.length)
  }
  return found
}

const quantifier = (lengths: ReadonlyArray<number>): string => {
  const [first = 0] = lengths
  return lengths.every((length) => length === first) ? (first === 1 ? "" : `{${first}}`) : "+"
}

/** Returns the pattern of the runs at one position of all ids: their common text, or their common character class. */
const merged = (column: ReadonlyArray<Run>): string | undefined => {
  const [{ class: name, text } = { class: "", text: "" }] = column
  if (column.every((run) => run.text === text)) return escapeRegExp(text)
  if (name === "" || column.some((run) => run.class !== name)) return undefined
  return name + quantifier(column.map((run) => run.text.length))
}

/** The alphabets to try for ids of equal length. */
const alphabets: ReadonlyArray<readonly [name: string, pattern: RegExp]> = [
  ["[\\da-f]", /^[\da-f]+$/],
  ["[A-Z\\d]", /^[A-Z\d]+$/],
  ["[a-z\\d]", /^[a-z\d]+$/],
  ["[A-Za-z\\d]", /^[A-Za-z\d]+$/]
]

/** Returns the common pattern of different texts, or `undefined` if they have no common pattern. */
export const idPattern = (texts: ReadonlyArray<string>): RegExp | undefined => {
  if (texts.some((text) => text === "" || text.length > longestId)) return undefined
  const rows = texts.map(runs)
  const columns = rows[0]?.map((_, column) => rows.flatMap((row) => row[column] ?? [])) ?? []
  if (rows.every((row) => row.length === columns.length)) {
    const parts = columns.map(merged)
    if (parts.every((part) => part !== undefined)) return new RegExp(`^${parts.join("")}$`, "u")
  }
  const length = quantifier(texts.map((text) => text.length))
  const alphabet = alphabets.find(([, pattern]) => texts.every((text) => pattern.test(text)))
  return alphabet === undefined || length === "+" ? undefined : new RegExp(`^${alphabet[0]}${length}$`, "u")
}
