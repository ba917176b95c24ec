#!/usr/bin/env node
/**
 * The command `toolguard`: prints its version, or loads `program.ts`, which does everything else.
 *
 * The version is printed without loading Effect, so `--version` takes little more time than starting Node.
 */
import * as Version from "#kit/Version"

// a reader such as `head` closes standard output early
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? 0 : 1)
})

const [first, ...rest] = process.argv.slice(2)
if ((first === "--version" || first === "-v") && rest.length === 0) {
  const { NO_COLOR = "", TERM } = process.env
  process.stdout.write(`${Version.line(process.stdout.isTTY && NO_COLOR === "" && TERM !== "dumb")}\n`)
} else {
  await import("./program.ts")
}
