/** `toolguard infer`: proposes schemas for the results of tools, as Effect Schema source, from recorded traffic. */
import { print } from "effect-toolguard/internal/domain/schema/ContractPrint"
import * as FieldPath from "effect-toolguard/internal/domain/text/FieldPath"
import { nearest } from "effect-toolguard/internal/domain/text/NearestName"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import * as PrivateFile from "effect-toolguard/internal/layers/stores/PrivateFile"
import * as Guesses from "#kit/infer/Guesses"
import { defaultMinSamples, infer as propose, type InferredResults } from "#kit/infer/infer"
import { Recorder, type RecordedResults } from "#kit/infer/RecordedResults"
import { source } from "#kit/infer/Source"
import { toSchema } from "#kit/infer/toSchema"
import type { Skipped } from "#kit/traffic/Conversation"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { existsSync } from "node:fs"
import { dirname } from "node:path"
import * as Json from "#kit/cli/console/Json"
import { json } from "#kit/cli/console/Flags"
import { lineOf, misuse, type Problem, problem } from "#kit/cli/console/Problem"
import * as Progress from "#kit/cli/replay/Progress"
import { files } from "#kit/cli/replay/replay"
import * as Source from "#kit/cli/traffic/Source"
import * as Traffic from "#kit/cli/traffic/Traffic"

const tool = Flag.String("tool").pipe(
  Flag.withMetavar("<name>"),
  Flag.withDescription("Only this tool; repeatable. Default: all tools"),
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
  Flag.withDescription(`Smallest number of usable results for a proposal. Default: ${defaultMinSamples}`),
  Flag.withDefault(defaultMinSamples)
)

interface RecordedTraffic {
  readonly recorded: ReadonlyArray<RecordedResults>
  readonly skipped: ReadonlyArray<Skipped>
}

/** Reads the results of all files. */
const readAll = (files: ReadonlyArray<string>, source: Traffic.Options): Effect.Effect<RecordedTraffic, Problem> =>
  Effect.suspend(() => {
    const recorder = new Recorder()
    const skipped: Array<Skipped> = []
    const progress = Progress.make()
    return Stream.runForEach(Traffic.stream(files, source), ({ bytes, items, total }) =>
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

/** Selects the results of the named tools, or all results if no tool is named. */
const selected = (
  recorded: ReadonlyArray<RecordedResults>,
  names: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<RecordedResults>, Problem> => {
  const known = recorded.map(({ tool }) => tool)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) {
    return Effect.succeed(names.length === 0 ? recorded : recorded.filter(({ tool }) => names.includes(tool)))
  }
  const similar = nearest(unknown, known, 3).map(shown)
  return Effect.fail(
    misuse(
      `The log has no results of a tool named ${FieldPath.name(unknown)}.`,
      similar.length === 0 ? "List its tools with toolguard replay FILES." : `Nearest: ${similar.join(", ")}.`
    )
  )
}

/** Writes the module. Overwrites an existing file only with --force. */
const save = (file: string, text: string, isForced: boolean): Effect.Effect<void, Problem> => {
  if (!existsSync(dirname(file))) {
    return Effect.fail(problem(`The folder of ${file} does not exist.`, "Create it, or choose another file."))
  }
  return Effect.try({
    try: () => PrivateFile.write(file, text, { isNew: !isForced }),
    catch: (error) =>
      error instanceof Error && "code" in error && error.code === "EEXIST"
        ? problem(`The file ${file} already exists.`, "It was not changed. Choose another file, or add --force.")
        : problem(`Cannot write ${file}: ${lineOf(error)}`, "Choose a file in a writable folder.")
  })
}

/** The maximum number of unreadable lines that are listed. */
const maxSkipped = 5

const summary = ({ leftOut, tools }: InferredResults, skipped: ReadonlyArray<Skipped>): ReadonlyArray<string> => [
  `${tools.length} ${tools.length === 1 ? "tool has" : "tools have"} a proposal.`,
  ...(leftOut.length === 0 ? [] : [`${leftOut.length} ${leftOut.length === 1 ? "has" : "have"} none:`]),
  ...leftOut.map(({ reason, tool }) => `  ${shown(tool)}: ${reason}`),
  ...skipped.slice(0, maxSkipped).map(({ place, reason }) => `Skipped ${place.file}:${place.line}: ${reason}`),
  ...(skipped.length > maxSkipped ? [`… and ${skipped.length - maxSkipped} more lines.`] : [])
]

const asJson = (inferred: InferredResults, skipped: ReadonlyArray<Skipped>): string =>
  Json.text({
    tools: inferred.tools.map(({ shape, ...rest }) => ({
      ...rest,
      jsonSchema: print(toSchema(shape).ast, "ignore").jsonSchema,
      guesses: Guesses.guesses(shape)
    })),
    leftOut: inferred.leftOut,
    skipped,
    source: source(inferred)
  })

export const infer = Command.make(
  "infer",
  { files, ...Source.flags, tool, out, force, json, minSamples },
  Effect.fnUntraced(function* (options) {
    if (options.minSamples < 1)
      return yield* misuse("--min-samples must be at least 1.", `Without it, ${defaultMinSamples} results are needed.`)
    const { recorded, skipped } = yield* readAll(options.files, yield* Source.read(options))
    const inferred = propose(yield* selected(recorded, options.tool), { minSamples: options.minSamples })
    if (Option.isSome(options.out) && inferred.tools.length > 0) {
      yield* save(options.out.value, source(inferred), options.force)
    }
    if (options.json) yield* Console.log(asJson(inferred, skipped))
    else {
      if (Option.isNone(options.out) && inferred.tools.length > 0) yield* Console.log(source(inferred).trimEnd())
      for (const line of summary(inferred, skipped)) yield* Console.error(line)
    }
    if (inferred.tools.length === 0) {
      return yield* problem("No tool has enough results.", "Add files, or lower --min-samples.")
    }
  })
).pipe(
  Command.withShortDescription("Propose schemas for the results of tools, from recorded traffic"),
  Command.withDescription(`Writes a module with one Effect Schema for the results of each tool, usable as the success schema
  of a guarded tool. Failures, truncated results, and texts of a tool that otherwise returns JSON
  are left out.

  A comment on each field gives the samples behind it. Enums, formats, id patterns and integers are
  proposed only if a further sample is unlikely to violate them. Review the module, and widen
  the schemas that you know to be too narrow.

  Exit codes: 0 a module was written; 1 no tool has enough results, or a file cannot be read or
  written; 2 the command line is invalid.`),
  Command.withExamples([
    { command: "toolguard infer monday.jsonl.gz --out success.ts", description: "Write a module for all tools" },
    { command: "toolguard infer *.jsonl --tool search_orders", description: "Print the schema of one tool" },
    { command: "toolguard infer log.jsonl --json", description: "Print JSON Schemas and the certainty of each guess" }
  ])
)
