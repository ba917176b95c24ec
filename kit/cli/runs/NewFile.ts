/**
 * Writes a file that is whole or not there: to a temporary file beside it, on the disk before it gets its name, and its name
 * on the disk before anybody is told. A file that is there is not touched.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { lineOf, type Problem, problem } from "#kit/cli/console/Problem"

export const write = (path: string, text: string): Effect.Effect<void, Problem> => stream(path, Stream.succeed(text))

/** Writes a file of texts that come one after the other. Where one fails there is no file. */
export const stream = <E>(path: string, texts: Stream.Stream<string, E>): Effect.Effect<void, E | Problem> => {
  const attempt = <A>(step: () => A) => Effect.try({ try: step, catch: (error) => refusal(path, error) })
  const temporary = `${path}.${process.pid}.tmp`
  let isOpen = true
  const close = (file: number): void => {
    if (isOpen) closeSync(file)
    isOpen = false
  }
  return Effect.acquireUseRelease(
    attempt(() => openSync(temporary, "wx", 0o600)),
    (file) =>
      Effect.andThen(
        Stream.runForEach(texts, (text) => attempt(() => writeFileSync(file, text))),
        attempt(() => {
          fsyncSync(file)
          close(file)
          name(temporary, path)
          syncFolder(dirname(path))
        })
      ),
    (file) =>
      Effect.sync(() => {
        close(file)
        rmSync(temporary, { force: true })
      })
  )
}

/** A link fails where there is a file already, and a rename does not; but not every file system has links. */
const name = (temporary: string, path: string): void => {
  try {
    linkSync(temporary, path)
  } catch (error) {
    if (codeOf(error) === "EEXIST" || existsSync(path)) throw Object.assign(new Error("EEXIST"), { code: "EEXIST" })
    renameSync(temporary, path)
  }
}

/** Windows opens no folders, and keeps names in its journal. */
const syncFolder = (path: string): void => {
  if (process.platform === "win32") return
  const folder = openSync(path, "r")
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "")

const refusal = (path: string, error: unknown): Problem => {
  switch (codeOf(error)) {
    case "EEXIST":
      return problem(`There is a file ${path} already.`, "It was left as it is. Name another file.")
    case "ENOENT":
      return problem(`The folder of ${path} does not exist.`, "Make it, or name another file.")
    case "ENOSPC":
      return problem(`The disk has no room for ${path}.`, "Free some space.")
    default:
      return problem(
        `Cannot write ${path}: ${lineOf(error)}`,
        "Name another file, or give this user the right to write it."
      )
  }
}
