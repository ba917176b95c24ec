/** Reads and writes the lock of a server's tools. The lock is written on the first run and with --accept. */
import * as Lock from "effect-toolguard/internal/mcp/remote/Lock"
import * as PrivateFile from "effect-toolguard/internal/layers/stores/PrivateFile"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { existsSync, readFileSync } from "node:fs"
import { lineOf, type Problem, problem } from "#kit/cli/console/Problem"

const remedy = "Restore it, or write it again with --accept."

/** Reads the lock; `undefined` if the file does not exist. */
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

/** Replaces the file by renaming a temporary file. */
export const write = (file: string, lock: Lock.Lock): Effect.Effect<void, Problem> =>
  Effect.try({
    try: () => PrivateFile.replace(file, Lock.write(lock)),
    catch: (error) => problem(`Cannot write ${file}: ${lineOf(error)}`, "Choose a file in a writable folder.")
  })
