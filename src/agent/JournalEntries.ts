/** The rows of a run's journal as steps: how they are encoded, decoded, and read together [12.1, 12.2]. */
import { PersonAnswer } from "#domain/approval/PersonAnswer"
import type { JournalledCall } from "#domain/journal/JournalledCall"
import * as JournalRows from "#domain/journal/JournalRows"
import * as JsonPrompt from "#domain/transcript/JsonPrompt"
import { Turn } from "#domain/turn/Turn"
import { CheckpointRefused, type OpenRun } from "#services/Checkpoints"
import * as AiError from "effect/ai/AiError"
import * as Prompt from "effect/ai/Prompt"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Reply } from "./Steps.ts"

/** The first row of a run. Renaming the stored kind `begun` would need a migration. */
const Start = Schema.Struct({ kind: Schema.Literal("begun"), turn: Turn, prompt: Prompt.Prompt })
type Start = typeof Start.Type

/** The first row of a run, decoded and as written. */
export interface FirstRow {
  readonly value: Start
  readonly body: string
}

const Entry = Schema.fromJsonString(
  Schema.toCodecJson(
    Schema.Union([
      Start,
      Schema.Struct({
        kind: Schema.Literal("reply"),
        round: Schema.Int,
        reply: Reply,
        contracts: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
      }),
      Schema.Struct({ kind: Schema.Literal("call"), callId: Schema.String, call: Schema.Json }),
      Schema.Struct({ kind: Schema.Literal("kept"), callId: Schema.String, url: Schema.String }),
      Schema.Struct({
        kind: Schema.Literal("agreed"),
        question: Schema.String,
        answer: Schema.optionalKey(PersonAnswer)
      }),
      Schema.Struct({ kind: Schema.Literal("ended"), round: Schema.Int, end: Schema.String })
    ])
  )
)
/** One step of a run. */
export type Entry = typeof Entry.Type

const decode = Schema.decodeUnknownResult(Entry)
/** Encodes a step as the body of a row. */
export const encode = Schema.encodeSync(Entry)
const encodeResult = Schema.encodeResult(Entry)

/** The steps in the rows of a run. */
export interface StoredSteps {
  readonly firstRow: FirstRow | undefined
  readonly replies: ReadonlyMap<number, Reply>
  /** The contract under which each write was called, by round and tool name. */
  readonly contracts: ReadonlyMap<number, Readonly<Record<string, string>>>
  /** The completed calls, in the order of their rows. */
  readonly calls: ReadonlyMap<string, JournalledCall>
  /** The addresses of the whole results that compaction shortened, by call id. */
  readonly kept: ReadonlyMap<string, string>
  /** The questions on which a person let the run continue, with the person's words, if any. */
  readonly agreed: ReadonlyMap<string, PersonAnswer | undefined>
  /** The rounds after which the run ended before it was resumed, and how it ended. */
  readonly ended: ReadonlyMap<number, string>
  /** The latest round with a reply; 0 if no round has one. */
  readonly lastRound: number
}

/** Reads the steps of a run from its rows, or returns why the run cannot be resumed. */
export const read = (run: string, open: OpenRun, sha256: JournalRows.Sha256): StoredSteps | CheckpointRefused => {
  const refused = (reason: CheckpointRefused["reason"], detail: string) =>
    new CheckpointRefused({ run, reason, detail })
  if (open.format !== JournalRows.format) {
    return refused(
      open.format < JournalRows.format ? "older_format" : "newer_format",
      `The run has format ${open.format}, and this version reads format ${JournalRows.format}. Finish the run with the version that started it.`
    )
  }
  const fault = JournalRows.fault(sha256, open.rows, { count: open.written, sum: open.lastSum })
  if (fault !== undefined)
    return refused("damaged", `${fault} The run was left unchanged; restore a copy, or remove the run.`)
  let firstRow: FirstRow | undefined
  const replies = new Map<number, Reply>()
  const contracts = new Map<number, Readonly<Record<string, string>>>()
  const calls = new Map<string, JournalledCall>()
  const kept = new Map<string, string>()
  const agreed = new Map<string, PersonAnswer | undefined>()
  const ended = new Map<number, string>()
  let lastRound = 0
  for (const { body, seq } of open.rows) {
    const entry = decode(body)
    if (entry._tag === "Failure")
      return refused("damaged", `Row ${seq} is not a step of a run: ${entry.failure.message}`)
    const step = entry.success
    if (step.kind === "begun") firstRow = { value: step, body }
    else if (step.kind === "reply") {
      replies.set(step.round, step.reply)
      contracts.set(step.round, step.contracts ?? {})
      lastRound = Math.max(lastRound, step.round)
    } else if (step.kind === "kept") kept.set(step.callId, step.url)
    else if (step.kind === "agreed") agreed.set(step.question, step.answer)
    else if (step.kind === "ended") ended.set(step.round, step.end)
    else {
      // a call that was made again after it was settled has the position of its latest row
      calls.delete(step.callId)
      calls.set(step.callId, step.call as unknown as JournalledCall) // the checksum shows that the row is unchanged
    }
  }
  return { firstRow, replies, contracts, calls, kept, agreed, ended, lastRound }
}

/** Returns the turn in the first row of a journal; undefined if the row is missing or damaged. */
export const turnOf = (rows: OpenRun["rows"]): Turn | undefined => {
  const entry = Result.map(decode(rows[0]?.body), (step) => (step.kind === "begun" ? step.turn : undefined))
  return Result.getOrUndefined(entry)
}

/** Encodes the entry of a value. A value that JSON cannot represent is first converted by `plain`. */
export const writable = <A>(value: A, entryOf: (value: A) => Entry, plain: (value: A) => A) => {
  const body = encodeResult(entryOf(value))
  if (Result.isSuccess(body)) return { value, body: body.success }
  const converted = plain(value)
  return { value: converted, body: encode(entryOf(converted)) }
}

/** Converts a reply to values that JSON can represent. An error keeps only its message. */
export const plainReply = (reply: Reply): Reply => {
  if (reply._tag === "Said") return { ...reply, said: JsonPrompt.make(reply.said) }
  const { message, method, module } = reply.error
  const reason = new AiError.UnknownError({ description: message })
  return { _tag: "Failed", error: AiError.make({ module, method, reason }) }
}

/** Returns the first row of a run: its turn and its prompt. */
export const firstRow = (turn: Turn, prompt: Prompt.Prompt): FirstRow =>
  writable<Start>(
    { kind: "begun", turn, prompt },
    (start) => start,
    ({ prompt, ...start }) => ({ ...start, prompt: JsonPrompt.make(prompt) })
  )
