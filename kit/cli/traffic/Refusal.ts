/** Why an input cannot be read, in one sentence, and what to do. */
import { lineOf, Problem, problem } from "#kit/cli/console/Problem"

/** The problem behind an error of reading. */
export const refusal = (name: string, error: unknown): Problem => {
  if (error instanceof Problem) return error
  switch (error instanceof Error && "code" in error ? error.code : "") {
    case "ENOENT":
      return problem(`There is no file ${name}.`, "Name another file.")
    case "EACCES":
    case "EPERM":
      return problem(`${name} may not be read by this user.`, "Give this user the right to read it.")
    case "EISDIR":
      return folder(name)
    case "Z_BUF_ERROR":
      return problem(
        `${name} ends before its packed data do: it was cut off.`,
        "Copy it again, or unpack what is there: gzip -dc FILE | toolguard … -"
      )
    case "Z_DATA_ERROR":
      return problem(`${name} is damaged: its packed data cannot be read.`, "Copy it again.")
    default:
      return problem(`Cannot read ${name}: ${lineOf(error)}`, "Name another file.")
  }
}

/** A folder is no file. */
export const folder = (name: string): Problem =>
  problem(`${name} is a folder.`, `Name its files: ${name.replace(/\/+$/u, "")}/*.jsonl`)
