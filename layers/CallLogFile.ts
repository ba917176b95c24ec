/**
 * Call records in a file, one per line, in the format that `toolguard replay` reads. Records are appended to an existing file.
 *
 * **Gotchas**
 *
 * If the file cannot be written, one warning is logged and no call fails. The file grows without limit.
 */
import { type CallRecord, fromJson, toJson } from "#domain/call/CallRecord"
import { LateOutcome } from "#domain/call/LateOutcome"
import { CallLog, CallLogUnavailable, type Keep } from "#services/CallLog"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { createWriteStream } from "node:fs"
import { readFile } from "node:fs/promises"

/** The file and the content of its records. */
export interface CallLogFileOptions {
  readonly file: string
  /** Whether records hold arguments and results. Default `redacted`. */
  readonly keep?: Keep
}

const LateText = Schema.fromJsonString(Schema.toCodecJson(LateOutcome))
const encodeLate = Schema.encodeSync(LateText)
const decodeLate = Schema.decodeUnknownResult(LateText)

/**
 * Provides the call log in a file. Creates a missing file. Closing the layer waits for the last records for at most 2
 * seconds.
 */
export const layerWith = ({ file, keep = "redacted" }: CallLogFileOptions): Layer.Layer<CallLog> =>
  Layer.effect(
    CallLog,
    Effect.gen(function* () {
      const context = yield* Effect.context<never>()
      const stream = createWriteStream(file, { flags: "a", mode: 0o600 })
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
          stream.write(`${line()}\n`)
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
          Effect.map((text) =>
            text
              .split("\n")
              .map(decode)
              .flatMap((decoded) => (Result.isSuccess(decoded) ? [decoded.success] : []))
          )
        )
      return {
        keep,
        append: (record: CallRecord) => add(() => toJson(record)),
        records: read(fromJson),
        appendLate: (late: LateOutcome) => add(() => encodeLate(late)),
        lateOutcomes: read(decodeLate)
      }
    })
  )

/** Provides the call log in a file, with redacted arguments and results. */
export const layer = (file: string): Layer.Layer<CallLog> => layerWith({ file })
