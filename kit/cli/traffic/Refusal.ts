/** Creates the problems of files that cannot be read. */
import { lineOf, missingFile, Problem, problem } from "#kit/cli/console/Problem"

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
