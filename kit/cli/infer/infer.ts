/** `toolguard infer`: proposes what tools answer with, as Effect Schema source, from recorded traffic. */
import * as FieldPath from "effect-toolguard/internal/domain/text/FieldPath"
import { nearest } from "effect-toolguard/internal/domain/text/NearestName"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import * as Guesses from "#kit/infer/Guesses"
import { defaultMinSamples, infer as propose, type Inferred } from "#kit/infer/infer"
import { Recorder, type RecordedResults } from "#kit/infer/RecordedResults"
import { source } from "#kit/infer/Source"
import { toSchema } from "#kit/infer/toSchema"
import type { Skipped } from "#kit/traffic/Conversation"
import type { FormatName } from "#kit/traffic/Format"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as JsonSchema from "effect/JsonSchema"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { existsSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { json } from "#kit/cli/console/Flags"
import { lineOf, misuse, type Problem, problem } from "#kit/cli/console/Problem"
import * as Progress from "#kit/cli/replay/Progress"
import { files, format } from "#kit/cli/replay/replay"
import * as Traffic from "#kit/cli/traffic/Traffic"

const tool = Flag.String("tool").pipe(
  Flag.withMetavar("<name>"),
  Flag.withDescription("Only this tool; may be given several times. Default: all"),
  Flag.atLeast(0)
)

const out = Flag.String("out").pipe(
  Flag.withAlias("o"),
  Flag.withMetavar("<file>"),
  Flag.withDescription("Write the module to a file. Default: standard output"),
  Flag.optional
)

const force = Flag.Boolean("force").pipe(
  Flag.withDescription("Overwrite the file of --out. Default: false"),
  Flag.withDefault(false)
)

const minSamples = Flag.Int("min-samples").pipe(
  Flag.withMetavar("<n>"),
  Flag.withDescription(`Results that a tool must have beside failures. Default: ${defaultMinSamples}`),
  Flag.withDefault(defaultMinSamples)
)

interface Read {
  readonly recorded: ReadonlyArray<RecordedResults>
  readonly skipped: ReadonlyArray<Skipped>
}

const readAll = (files: ReadonlyArray<string>, format: FormatName | undefined): Effect.Effect<Read, Problem> =>
  Effect.suspend(() => {
    const recorder = new Recorder()
    const skipped: Array<Skipped> = []
    const progress = Progress.make()
    return Stream.runForEach(Traffic.stream(files, { format }), ({ bytes, items, total }) =>
      Effect.sync(() => {
        for (const item of items) {
          if (item._tag === "Skipped") skipped.push(item)
          else recorder.add(item)
        }
        progress.at(bytes, total, recorder.results)
      })
    ).pipe(
      Effect.ensuring(Effect.sync(progress.end)),
      Effect.map(() => ({ recorded: recorder.tools, skipped }))
    )
  })

const chosen = (
  recorded: ReadonlyArray<RecordedResults>,
  names: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<RecordedResults>, Problem> => {
  const known = recorded.map(({ tool }) => tool)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) {
    return Effect.succeed(names.length === 0 ? recorded : recorded.filter(({ tool }) => names.includes(tool)))
  }
  const like = nearest(unknown, known, 3).map(shown)
  return Effect.fail(
    misuse(
      `The log has no result of a tool ${FieldPath.name(unknown)}.`,
      like.length === 0 ? "See toolguard replay FILES for the tools that it has." : `Nearest: ${like.join(", ")}.`
    )
  )
}

const save = (file: string, text: string, isForced: boolean): Effect.Effect<void, Problem> => {
  if (!existsSync(dirname(file))) {
    return Effect.fail(problem(`The folder of ${file} does not exist.`, "Make it, or name another file."))
  }
  return Effect.try({
    try: () => writeFileSync(file, text, { flag: isForced ? "w" : "wx" }),
    catch: (error) =>
      error instanceof Error && "code" in error && error.code === "EEXIST"
        ? problem(`There is a file ${file} already.`, "It was left as it is. Name another file, or add --force.")
        : problem(`Cannot write ${file}: ${lineOf(error)}`, "Name a file in a folder that can be written.")
  })
}

/** How many lines that could not be read are listed. */
const mostSkipped = 5

const summary = ({ leftOut, tools }: Inferred, skipped: ReadonlyArray<Skipped>): ReadonlyArray<string> => [
  `${tools.length} ${tools.length === 1 ? "tool has" : "tools have"} a proposal.`,
  ...(leftOut.length === 0 ? [] : [`${leftOut.length} ${leftOut.length === 1 ? "has" : "have"} none:`]),
  ...leftOut.map(({ reason, tool }) => `  ${shown(tool)}: ${reason}`),
  ...skipped.slice(0, mostSkipped).map(({ place, reason }) => `Skipped ${place.file}:${place.line}: ${reason}`),
  ...(skipped.length > mostSkipped ? [`… and ${skipped.length - mostSkipped} more lines.`] : [])
]

const asJson = (inferred: Inferred, skipped: ReadonlyArray<Skipped>): string =>
  JSON.stringify({
    tools: inferred.tools.map(({ shape, ...rest }) => ({
      ...rest,
      jsonSchema: JsonSchema.toDocumentDraft07(Schema.toJsonSchemaDocument(toSchema(shape))).schema,
      guesses: Guesses.guesses(shape)
    })),
    leftOut: inferred.leftOut,
    skipped,
    source: source(inferred)
  })

export const infer = Command.make(
  "infer",
  { files, format, tool, out, force, json, minSamples },
  Effect.fnUntraced(function* (given) {
    if (given.minSamples < 1) return yield* misuse("--min-samples is at least 1.", "Leave it out for 5.")
    const { recorded, skipped } = yield* readAll(given.files, Option.getOrUndefined(given.format))
    const inferred = propose(yield* chosen(recorded, given.tool), { minSamples: given.minSamples })
    if (Option.isSome(given.out) && inferred.tools.length > 0) {
      yield* save(given.out.value, source(inferred), given.force)
    }
    if (given.json) yield* Console.log(asJson(inferred, skipped))
    else {
      if (Option.isNone(given.out) && inferred.tools.length > 0) yield* Console.log(source(inferred).trimEnd())
      for (const line of summary(inferred, skipped)) yield* Console.error(line)
    }
    if (inferred.tools.length === 0) {
      return yield* problem("No tool has enough results.", "Give more files, or a lower --min-samples.")
    }
  })
).pipe(
  Command.withShortDescription("Propose what tools answer with, from recorded traffic"),
  Command.withDescription(`Writes a module of Effect Schemas, one for the results of each tool, ready to be the
  success of a guarded tool. Failures, results that were cut and what is no JSON are left out.

  A comment at each field says what was seen and what the guess rests on. Enums, formats, patterns
  of ids and integers are guessed only where the next sample hardly breaks them. Read it, loosen
  what you know better, and keep it.

  Exit codes: 0 a module is written; 1 no tool has enough results, or a file cannot be read or
  written; 2 the command was written wrongly.`),
  Command.withExamples([
    { command: "toolguard infer monday.jsonl.gz --out success.ts", description: "A module for all tools" },
    { command: "toolguard infer *.jsonl --tool search_orders", description: "One tool, to look at" },
    { command: "toolguard infer log.jsonl --json", description: "With JSON Schemas, and the chance of each guess" }
  ])
)
