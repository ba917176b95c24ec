/** `toolguard explain`: explains the outcome of a call, and the condition under which it would have passed. */
import * as CallLogSql from "effect-toolguard/layers/CallLogSql"
import * as RedactorMemory from "effect-toolguard/layers/RedactorMemory"
import { CallLog } from "effect-toolguard/services/CallLog"
import { Redactor } from "effect-toolguard/services/Redactor"
import { type Earlier, explain as explanationOf, type Explanation } from "#kit/explain/Explain"
import * as TracedCall from "#kit/explain/TracedCall"
import * as Replay from "#kit/replay/Replay"
import type { PlayedCall } from "#kit/replay/ReplayedCall"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Json from "#kit/cli/console/Json"
import { failed, open } from "#kit/cli/console/Database"
import * as Text from "./Text.ts"
import { database, json } from "#kit/cli/console/Flags"
import * as LoadTools from "#kit/cli/console/LoadTools"
import { misuse, type Problem, problem } from "#kit/cli/console/Problem"
import { tools } from "#kit/cli/replay/replay"
import * as Advice from "#kit/cli/replay/Advice"
import * as Screen from "#kit/cli/console/Screen"
import * as Source from "#kit/cli/traffic/Source"
import * as Traffic from "#kit/cli/traffic/Traffic"

const howTo = "Name a recorded call as FILE:LINE#CALL or FILE#CALL, or a live call by its trace id and --database."

const call = Argument.String("call").pipe(
  Argument.withDescription("FILE:LINE#CALL or FILE#CALL of recorded traffic, or the trace id of a live call")
)

/** `log.jsonl:3#7` is the seventh call of the conversation in line 3, `log.jsonl#7` the seventh call of the file. */
const callPlace = /^(?<file>.+?)(?::(?<line>\d+))?#(?<call>\d+)$/s

/** A call with the calls of its conversation. */
interface FoundCall {
  readonly call: PlayedCall
  readonly all: ReadonlyArray<PlayedCall>
}

/** The place of a recorded call. */
interface CallPlace {
  readonly file: string
  /** The line; if undefined, `call` counts the calls of the whole file. */
  readonly line: number | undefined
  /** The number of the call, from 1. */
  readonly call: number
}

/**
 * Replays the conversations up to the call. Returns `undefined` if there is no such call. Reads on until every advised
 * tool has occurred, because the log may have a tool only after the call.
 */
const find = (
  replay: Replay.Replay,
  { call, file, line }: CallPlace,
  options: Traffic.Options,
  advised: Advice.Occurrences
): Effect.Effect<FoundCall | undefined, Problem> =>
  Effect.suspend(() => {
    let before = 0
    let found: FoundCall | undefined
    const findIn = ({ items }: Traffic.Batch): void => {
      for (const item of items) {
        if (item._tag === "Skipped") continue
        advised.add(item)
        if (found !== undefined || (line !== undefined && item.place.line !== line)) continue
        const { calls } = replay.play(item)
        const one = calls.find(({ number }) => number + (line === undefined ? before : 0) === call)
        if (one !== undefined) found = { call: one, all: calls }
        before += calls.length
      }
    }
    return Traffic.stream([file], options).pipe(
      Stream.map(findIn),
      Stream.takeUntil(() => found !== undefined && advised.isComplete()),
      Stream.runDrain,
      Effect.map(() => found)
    )
  })

/** The maximum number of characters of arguments, and of an answer. */
const maxLength = 600

/** Explains a recorded call by its replay. */
const ofLog = (name: string, { call, all }: FoundCall, redact: (text: string) => string): Explanation => {
  const text = (args: unknown) => (typeof args === "string" ? args : (JSON.stringify(args) ?? ""))
  const earlier = all.filter(({ key, number, turn }) => number < call.number && turn === call.turn && key === call.key)
  return explanationOf(call.record, {
    name,
    arguments: redact(text(call.arguments)).slice(0, maxLength),
    issues: call.issues,
    earlier: earlier.map(({ loggedEnd, number, tally }): Earlier => {
      const outcome =
        loggedEnd?._tag === "Refused"
          ? `refused ${loggedEnd.code}`
          : loggedEnd?._tag === "Failure"
            ? `${loggedEnd.class} ${loggedEnd.code}`
            : (loggedEnd?._tag ?? "no answer")
      return {
        call: `#${number}`,
        outcome: tally.saving === undefined ? outcome : `${outcome}, not repeated by the guard`
      }
    }),
    ...(call.answer === undefined
      ? {}
      : { answer: redact(call.answer.text.slice(0, 4 * maxLength)).slice(0, maxLength) }),
    isSuspect: call.contradiction !== undefined
  })
}

/** The maximum number of records to search for a trace. */
const maxRecords = 100_000

const store = {
  service: CallLog,
  layer: CallLogSql.layerWith({ limit: maxRecords }),
  table: "toolguard_calls",
  contents: "call records"
} as const

/** Explains the live call of a trace. */
const ofTrace = (trace: string, database: Option.Option<string>): Effect.Effect<Explanation, Problem> =>
  Effect.flatMap(CallLog, ({ records }) => records).pipe(
    Effect.provide(open(store, database)),
    Effect.mapError((error) =>
      error._tag === "CallLogUnavailable" ? failed(error, "Check the database and try again.") : error
    ),
    Effect.flatMap((records) => {
      const found = TracedCall.explain(trace, records)
      return found === undefined
        ? Effect.fail(
            problem(
              `No record has the trace id ${trace}.`,
              `Records are kept for 30 days by default, and the latest ${maxRecords} are searched. ${howTo}`
            )
          )
        : Effect.succeed(found)
    })
  )

export const explain = Command.make(
  "explain",
  { ...Source.flags, tools, advise: Advice.flag, database, json, call },
  Effect.fnUntraced(function* (options) {
    const explanation = yield* explainCall(options)
    if (options.json) return yield* Console.log(Json.text(explanation))
    Text.write(yield* Screen.make(false), explanation)
  })
).pipe(
  Command.withShortDescription("Explain the outcome of a call, and what would have let it pass"),
  Command.withDescription(`Explains why a call was made, refused, recalled or stopped: which stage decided, for what reason,
  and what would have let the call pass.

  To explain a recorded call, pass its place as toolguard replay prints it. The call is replayed
  with the conversation before it. To explain a live call, pass its trace id, which is in its
  envelope, its span and its log lines. The call is looked up in the database of the guard's stores.

  Exit codes: 0 explained; 1 no such call, or another problem; 2 invalid command line.`),
  Command.withExamples([
    { command: "toolguard explain monday.jsonl.gz:12#7", description: "Explain the seventh call of line 12" },
    { command: "toolguard explain tr_5e1c09a2_17 --database stores.db", description: "Explain a live call" }
  ])
)

/** The options of the command. */
interface Options extends Source.Options {
  readonly call: string
  readonly tools: Option.Option<string>
  readonly advise: ReadonlyArray<string>
  readonly database: Option.Option<string>
}

/** Refuses flags that would change nothing: those of a replay for a live call, and the database for a recorded one. */
const refuseUnused = ({ advise, call, database, tools }: Options, isLive: boolean): Effect.Effect<void, Problem> => {
  const replayed = Option.isSome(tools) ? "--tools" : advise.length > 0 ? "--advise" : undefined
  const unused = isLive ? replayed : Option.isSome(database) ? "--database" : undefined
  const [applies, names] = isLive ? ["recorded traffic", "a live call"] : ["live calls", "a recorded call"]
  return unused === undefined
    ? Effect.void
    : misuse(`${unused} applies only to ${applies}, and "${call}" names ${names}.`, `Remove ${unused}.`)
}

/** Explains the call that the arguments name. */
const explainCall = (options: Options): Effect.Effect<Explanation, Problem> =>
  Effect.gen(function* () {
    const { call = "", file, line } = callPlace.exec(options.call)?.groups ?? {}
    const isLive = /^tr_\w+$/.test(options.call)
    if (file === undefined && !isLive) return yield* misuse(`"${options.call}" does not name a call.`, howTo)
    yield* refuseUnused(options, isLive)
    if (file === undefined) return yield* ofTrace(options.call, options.database)
    const { text } = yield* Redactor
    const loaded = Option.isSome(options.tools) ? yield* LoadTools.load(options.tools.value, "--tools") : undefined
    const advise = yield* Advice.read(options.advise)
    const replay = yield* Replay.make({ advise, ...(loaded === undefined ? {} : { tools: loaded }) })
    const place = { file, line: line === undefined ? undefined : Number(line), call: Number(call) }
    const advised = Advice.occurrences(advise, loaded?.keys() ?? [])
    const found = yield* find(replay, place, yield* Source.read(options), advised)
    if (found === undefined) {
      const where = line === undefined ? file : `line ${line} of ${file}`
      return yield* problem(
        `There is no call ${call} in ${where}.`,
        "Run toolguard replay to see what the file contains."
      )
    }
    yield* advised.check
    return ofLog(options.call, found, text)
  }).pipe(Effect.scoped, Effect.provide(RedactorMemory.layer))
