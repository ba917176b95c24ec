/** `toolguard calls`: the call records that are in a database. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as CallTexts from "./CallTexts.ts"
import { open } from "#kit/cli/console/Database"
import { database } from "#kit/cli/console/Flags"
import { problem } from "#kit/cli/console/Problem"
import * as NewFile from "#kit/cli/runs/NewFile"

const store = {
  service: CallTexts.CallTexts,
  layer: CallTexts.layer,
  table: "toolguard_calls",
  what: "call records"
} as const

const file = Argument.String("file").pipe(
  Argument.withDescription("File to write; there must be none of that name. - for standard output")
)

/** Waits where whoever reads is slow. */
const print = (text: string): Effect.Effect<void> =>
  Effect.callback((resume) => {
    process.stdout.write(text, () => resume(Effect.void))
  })

const exporting = Command.make(
  "export",
  { file, database },
  Effect.fnUntraced(function* (given) {
    let count = 0
    const pages = Stream.unwrap(Effect.map(CallTexts.CallTexts, (texts) => texts.pages)).pipe(
      Stream.mapError((remedy) => problem("The database stopped answering.", remedy)),
      Stream.provide(open(store, given.database)),
      Stream.tap((page) =>
        Effect.sync(() => {
          for (let at = page.indexOf("\n"); at !== -1; at = page.indexOf("\n", at + 1)) count += 1
        })
      )
    )
    if (given.file === "-") return yield* Stream.runForEach(pages, print)
    yield* NewFile.stream(given.file, pages)
    yield* Console.log(`${count === 1 ? "One call record is" : `${count} call records are`} in ${given.file}.`)
  })
).pipe(
  Command.withShortDescription("Write the call records to a file"),
  Command.withDescription(`Writes the call records of a database to a file, one JSON object a line, oldest first.
  toolguard replay, explain and infer read it: its format is toolguard.

  A record holds arguments and results as the log was told to keep them: redacted, unless it keeps
  them in full. The file's owner alone may read it.`),
  Command.withExamples([
    { command: "toolguard calls export calls.jsonl --database stores.db", description: "A copy of the records" },
    { command: "toolguard calls export - | toolguard replay -", description: "What another guard would have done" }
  ])
)

export const calls = Command.make("calls").pipe(
  Command.withShortDescription("Export call records"),
  Command.withDescription("Reads the call records that are in the database of the guard's stores."),
  Command.withSubcommands([exporting])
)
