/**
 * Checks the files that a replay writes, before the log is read.
 *
 * A page replaces only a page or an empty file, so that `--html` with the name of a log or a module of tools destroys
 * nothing. Proposals never replace a file.
 */
import * as Effect from "effect/Effect"
import {
  accessSync,
  closeSync,
  constants,
  lstatSync,
  mkdtempSync,
  openSync,
  readSync,
  rmdirSync,
  type Stats,
  statSync
} from "node:fs"
import { dirname, join, resolve } from "node:path"
import { lineOf, misuse, problem, type Problem } from "#kit/cli/console/Problem"

/** Creates the problem of a file that cannot be written. */
export const cannotWrite = (file: string, error: unknown): Problem =>
  problem(`Cannot write ${file}: ${lineOf(error)}`, "Choose a file in a writable folder.")

/** Creates the problem of a file of proposals that exists. */
export const exists = (file: string): Problem =>
  problem(`The file ${file} already exists.`, "It was not changed. Choose another file for --propose.")

/**
 * Returns the entry at a path; `undefined` if there is no entry, or if a part of the path is a file and not a folder.
 */
const look = (how: typeof statSync, path: string): Stats | undefined => {
  try {
    return how(path, { throwIfNoEntry: false })
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOTDIR") return undefined
    throw error
  }
}

/**
 * Returns the reason why a new file cannot be created in its folder; `undefined` if it can. Creates and removes a folder
 * there, because some folders accept no new files although their permissions allow them.
 */
const folderProblem = (file: string): Problem | undefined => {
  const folder = look(statSync, dirname(file))
  if (folder === undefined) {
    return problem(`The folder of ${file} does not exist.`, "Create it, or choose another file.")
  }
  if (!folder.isDirectory()) return problem(`${dirname(file)} is not a folder.`, "Choose another file.")
  try {
    rmdirSync(mkdtempSync(join(dirname(file), ".toolguard-")))
    return undefined
  } catch {
    return problem(`Cannot write ${file}: its folder accepts no new file.`, "Choose a file in a writable folder.")
  }
}

const pageStart = "<!doctype html>"

const isPage = (file: string): boolean => {
  const opened = openSync(file, "r")
  try {
    const start = Buffer.alloc(pageStart.length)
    const { length } = start.subarray(0, readSync(opened, start))
    return length === 0 || start.toString("latin1").toLowerCase() === pageStart
  } finally {
    closeSync(opened)
  }
}

const pageProblem = (file: string): Problem | undefined => {
  const found = look(statSync, file)
  if (found === undefined) return folderProblem(file)
  if (found.isDirectory()) return problem(`${file} is a folder.`, "Name a file for --html.")
  if (!found.isFile()) return undefined // a pipe or a device, such as /dev/stdout
  accessSync(file, constants.W_OK)
  return isPage(file)
    ? undefined
    : problem(
        `The file ${file} exists and is not an HTML page.`,
        "It was not changed. Choose another file for --html, because a page replaces only a page or an empty file."
      )
}

/** True if the proposals are written as JSON Schema. */
export const isJson = (file: string): boolean => /\.json$/iu.test(file)

const isTypeScript = (file: string): boolean => /\.[cm]?ts$/iu.test(file)

const proposalProblem = (file: string): Problem | undefined => {
  // a link counts as a file, even if its target does not exist
  const found = look(lstatSync, file)
  if (found === undefined) return folderProblem(file)
  return found.isDirectory() ? problem(`${file} is a folder.`, "Name a file for --propose.") : exists(file)
}

/** Fails if the page or the proposals could not be written, or would replace another file. */
export const check = (html: string | undefined, proposals: string | undefined): Effect.Effect<void, Problem> => {
  if (html === "") return Effect.fail(misuse("--html has no file name.", "Write --html report.html."))
  if (proposals === "") return Effect.fail(misuse("--propose has no file name.", "Write --propose relaxed.ts."))
  if (proposals !== undefined && !isJson(proposals) && !isTypeScript(proposals)) {
    return Effect.fail(
      misuse(
        `--propose writes TypeScript or JSON Schema, and ${proposals} is named like neither.`,
        "Name a file that ends in .ts, .mts, .cts or .json."
      )
    )
  }
  if (html !== undefined && proposals !== undefined && resolve(html) === resolve(proposals)) {
    return Effect.fail(misuse(`--html and --propose both name ${html}.`, "Choose two files."))
  }
  const one = (file: string | undefined, found: (file: string) => Problem | undefined) =>
    file === undefined
      ? Effect.void
      : Effect.try({ try: () => found(file), catch: (error) => cannotWrite(file, error) }).pipe(
          Effect.flatMap((failure) => (failure === undefined ? Effect.void : Effect.fail(failure)))
        )
  return Effect.andThen(one(proposals, proposalProblem), one(html, pageProblem))
}
