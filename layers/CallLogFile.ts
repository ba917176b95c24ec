/**
 * Writes call records to a file, one per line, in the format that `toolguard replay` reads. Records are appended to an
 * existing file.
 *
 * **Gotchas**
 *
 * If the file cannot be written, one warning is logged and no call fails. The file grows without limit.
 */
import { type CallRecord, fromJson, toJson } from "#domain/call/CallRecord"
import { AtRest, keyFault, linePlace } from "#services/AtRest"
import * as LateOutcome from "#domain/call/LateOutcome"
import { CallLog, CallLogUnavailable, type Keep } from "#services/CallLog"
import * as PrivateFile from "#layers/internal/stores/PrivateFile"
import { isOf } from "#services/Forget"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { createWriteStream } from "node:fs"
import { readFile } from "node:fs/promises"

/** The file and the content of its records. */
export interface CallLogFileOptions {
  readonly file: string
  /** Whether records hold arguments and results. Default `redacted`. */
  readonly keep?: Keep
}

/**
 * Provides the call log in a file. Creates a missing file. Closing the layer waits for the last records for at most 2
 * seconds.
 */
export const layerWith = ({ file, keep = "redacted" }: CallLogFileOptions): Layer.Layer<CallLog> =>
  Layer.effect(
    CallLog,
    Effect.gen(function* () {
      const context = yield* Effect.context<never>()
      const cipher = yield* AtRest
      const stream = createWriteStream(file, { flags: "a", mode: PrivateFile.mode })
      let isBroken = false
      const warn = (error: unknown) => {
        if (isBroken) return
        isBroken = true
        Effect.runForkWith(context)(Effect.logWarning(`Call records cannot be written to ${file}`, error))
      }
      stream.on("error", warn)
      yield* Effect.addFinalizer(() =>
        Effect.callback<void>((resume) => {
          if (isBroken) return resume(Effect.void)
          stream.end(() => resume(Effect.void))
          return undefined
        }).pipe(Effect.timeoutOption("2 seconds"))
      )
      const add = (line: () => string) => {
        try {
          stream.write(`${cipher.seal(line(), linePlace)}\n`)
        } catch (error) {
          warn(error) // the record has a value that cannot be written as JSON
        }
      }
      /** Waits until all lines appended so far are in the file. */
      const written = Effect.callback<void, CallLogUnavailable>((resume) => {
        stream.write("", (cause) => resume(cause ? Effect.fail(new CallLogUnavailable({ cause })) : Effect.void))
      })
      /** Reads the lines of one kind. Skips lines of the other kind and incomplete lines. */
      const read = <A>(decode: (text: unknown) => Result.Result<A, unknown>) =>
        Effect.andThen(
          written,
          Effect.tryPromise({
            try: () => readFile(file, "utf8"),
            catch: (cause) => new CallLogUnavailable({ cause })
          })
        ).pipe(
          Effect.flatMap((text) => {
            const lines = text.split("\n").map((line) => cipher.open(line, linePlace))
            const decoded = lines
              .map((line) => Result.flatMap(line, decode))
              .flatMap((one) => (Result.isSuccess(one) ? [one.success] : []))
            return Effect.mapError(
              Effect.as(Effect.fromResult(keyFault(lines)), decoded),
              (cause) => new CallLogUnavailable({ cause })
            )
          })
        )
      return {
        keep,
        append: (record: CallRecord) => add(() => toJson(record)),
        records: read(fromJson),
        recordsOf: (owner) => Effect.map(read(fromJson), (all) => all.filter((record) => isOf(owner, record))),
        appendLate: (late: LateOutcome.LateOutcome) => add(() => LateOutcome.toJson(late)),
        lateOutcomes: read(LateOutcome.fromJson)
      }
    })
  )

/** Provides the call log in a file, with redacted arguments and results. */
export const layer = (file: string): Layer.Layer<CallLog> => layerWith({ file })
