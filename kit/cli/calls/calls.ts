/** `toolguard calls`: exports the call records of a database. */
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import type { ForgetScope } from "effect-toolguard/services/Forget"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as RecordTexts from "./RecordTexts.ts"
import { failed, open } from "#kit/cli/console/Database"
import { database } from "#kit/cli/console/Flags"
import * as Scope from "#kit/cli/console/Scope"
import * as NewFile from "#kit/cli/runs/NewFile"

const store = {
  service: RecordTexts.RecordTexts,
  layer: RecordTexts.layer,
  table: "toolguard_calls",
  contents: "call records"
} as const

const file = Argument.String("file").pipe(
  Argument.withDescription("File to create; it must not exist. - for standard output")
)

/** Writes to standard output, and waits until a slow reader has read the text. */
const print = (text: string): Effect.Effect<void> =>
  Effect.callback((resume) => {
    process.stdout.write(text, () => resume(Effect.void))
  })

/** Returns a message that names the missing records, because a name may be wrong or belong to another tenant. */
const noneOf = ({ conversation, principal, tenant, turn }: ForgetScope): string => {
  const names = [
    `tenant ${shown(JSON.stringify(tenant))}`,
    ...(conversation === undefined ? [] : [`conversation ${shown(JSON.stringify(conversation))}`]),
    ...(principal === undefined ? [] : [`principal ${shown(JSON.stringify(principal))}`]),
    ...(turn === undefined ? [] : [`turn ${shown(JSON.stringify(turn))}`])
  ]
  return `toolguard: The database has no call record of ${names.join(", ")}.\nCheck the names; --tenant is "default" unless it is set.`
}

const exporting = Command.make(
  "export",
  { file, ...Scope.flags("export"), database },
  Effect.fnUntraced(function* (options) {
    const scope = yield* Scope.read(options)
    let count = 0
    const pages = Stream.unwrap(Effect.map(RecordTexts.RecordTexts, (texts) => texts.pages(scope))).pipe(
      Stream.mapError((cause) => failed({ cause }, typeof cause === "string" ? cause : "")),
      Stream.provide(open(store, options.database)),
      Stream.tap((page) =>
        Effect.sync(() => {
          for (let at = page.indexOf("\n"); at !== -1; at = page.indexOf("\n", at + 1)) count += 1
        })
      )
    )
    if (options.file === "-") yield* Stream.runForEach(pages, print)
    else {
      yield* NewFile.stream(options.file, pages)
      yield* Console.log(`Wrote ${count === 1 ? "one call record" : `${count} call records`} to ${options.file}.`)
    }
    if (count === 0 && scope !== undefined) yield* Console.error(noneOf(scope))
  })
).pipe(
  Command.withShortDescription("Write the call records to a file"),
  Command.withDescription(`Writes the call records of a database to a file, one JSON object per line, oldest first.
  toolguard replay, explain and infer can read the file (format: toolguard).

  With --tenant, --conversation, --principal or --turn it writes only the records that match all
  of them. Without these flags it writes the records of all tenants.

  A record has the arguments and results as the log stored them: redacted, unless the log keeps
  them in full. Only the owner of the file can read it.`),
  Command.withExamples([
    { command: "toolguard calls export calls.jsonl --database stores.db", description: "Copy the records to a file" },
    {
      command: "toolguard calls export ann.jsonl --tenant acme --principal ann",
      description: "Copy the records of one principal"
    },
    {
      command: "toolguard calls export - | toolguard replay -",
      description: "Replay the records with the current guard"
    }
  ])
)

export const calls = Command.make("calls").pipe(
  Command.withShortDescription("Export call records"),
  Command.withDescription("Exports the call records in the database of the guard's stores."),
  Command.withSubcommands([exporting])
)
