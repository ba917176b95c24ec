/** The file of what a server's tools promised: read where it is, written on the first run and when it is accepted anew. */
import * as Lock from "effect-toolguard/internal/mcp/remote/Lock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { lineOf, type Problem, problem } from "#kit/cli/console/Problem"

const remedy = "Restore it, or write it anew with --accept."

/** The lock; undefined where there is no file. */
export const read = (file: string): Effect.Effect<Lock.Lock | undefined, Problem> =>
  Effect.gen(function* () {
    if (!existsSync(file)) return undefined
    const text = yield* Effect.try({
      try: () => readFileSync(file, "utf8"),
      catch: (error) => problem(`Cannot read ${file}: ${lineOf(error)}`, remedy)
    })
    const lock = Lock.read(text)
    return Result.isSuccess(lock) ? lock.success : yield* problem(`${file}: ${lock.failure}`, remedy)
  })

/** Writes the file: whole, or not at all. */
export const write = (file: string, lock: Lock.Lock): Effect.Effect<void, Problem> =>
  Effect.try({
    try: () => {
      writeFileSync(`${file}.new`, Lock.write(lock))
      renameSync(`${file}.new`, file)
    },
    catch: (error) => problem(`Cannot write ${file}: ${lineOf(error)}`, "Name a file in a folder that can be written.")
  })
