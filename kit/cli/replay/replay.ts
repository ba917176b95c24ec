/** `toolguard replay`: reports what the guard would have done with recorded traffic. */
import * as PrivateFile from "effect-toolguard/internal/layers/stores/PrivateFile"
import * as RedactorMemory from "effect-toolguard/layers/RedactorMemory"
import { Redactor } from "effect-toolguard/services/Redactor"
import * as Contracts from "#kit/replay/Contracts"
import * as Replay from "#kit/replay/Replay"
import * as InferredContracts from "#kit/replay/InferredContracts"
import * as Comparison from "#kit/report/Comparison"
import * as Fold from "#kit/report/Fold"
import * as Page from "#kit/report/html/Page"
import * as Format from "#kit/traffic/Format"
import { type Item, skipped } from "#kit/traffic/Reader"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { availableParallelism } from "node:os"
import * as Json from "#kit/cli/console/Json"
import { json } from "#kit/cli/console/Flags"
import { lineOf, misuse, problem, Problem } from "#kit/cli/console/Problem"
import * as Advice from "./Advice.ts"
import * as ComparisonText from "./ComparisonText.ts"
import * as Condition from "./Condition.ts"
import * as OutputFiles from "./OutputFiles.ts"
import * as HeapGrowth from "./HeapGrowth.ts"
import * as ParallelReplay from "./ParallelReplay.ts"
import * as Proposals from "./Proposals.ts"
import * as Progress from "./Progress.ts"
import * as ReplayThread from "./ReplayThread.ts"
import * as Text from "./Text.ts"
import * as Versions from "./Versions.ts"
import * as Prices from "#kit/cli/console/Prices"
import * as Screen from "#kit/cli/console/Screen"
import * as Source from "#kit/cli/traffic/Source"
import * as Traffic from "#kit/cli/traffic/Traffic"

/** The argument that names the files of recorded traffic. */
export const files = Argument.String("files").pipe(
  Argument.withDescription("Files of recorded traffic, .jsonl or .jsonl.gz; - for standard input"),
  Argument.variadic({ min: 1 })
)

/** The flag that names a module of guarded tools. */
export const tools = Flag.String("tools").pipe(
  Flag.withMetavar("<module>"),
  Flag.withDescription("Module of guarded tools whose definitions replace those of the log"),
  Flag.optional
)

const against = Flag.String("against").pipe(
  Flag.withMetavar("<file>"),
  Flag.withDescription("Second version of the tools, a module or a JSON list: report the calls whose outcome differs"),
  Flag.optional
)

const infer = Flag.Boolean("infer").pipe(
  Flag.withDescription(
    `Infer schemas for tools that the log does not list, from at least ${InferredContracts.minCalls} calls whose arguments were accepted. Default: false`
  ),
  Flag.withDefault(false)
)

const html = Flag.String("html").pipe(
  Flag.withMetavar("<file>"),
  Flag.withDescription("Write the report as an HTML page to a file"),
  Flag.optional
)

const failIf = Flag.String("fail-if").pipe(
  Flag.withMetavar("<conditions>"),
  Flag.withDescription(`Fail if a condition holds, such as "suspects>0.1%,loops>=3"`),
  Flag.optional
)

const propose = Flag.String("propose").pipe(
  Flag.withMetavar("<file>"),
  Flag.withDescription("Write relaxed schemas of results to a new file: a module, or JSON Schemas for .json"),
  Flag.optional
)

const save = (file: string, text: string): Effect.Effect<void, Problem> =>
  Effect.try({
    try: () => PrivateFile.write(file, text),
    catch: (error) => OutputFiles.cannotWrite(file, error)
  })

const jobs = Flag.Int("jobs").pipe(
  Flag.withMetavar("<number>"),
  Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 256 }))),
  Flag.withDescription("Maximum number of threads, for logs of more than 8 MB. Default: the number of cores"),
  Flag.optional
)

interface Options extends Source.Options {
  readonly files: ReadonlyArray<string>
  readonly tools: Option.Option<string>
  readonly against: Option.Option<string>
  readonly advise: ReadonlyArray<string>
  readonly infer: boolean
  readonly jobs: Option.Option<number>
}

/** Reads the files once to infer the schemas of tools that the files do not list. */
const inferred = (options: Options): Effect.Effect<Replay.ReplayOptions["inferred"], Problem> =>
  Effect.gen(function* () {
    if (options.files.includes("-")) {
      return yield* misuse(
        "--infer reads the files twice, but standard input can be read only once.",
        "Pass files instead of -."
      )
    }
    const unlisted = InferredContracts.make()
    yield* Stream.runForEach(Traffic.stream(options.files, yield* Source.read(options)), (batch) =>
      Effect.sync(() => batch.items.forEach((item) => item._tag === "Conversation" && unlisted.add(item)))
    )
    return unlisted.schemas()
  })

const tooManyTools = `This conversation is left out: the log has more than ${Contracts.maxTools} different tools.`

/** The folds of a replay. */
interface Folds {
  readonly fold: Fold.Fold
  /** `undefined` if the replay compares no versions. */
  readonly comparison: Comparison.Comparison | undefined
  /** True for tools whose module was given. */
  readonly isOwn: (tool: string) => boolean
}

/** Waits for a promise. An error that is not a `Problem` has the text that the command prints for unexpected errors. */
const waitFor = (start: () => Promise<void>): Effect.Effect<void, Problem> =>
  Effect.tryPromise({
    try: start,
    catch: (error) =>
      error instanceof Problem ? error : problem(`Unexpected error: ${lineOf(error)}`, "Please report it.")
  })

/** Returns a fold that also replays each conversation under the second version, and compares the calls. */
const comparing = (
  fold: Fold.Fold,
  other: Replay.Replay,
  compared: ReturnType<typeof Comparison.make>,
  names: ReadonlySet<string> | undefined
): Fold.Fold => ({
  ...fold,
  add: (conversation, replayed) => {
    fold.add(conversation, replayed)
    compared.add(conversation, replayed, other.play(conversation))
    // the tools of the log have the same constraints in both replays
    for (const tool of other.unchecked()) if (names?.has(tool.tool) === true) fold.unchecked(tool)
  }
})

/** Reads and replays the files, under one or two versions of the tools. */
const foldOf = (options: Options, prices: Fold.FoldOptions["prices"]): Effect.Effect<Folds, Problem> =>
  Effect.gen(function* () {
    const redactor = yield* Redactor
    const source = yield* Source.read(options)
    const { first, second } = yield* Versions.read(options)
    const schemas = options.infer ? yield* inferred(options) : undefined
    const advise = yield* Advice.read(options.advise)
    const replaySource: ReplayThread.ReplaySource = {
      advise,
      ...(first?.options.tools !== undefined && Option.isSome(options.tools) ? { tools: options.tools.value } : {}),
      ...(first?.options.listed === undefined ? {} : { listed: first.options.listed }),
      ...(schemas === undefined ? {} : { inferred: schemas })
    }
    const replay = yield* Replay.make(ReplayThread.optionsOf(replaySource, first?.options.tools))
    const other =
      second === undefined
        ? undefined
        : yield* Replay.make({
            advise,
            ...(schemas === undefined ? {} : { inferred: schemas }),
            ...second.options
          })
    const compared = second === undefined ? undefined : Comparison.make(second, redactor.text)
    const fold = Fold.make({ redact: redactor.text, prices })
    const progress = Progress.make()
    HeapGrowth.limit()
    const parallel = yield* Effect.acquireRelease(
      Effect.sync(() =>
        ParallelReplay.make({
          jobs: Option.getOrElse(options.jobs, availableParallelism),
          replay,
          fold: other === undefined || compared === undefined ? fold : comparing(fold, other, compared, second?.names),
          start: (fail) => ReplayThread.start(replaySource, fail)
        })
      ),
      ({ end }) => Effect.promise(end)
    )
    const advised = Advice.occurrences(advise, [...(first?.names ?? []), ...(second?.names ?? [])])
    const admitted = (item: Item): Item => {
      if (item._tag === "Skipped") return item
      advised.add(item)
      return replay.admits(item) ? item : skipped(item.place, tooManyTools)
    }
    yield* Stream.runForEach(Traffic.stream(options.files, source), (batch) =>
      Effect.map(
        waitFor(() => parallel.add(batch.items.map(admitted))),
        () => progress.at(batch.bytes, batch.total, parallel.calls())
      )
    ).pipe(
      // what was read before a problem of the log is replayed first, and may have a problem itself
      Effect.tapError(() => waitFor(parallel.finish)),
      Effect.andThen(waitFor(parallel.finish)),
      Effect.ensuring(Effect.sync(progress.end))
    )
    yield* advised.check
    const comparison = compared?.comparison()
    if (comparison?.calls === 0) return yield* Versions.withoutCalls(comparison)
    return { fold, comparison, isOwn: (tool: string) => first?.options.tools?.has(tool) === true }
  }).pipe(Effect.scoped, Effect.provide(RedactorMemory.layer))

export const replay = Command.make(
  "replay",
  {
    ...Source.flags,
    tools,
    against,
    infer,
    advise: Advice.flag,
    ...Prices.flags,
    jobs,
    json,
    html,
    propose,
    failIf,
    files
  },
  Effect.fnUntraced(function* (options) {
    const conditions = Option.isSome(options.failIf)
      ? yield* Condition.read(options.failIf.value, Option.isSome(options.against))
      : []
    const proposed = Option.getOrUndefined(options.propose)
    yield* OutputFiles.check(Option.getOrUndefined(options.html), proposed)
    const { comparison, fold, isOwn } = yield* foldOf(options, yield* Prices.read(options))
    const report = { ...fold.report(), ...(comparison === undefined ? {} : { comparison }) }
    if (Option.isSome(options.html)) yield* save(options.html.value, Page.page(report))
    if (options.json) yield* Console.log(Json.text(report))
    else {
      const screen = yield* Screen.make(false)
      ComparisonText.write(screen, report)
      Text.write(screen, report, { commandWith: (tools) => Advice.commandWith(process.argv.slice(2), tools), isOwn })
    }
    if (proposed !== undefined) yield* Proposals.write(proposed, report, fold.rejectedTools())
    for (const { holds, text } of conditions) {
      const found = holds(report)
      if (found !== undefined) return yield* problem(`The condition ${text} holds: ${found}.`, "See the report.")
    }
  })
).pipe(
  Command.withShortDescription("Report what the guard would have done with recorded traffic"),
  Command.withDescription(`Reads recorded conversations as a stream, and runs every call through the guard, with tools that
  answer from the log. No tool is called, and nothing is sent. The same files give the same report,
  byte for byte.

  Formats: ${Format.names.slice(0, 7).join(", ")},
  ${Format.names.slice(7).join(", ")};
  detected per file. --map FILE reads JSON lines of any other form by paths. Lines that cannot be
  read are listed with their numbers. Schemas come from the log, or from a module of guarded tools,
  or from a JSON list of tools in the format of OpenAI, Anthropic or MCP.

  A suspect is a call that the guard would have stopped although the log has a new, successful
  answer for it. Conditions of --fail-if count ${Condition.names.slice(0, 5).join(", ")},
  ${Condition.names.slice(5).join(", ")}; with %, as a share of all calls.

  --against FILE plays the log under a second version of the tools too, and reports the calls whose
  outcome differs, by cause: changed, and broken if they succeed only with the first version, which
  is the log's own tools without --tools.

  --propose FILE writes the result schemas that the log violates, relaxed as the report suggests, as
  Effect Schemas to paste. It writes nothing if no change is suggested, and never overwrites a file.
  --html replaces an existing file only if it is an HTML page or empty.

  Exit codes: 0 the report was written; 1 a condition of --fail-if holds, no conversation was read,
  no call was read although the model wrote calls as text, a file cannot be read or written, or
  --propose has no results to check; 2 the command line is invalid.`),
  Command.withExamples([
    { command: "toolguard replay monday.jsonl.gz", description: "Print what the guard would have done" },
    { command: "toolguard replay *.jsonl --html report.html", description: "Write the same as a page" },
    {
      command: "toolguard replay log.jsonl --tools ./tools.ts --propose relaxed.ts",
      description: "Write schemas of results, relaxed as the report suggests"
    },
    {
      command: 'toolguard replay log.jsonl --tools ./tools.ts --against ./next.ts --fail-if "changed>0.5%"',
      description: "Fail in CI if the next version changes too many outcomes"
    },
    {
      command: 'toolguard replay log.jsonl --tools ./tools.ts --fail-if "suspects>0.1%"',
      description: "Fail in CI if there are too many suspects"
    }
  ])
)
