/** Writes the value of the flag `--advise`: the names of the tools that only report violations, or all tools. */
import { others } from "./Tables.ts"

/** The value that names all tools. */
export const all = "all"

/** The maximum number of tools that a value names. With more, it names all tools. */
const maxNamed = 10

/** Returns the value for some tools: their names, separated by commas, or `all` if they are many or cannot be listed. */
export const valueOf = (tools: ReadonlyArray<string>): string => {
  const names = [...new Set(tools)]
  const isListed =
    names.length <= maxNamed && !names.some((name) => name === "" || name === others || /,|^\s|\s$/.test(name))
  return isListed ? names.join(",") : all
}

/** Returns a word as a shell reads it, in quotation marks where it needs them. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./~-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
