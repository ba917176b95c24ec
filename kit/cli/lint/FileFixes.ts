/** `--fix`: corrects JSON lists, file by file. A corrected file replaces the old file atomically. */
import * as Fix from "#kit/lint/report/Fix"
import type { Finding } from "#kit/lint/Lint"
import * as Effect from "effect/Effect"
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { lineOf, type Problem, problem } from "#kit/cli/console/Problem"
import type { Source } from "./Sources.ts"

/** Returns the corrections of a source; none unless the source is a JSON list. */
export const plan = (source: Source, findings: ReadonlyArray<Finding>): ReadonlyArray<Fix.Edit> =>
  source.text === undefined ? [] : Fix.edits(source.text, findings)

/** Applies the changes to the file. */
export const write = (source: Source, changes: ReadonlyArray<Fix.Edit>): Effect.Effect<void, Problem> =>
  changes.length === 0 || source.text === undefined
    ? Effect.void
    : Effect.try({
        try: () => replace(source.name, source.text ?? "", Fix.apply(source.text ?? "", changes)),
        catch: (error) =>
          problem(
            `Cannot write ${source.name}: ${lineOf(error)}`,
            "The file was not corrected. Check that it is writable, and run the command again."
          )
      })

const replace = (path: string, before: string, text: string): void => {
  const target = realpathSync(path)
  if (readFileSync(target, "utf8") !== before) throw new Error("it has changed since it was read.")
  const temporary = `${target}.${process.pid}.tmp`
  try {
    const file = openSync(temporary, "wx", statSync(target).mode & 0o777)
    try {
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, target)
  } finally {
    rmSync(temporary, { force: true })
  }
}
