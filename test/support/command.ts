/**
 * The program of the command `toolguard`, for tests that start it as a process.
 *
 * Most commands start from a bundle, which takes half the time of starting from a thousand modules. A command that loads a
 * module of tools runs from the sources, because both must share the library.
 */
import { join } from "node:path"
import { bundle } from "./bundle.ts"
import { root } from "./sources.ts"

const sources = join(root, "kit/cli/main.ts")
const bundled = await bundle("kit/cli/main.ts", ["kit/cli/worker.ts"])

/** The commands that work without a module of tools. */
const withoutModule: ReadonlySet<string> = new Set([
  "approvals",
  "calls",
  "diff",
  "forget",
  "halt",
  "infer",
  "lint",
  "outcomes",
  "replay",
  "resume",
  "runs",
  "traffic"
])

/** Returns the program for a command line. Only a command line that names no module gets the bundle. */
export const programFor = (args: ReadonlyArray<string>): string => {
  const [command = "", subcommand] = args
  if (!withoutModule.has(command) && !(command === "mcp" && subcommand === "proxy")) return sources
  // the arguments after `--` are the command of a server
  const end = args.indexOf("--")
  const own = end === -1 ? args : args.slice(0, end)
  return own.some((arg) => /\.[cm]?[jt]s$/u.test(arg)) ? sources : bundled
}

/** Returns the command of `toolguard mcp proxy` with the command of a server. */
export const proxied = (flags: ReadonlyArray<string>, server: ReadonlyArray<string>): ReadonlyArray<string> => {
  const args = ["mcp", "proxy", ...flags, "--", ...server]
  return [process.execPath, programFor(args), ...args]
}
