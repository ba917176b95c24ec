/** Reads and writes the lock and the changelog. A write replaces the whole file or leaves it unchanged. */
import * as Changelog from "#kit/diff/Changelog"
import * as Lock from "#kit/diff/Lock"
import type { Snapshot } from "#kit/diff/Snapshot"
import * as PrivateFile from "effect-toolguard/internal/layers/stores/PrivateFile"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { existsSync } from "node:fs"
import { dirname } from "node:path"
import * as InputText from "#kit/cli/console/InputText"
import { lineOf, type Problem, problem } from "#kit/cli/console/Problem"

/** Reads the snapshot of a lock; `undefined` if the file does not exist. */
export const lock = (path: string): Effect.Effect<Snapshot | undefined, Problem> =>
  Effect.gen(function* () {
    if (!existsSync(path)) return undefined
    const read = Lock.read(yield* InputText.readWithin(path))
    return Result.isSuccess(read)
      ? read.success
      : yield* problem(
          `${path} cannot be read. ${read.failure}`,
          "Restore it, or delete it and create it again with --write."
        )
  })

/** Reads the text of a changelog; empty if the file does not exist. */
export const changelog = (path: string): Effect.Effect<string, Problem> =>
  existsSync(path) ? InputText.readWithin(path) : Effect.succeed("")

/** Returns a warning for each entry without a reason, which accepts nothing. */
export const withoutReason = (path: string, changelog: string): ReadonlyArray<string> =>
  Changelog.read(changelog)
    .filter(({ reason }) => reason === "")
    .map(({ id, line }) => `${path}:${line}: ${id} has no reason and accepts nothing.`)

/** Replaces a file by renaming a temporary file. */
export const write = (path: string, content: string): Effect.Effect<void, Problem> => {
  if (!existsSync(dirname(path))) {
    return Effect.fail(problem(`The folder of ${path} does not exist.`, "Create it, or choose another file."))
  }
  return Effect.try({
    try: () => PrivateFile.replace(path, content),
    catch: (error) => problem(`Cannot write ${path}: ${lineOf(error)}`, "Choose a file in a writable folder.")
  })
}
