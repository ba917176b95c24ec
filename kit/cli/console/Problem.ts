/** What stops the command: one line that says what is wrong, and one that says what to do. Never a stack trace. */
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"

/** Ends the process with `exitCode`: 2 for a command that was written wrongly, 1 for all else. */
export class Problem extends Schema.TaggedError<Problem>("effect-toolguard/cli/Problem")("Problem", {
  message: Schema.String,
  /** What to do about it; empty where that is clear. */
  remedy: Schema.String,
  exitCode: Schema.Literals([1, 2])
}) {
  override readonly [Runtime.errorExitCode] = this.exitCode
  override readonly [Runtime.errorReported] = false
}

/** A problem of the world: a file, a port, a provider. */
export const problem = (message: string, remedy: string): Problem => new Problem({ message, remedy, exitCode: 1 })

/** A problem of the command line. */
export const misuse = (message: string, remedy: string): Problem => new Problem({ message, remedy, exitCode: 2 })

/** The first line of an error's text, without its stack. */
export const lineOf = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error)
  return text.trim().split("\n")[0] ?? ""
}
