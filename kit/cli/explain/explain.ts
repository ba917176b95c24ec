/** `toolguard explain`: why a call went as it did, and what would have let it pass. */
import type { CallRecord } from "effect-toolguard/internal/domain/call/CallRecord"
import * as CallLogSql from "effect-toolguard/layers/CallLogSql"
import * as RedactorMemory from "effect-toolguard/layers/RedactorMemory"
import { CallLog } from "effect-toolguard/services/CallLog"
import { Redactor } from "effect-toolguard/services/Redactor"
import { type Earlier, explain as explained, type Explanation } from "#kit/explain/Explain"
import * as Replay from "#kit/replay/Replay"
import type { ReplayedCall } from "#kit/replay/ReplayedCall"
import type { Conversation } from "#kit/traffic/Conversation"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { open } from "#kit/cli/console/Database"
import * as Text from "./Text.ts"
import { database, json } from "#kit/cli/console/Flags"
import * as LoadTools from "#kit/cli/console/LoadTools"
import { misuse, Problem, problem } from "#kit/cli/console/Problem"
import { advise, format, tools } from "#kit/cli/replay/replay"
import * as Screen from "#kit/cli/console/Screen"
import { refusal } from "#kit/cli/traffic/Refusal"
import * as Traffic from "#kit/cli/traffic/Traffic"

const howTo = "Name a recorded call as FILE:LINE#CALL or FILE#CALL, or a live one by its trace id and --database."

const call = Argument.String("call").pipe(
  Argument.withDescription("FILE:LINE#CALL or FILE#CALL of recorded traffic, or the trace id of a live call")
)

/** `log.jsonl:3#7`: the seventh call of the conversation of line 3. Without a line: the seventh of the file. */
const place = /^(?<file>.+?)(?::(?<line>\d+))?#(?<call>\d+)$/s

interface Found {
  readonly conversation: Conversation
  readonly call: ReplayedCall
  readonly all: ReadonlyArray<ReplayedCall>
}

interface Wanted {
  readonly file: string
  /** Absent: the calls of the whole file are counted. */
  readonly line: number | undefined
  readonly call: number
}

/** Reads and replays up to the call; `undefined` where there is none. */
const find = async (
  replay: Replay.Replay,
  { call, file, line }: Wanted,
  options: Traffic.Options
): Promise<Found | undefined> => {
  let before = 0
  for await (const { items } of Traffic.read([file], options)) {
    for (const item of items) {
      if (item._tag === "Skipped" || (line !== undefined && item.place.line !== line)) continue
      const { calls } = replay.play(item)
      const found = calls.find(({ number }) => number + (line === undefined ? before : 0) === call)
      if (found !== undefined) return { conversation: item, call: found, all: calls }
      before += calls.length
    }
  }
  return undefined
}

const longest = 600

const ofLog = (name: string, { call, all }: Found, redact: (text: string) => string): Explanation => {
  const text = (args: unknown) => (typeof args === "string" ? args : (JSON.stringify(args) ?? ""))
  const earlier = all.filter(({ key, number, turn }) => number < call.number && turn === call.turn && key === call.key)
  return explained(call.record, {
    name,
    arguments: redact(text(call.arguments)).slice(0, longest),
    issues: call.issues,
    earlier: earlier.map(({ judged, number, tally }): Earlier => {
      const was = judged?._tag === "Failure" ? `${judged.class} ${judged.code}` : (judged?._tag ?? "no answer")
      return { call: `#${number}`, outcome: tally.saving === undefined ? was : `${was}, not made by the guard` }
    }),
    ...(call.answer === undefined ? {} : { answer: redact(call.answer.text.slice(0, 4 * longest)).slice(0, longest) }),
    isSuspect: call.isSuspect
  })
}

/** Explains a live call by its record and those of its turn. */
const ofRecords = (trace: string, records: ReadonlyArray<CallRecord>): Explanation | undefined => {
  const index = records.findIndex(({ traceId }) => traceId === trace)
  const record = records[index]
  if (record === undefined) return undefined
  const earlier = records
    .slice(0, index)
    .filter(
      ({ conversation, keyDigest, turn }) =>
        conversation === record.conversation && turn === record.turn && keyDigest === record.keyDigest
    )
  return explained(record, {
    name: trace,
    arguments: (record.argumentsText ?? JSON.stringify(record.arguments) ?? "(not kept)").slice(0, longest),
    issues: [],
    earlier: earlier.map(({ outcome, traceId }) => ({
      call: traceId,
      outcome: outcome._tag === "Success" ? "Success" : `${outcome.failure._tag} ${outcome.failure.code}`
    })),
    isSuspect: false
  })
}

/** Most records that are searched for a trace. */
const mostRecords = 100_000

const store = {
  service: CallLog,
  layer: CallLogSql.layerWith({ limit: mostRecords }),
  table: "toolguard_calls",
  what: "call records"
} as const

const ofTrace = (trace: string, given: Option.Option<string>): Effect.Effect<Explanation, Problem> =>
  Effect.flatMap(CallLog, ({ records }) => records).pipe(
    Effect.provide(open(store, given)),
    Effect.mapError((error) =>
      error._tag === "CallLogUnavailable"
        ? problem("The database stopped answering.", "Look after it, and try again.")
        : error
    ),
    Effect.flatMap((records) => {
      const found = ofRecords(trace, records)
      return found === undefined
        ? Effect.fail(
            problem(
              `No record has the trace id ${trace}.`,
              `Records are kept for thirty days, the latest ${mostRecords} are searched. ${howTo}`
            )
          )
        : Effect.succeed(found)
    })
  )

export const explain = Command.make(
  "explain",
  { call, format, tools, advise, database, json },
  Effect.fnUntraced(function* (given) {
    const explanation = yield* explanationOf(given)
    if (given.json) return yield* Console.log(JSON.stringify(explanation))
    Text.write(yield* Screen.make(false), explanation)
  })
).pipe(
  Command.withShortDescription("Say why a call went as it did, and what would have let it pass"),
  Command.withDescription(`Says why a call was made, refused, recalled or stopped: who decided, what the guard knew, and what
  would have let the call pass.

  A recorded call is named by its place, as toolguard replay prints it; it is replayed with the
  conversation before it. A live call is named by the trace id in its envelope, its span and its
  log lines, and is looked up in the database of the guard's stores.

  Exit codes: 0 explained; 1 there is no such call; 2 the command was written wrongly.`),
  Command.withExamples([
    { command: "toolguard explain monday.jsonl.gz:12#7", description: "The seventh call of line 12" },
    { command: "toolguard explain tr_5e1c09a2_17 --database stores.db", description: "A live call" }
  ])
)

const explanationOf = (given: {
  readonly call: string
  readonly format: Option.Option<NonNullable<Traffic.Options["format"]>>
  readonly tools: Option.Option<string>
  readonly advise: boolean
  readonly database: Option.Option<string>
}): Effect.Effect<Explanation, Problem> =>
  Effect.gen(function* () {
    const { call = "", file, line } = place.exec(given.call)?.groups ?? {}
    if (file === undefined) {
      return /^tr_\w+$/.test(given.call)
        ? yield* ofTrace(given.call, given.database)
        : yield* misuse(`"${given.call}" names no call.`, howTo)
    }
    const { text } = yield* Redactor
    const loaded = Option.isSome(given.tools) ? yield* LoadTools.load(given.tools.value) : undefined
    const replay = yield* Replay.make({
      enforce: given.advise ? "advise" : "enforce",
      ...(loaded === undefined ? {} : { tools: loaded })
    })
    const wanted = { file, line: line === undefined ? undefined : Number(line), call: Number(call) }
    const found = yield* Effect.tryPromise({
      try: () => find(replay, wanted, { format: Option.getOrUndefined(given.format) }),
      catch: (error) => (error instanceof Problem ? error : refusal(file, error))
    })
    if (found === undefined) {
      const where = line === undefined ? file : `line ${line} of ${file}`
      return yield* problem(`There is no call ${call} in ${where}.`, "See toolguard replay for what is there.")
    }
    return ofLog(given.call, found, text)
  }).pipe(Effect.scoped, Effect.provide(RedactorMemory.layer))
