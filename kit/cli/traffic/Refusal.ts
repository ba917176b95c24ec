/** Creates the problems of files that cannot be read. */
import { lineOf, missingFile, Problem, problem } from "#kit/cli/console/Problem"
import type { Skipped } from "#kit/traffic/Conversation"
import * as Format from "#kit/traffic/Format"
import { shortestLines, shortestMapping } from "#kit/traffic/ShortestLines"

/** Creates the problem of an error that occurred while a file was read. */
export const refusal = (name: string, error: unknown): Problem => {
  if (error instanceof Problem) return error
  switch (error instanceof Error && "code" in error ? error.code : "") {
    case "ENOENT":
      return missingFile(name)
    case "EACCES":
    case "EPERM":
      return problem(`This user has no permission to read ${name}.`, "Grant it, or choose another file.")
    case "EISDIR":
      return folder(name)
    case "Z_BUF_ERROR":
      return problem(
        `${name} is truncated: its compressed data are incomplete.`,
        "Copy it again, or unpack the part that exists: gzip -dc FILE | toolguard … -"
      )
    case "Z_DATA_ERROR":
      return problem(`${name} is damaged: its compressed data cannot be read.`, "Copy it again.")
    default:
      return problem(`Cannot read ${name}: ${lineOf(error)}`, "Choose another file.")
  }
}

/** Creates the problem of a folder that was named instead of a file. */
export const folder = (name: string): Problem =>
  problem(`${name} is a folder.`, `Name its files: ${name.replace(/\/+$/u, "")}/*.jsonl`)

/** The forms that a line can have: the shortest line of each format, and the way to read any other form. */
const forms = [
  "Set the format with --format if it was not detected, or name the paths in the lines with --map FILE.",
  `For {"tool":"x","args":{},"result":""} in each line, FILE contains ${shortestMapping}.`,
  "The shortest lines, by the name of their format:",
  ...Format.names.map((name) => `  ${name.padEnd(17)} ${shortestLines[name]}`)
].join("\n")

/** Creates the problem of a file without a known format. `first` describes its first line. */
export const unknownFormat = (file: string, first: string): Problem =>
  problem(`The format of ${file} is not known: it contains ${first}.`, forms)

/** Creates the problem of files in which no conversation was read, or no call although the model wrote some as text. */
export const nothingRead = (names: ReadonlyArray<string>, skipped: Skipped | undefined, isMapped: boolean): Problem => {
  const where = names.length === 1 ? (names[0] === "-" ? "standard input" : names[0]) : `${names.length} files`
  const place = skipped === undefined || names.length === 1 ? "Line" : `${skipped.place.file}, line`
  const why = skipped === undefined ? "" : ` ${place} ${skipped.place.line}: ${skipped.reason}`
  return problem(
    `No ${skipped?.isCall === true ? "call" : "conversation"} was read from ${where}.${why}`,
    isMapped && skipped?.isCall !== true ? "Correct the paths and roles of the mapping." : forms
  )
}
