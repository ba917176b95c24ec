/**
 * Defines the problems that stop a command. A problem is printed as its message and its remedy, without a stack trace.
 */
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"

/** Exits the process with `exitCode`: 2 for an invalid command line, 1 for all other problems. */
export class Problem extends Schema.TaggedError<Problem>("effect-toolguard/cli/Problem")("Problem", {
  message: Schema.String,
  /** The remedy; empty if it is clear from the message. */
  remedy: Schema.String,
  exitCode: Schema.Literals([1, 2])
}) {
  override readonly [Runtime.errorExitCode] = this.exitCode
  override readonly [Runtime.errorReported] = false
}

/** Creates a problem that is not in the command line, such as an unusable file, port or provider. */
export const problem = (message: string, remedy: string): Problem => new Problem({ message, remedy, exitCode: 1 })

/** Creates the problem of an invalid command line. */
export const misuse = (message: string, remedy: string): Problem => new Problem({ message, remedy, exitCode: 2 })

/** Creates the problem of a file that does not exist. */
export const missingFile = (path: string, exitCode: Problem["exitCode"] = 1): Problem =>
  new Problem({
    message: `There is no file ${path}.`,
    remedy: "Correct the path. A relative path starts at the working directory.",
    exitCode
  })

/** Creates the problem of an error that occurred while a file was read. `remedy` applies if the file exists. */
export const unreadable = (path: string, error: unknown, remedy: string): Problem =>
  error instanceof Error && "code" in error && error.code === "ENOENT"
    ? missingFile(path)
    : problem(`Cannot read ${path}: ${lineOf(error)}`, remedy)

/** Returns the first line of an error's message, without the stack. */
export const lineOf = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error)
  return text.trim().split("\n")[0] ?? ""
}
