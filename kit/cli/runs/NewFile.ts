/**
 * Writes a new file atomically. The text goes to a temporary file in the same folder, which is synced and then given
 * the final name. The folder is synced too before the write succeeds. An existing file is not changed.
 */
import * as PrivateFile from "effect-toolguard/internal/layers/stores/PrivateFile"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { lineOf, type Problem, problem } from "#kit/cli/console/Problem"

/** Writes a text to a new file. */
export const write = (path: string, text: string): Effect.Effect<void, Problem> => stream(path, Stream.succeed(text))

/** Writes the texts of a stream to a new file. If the stream fails, no file is created. */
export const stream = <E>(path: string, texts: Stream.Stream<string, E>): Effect.Effect<void, E | Problem> => {
  const attempt = <A>(step: () => A) => Effect.try({ try: step, catch: (error) => refusal(path, error) })
  const temporary = `${path}.${process.pid}.tmp`
  let isOpen = true
  const close = (file: number): void => {
    if (isOpen) closeSync(file)
    isOpen = false
  }
  return Effect.acquireUseRelease(
    attempt(() => openSync(temporary, "wx", PrivateFile.mode)),
    (file) =>
      Effect.andThen(
        Stream.runForEach(texts, (text) => attempt(() => writeFileSync(file, text))),
        attempt(() => {
          fsyncSync(file)
          close(file)
          publish(temporary, path)
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

/**
 * Gives the temporary file its final name. A link fails if the name is taken. A rename would replace the existing file,
 * so a rename is used only if linking fails for another reason, for example because the file system has no links.
 */
const publish = (temporary: string, path: string): void => {
  try {
    linkSync(temporary, path)
  } catch (error) {
    if (codeOf(error) === "EEXIST" || existsSync(path)) throw Object.assign(new Error("EEXIST"), { code: "EEXIST" })
    renameSync(temporary, path)
  }
}

/** Syncs the names in a folder. Windows cannot open folders, and keeps names in its journal. */
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

/** Creates the problem of a failed write. */
const refusal = (path: string, error: unknown): Problem => {
  switch (codeOf(error)) {
    case "EEXIST":
      return problem(`${path} already exists.`, "It was not changed. Choose another file.")
    case "ENOENT":
      return problem(`The folder of ${path} does not exist.`, "Create it, or choose another file.")
    case "ENOSPC":
      return problem(`There is no space left on the disk for ${path}.`, "Free some space.")
    default:
      return problem(
        `Cannot write ${path}: ${lineOf(error)}`,
        "Choose another file, or give this user permission to write it."
      )
  }
}
