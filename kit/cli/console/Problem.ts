/** A problem that stops a command. It is printed as two lines, what is wrong and what to do, without a stack trace. */
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"

/** Exits the process with `exitCode`: 2 for an invalid command line, 1 for all other problems. */
export class Problem extends Schema.TaggedError<Problem>("effect-toolguard/cli/Problem")("Problem", {
  message: Schema.String,
  /** What to do about it; empty if that is clear. */
  remedy: Schema.String,
  exitCode: Schema.Literals([1, 2])
}) {
  override readonly [Runtime.errorExitCode] = this.exitCode
  override readonly [Runtime.errorReported] = false
}

/** Creates a problem outside the command line, such as a file, a port or a provider that cannot be used. */
export const problem = (message: string, remedy: string): Problem => new Problem({ message, remedy, exitCode: 1 })

/** Creates the problem of an invalid command line. */
export const misuse = (message: string, remedy: string): Problem => new Problem({ message, remedy, exitCode: 2 })

/** Returns the first line of an error's message, without the stack. */
export const lineOf = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error)
  return text.trim().split("\n")[0] ?? ""
}
