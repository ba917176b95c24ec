/** `toolguard replay`: what the guard would have made of recorded traffic. */
import * as RedactorMemory from "effect-toolguard/layers/RedactorMemory"
import { Redactor } from "effect-toolguard/services/Redactor"
import * as Replay from "#kit/replay/Replay"
import * as InferredContracts from "#kit/replay/InferredContracts"
import * as Fold from "#kit/report/Fold"
import * as Page from "#kit/report/html/Page"
import type { Report } from "#kit/report/Report"
import * as Format from "#kit/traffic/Format"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { writeFileSync } from "node:fs"
import { json } from "#kit/cli/console/Flags"
import * as LoadTools from "#kit/cli/console/LoadTools"
import { lineOf, misuse, problem, type Problem } from "#kit/cli/console/Problem"
import * as Condition from "./Condition.ts"
import * as Progress from "./Progress.ts"
import * as Text from "./Text.ts"
import * as Prices from "#kit/cli/console/Prices"
import * as Screen from "#kit/cli/console/Screen"
import * as Traffic from "#kit/cli/traffic/Traffic"

export const files = Argument.String("files").pipe(
  Argument.withDescription("Files of recorded traffic, .jsonl or .jsonl.gz; - for standard input"),
  Argument.variadic({ min: 1 })
)

export const format = Flag.Literals("format", Format.names).pipe(
  Flag.withDescription("Format of every file. Default: found out for each"),
  Flag.optional
)

export const tools = Flag.String("tools").pipe(
  Flag.withMetavar("<module>"),
  Flag.withDescription("Module of guarded tools whose definitions count instead of the log's"),
  Flag.optional
)

export const advise = Flag.Boolean("advise").pipe(
  Flag.withDescription("Tell where arguments break the log's schemas, and let the calls pass. Default: false"),
  Flag.withDefault(false)
)

const infer = Flag.Boolean("infer").pipe(
  Flag.withDescription(
    `Infer schemas for tools that the log does not list, from at least ${InferredContracts.leastCalls} calls that succeeded. Default: false`
  ),
  Flag.withDefault(false)
)

const html = Flag.String("html").pipe(
  Flag.withMetavar("<file>"),
  Flag.withDescription("Write the report as one page to a file"),
  Flag.optional
)

const failIf = Flag.String("fail-if").pipe(
  Flag.withMetavar("<conditions>"),
  Flag.withDescription(`End with 1 where one holds, such as "suspects>0.1%,loops>=3"`),
  Flag.optional
)

const save = (file: string, text: string): Effect.Effect<void, Problem> =>
  Effect.try({
    try: () => writeFileSync(file, text),
    catch: (error) => problem(`Cannot write ${file}: ${lineOf(error)}`, "Name a file in a folder that can be written.")
  })

interface Given {
  readonly files: ReadonlyArray<string>
  readonly format: Option.Option<Format.FormatName>
  readonly tools: Option.Option<string>
  readonly advise: boolean
  readonly infer: boolean
}

/** Reads the files once for the calls of tools that they do not list. */
const inferred = (given: Given): Effect.Effect<Replay.ReplayOptions["inferred"], Problem> =>
  Effect.gen(function* () {
    if (given.files.includes("-")) {
      return yield* misuse("--infer reads the files twice, and standard input can be read once.", "Name files.")
    }
    const unlisted = InferredContracts.make()
    yield* Stream.runForEach(Traffic.stream(given.files, { format: Option.getOrUndefined(given.format) }), (batch) =>
      Effect.sync(() => batch.items.forEach((item) => item._tag === "Conversation" && unlisted.add(item)))
    )
    return unlisted.schemas()
  })

/** Reads and replays the files. */
const reported = (given: Given, prices: Fold.FoldOptions["prices"]): Effect.Effect<Report, Problem> =>
  Effect.gen(function* () {
    const redactor = yield* Redactor
    const loaded = Option.isSome(given.tools) ? yield* LoadTools.load(given.tools.value) : undefined
    const schemas = given.infer ? yield* inferred(given) : undefined
    const replay = yield* Replay.make({
      enforce: given.advise ? "advise" : "enforce",
      ...(loaded === undefined ? {} : { tools: loaded }),
      ...(schemas === undefined ? {} : { inferred: schemas })
    })
    const fold = Fold.make({ redact: redactor.text, prices })
    const progress = Progress.make()
    let calls = 0
    yield* Stream.runForEach(Traffic.stream(given.files, { format: Option.getOrUndefined(given.format) }), (batch) =>
      Effect.sync(() => {
        for (const item of batch.items) {
          if (item._tag === "Skipped") {
            fold.skip(item)
            continue
          }
          const replayed = replay.play(item)
          calls += replayed.calls.length
          fold.add(item, replayed)
        }
        replay.unchecked().forEach(fold.unchecked)
        progress.at(batch.bytes, batch.total, calls)
      })
    ).pipe(Effect.ensuring(Effect.sync(progress.end)))
    return fold.report()
  }).pipe(Effect.scoped, Effect.provide(RedactorMemory.layer))

export const replay = Command.make(
  "replay",
  { files, format, tools, infer, advise, ...Prices.flags, json, html, failIf },
  Effect.fnUntraced(function* (given) {
    const conditions = Option.isSome(given.failIf) ? yield* Condition.read(given.failIf.value) : []
    const report = yield* reported(given, yield* Prices.read(given))
    if (Option.isSome(given.html)) yield* save(given.html.value, Page.page(report))
    if (given.json) yield* Console.log(JSON.stringify(report))
    else Text.write(yield* Screen.make(false), report)
    for (const { holds, text } of conditions) {
      const found = holds(report)
      if (found !== undefined) return yield* problem(`${text} holds: ${found}.`, "See the report.")
    }
  })
).pipe(
  Command.withShortDescription("Say what the guard would have made of recorded traffic"),
  Command.withDescription(`Reads recorded conversations as a stream, and runs every call through the guard, with tools that answer from the log.
  Nothing is called, nothing is sent. The same files give the same report, byte for byte.

  Formats: ${Format.names.join(", ")}; each file's is found out. Lines that cannot be read are
  listed, with their numbers. Schemas come from the log, or from a module of guarded tools.

  A suspect is a call that the guard would have stopped, though the log has a new and good answer
  for it. Conditions of --fail-if count ${Condition.names.slice(0, 5).join(", ")},
  ${Condition.names.slice(5).join(", ")}; with % they are shares of all calls.

  Exit codes: 0 the report is written; 1 a condition of --fail-if holds, or a file cannot be read;
  2 the command was written wrongly.`),
  Command.withExamples([
    { command: "toolguard replay monday.jsonl.gz", description: "What the guard would have done" },
    { command: "toolguard replay *.jsonl --html report.html", description: "The same as a page" },
    { command: 'toolguard replay log.jsonl --tools ./tools.ts --fail-if "suspects>0.1%"', description: "For CI" }
  ])
)
