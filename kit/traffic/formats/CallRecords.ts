/**
 * Reads toolguard's own call records (`CallRecord.toJson`), one record per line as a `CallLog` stores them, as
 * conversations.
 *
 * **Details**
 *
 * - The records of one conversation, tenant and principal form a conversation, in the order of the file. Records do not
 *   contain the user's messages or the model's answers, so empty messages separate the turns. The calls of one round
 *   form one message of the model.
 * - A result is the value of a success or the data of a `PartialData`, as JSON. Any other failure is a result marked as
 *   an error, whose JSON decodes to the failure's class.
 * - Each call has its end as recorded: outcome, attempts, decisions, crash. A call whose recorded end cannot be decoded
 *   has only its result.
 * - A conversation is closed at the end of the file, or when the window of open conversations is full.
 *
 * **Gotchas**
 *
 * The log must `keep` arguments and results. Records without arguments are `Skipped`. Records with `redacted` arguments
 * have lost their secrets, so two different calls can look equal.
 */
import { CallRecord } from "effect-toolguard/internal/domain/call/CallRecord"
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as ChatLog from "#kit/traffic/ChatLog"
import * as Content from "#kit/traffic/Content"
import type { Conversation, GuardedEnd, Place, RecordedCall, RecordedMessage } from "#kit/traffic/Conversation"
import { quoted } from "#kit/traffic/Draft"
import { nothing, type Reader, skipped } from "#kit/traffic/Reader"
import * as Window from "#kit/traffic/Window"

interface OpenConversation {
  readonly id: string
  readonly place: Place
  readonly messages: Array<RecordedMessage>
  turn: string | undefined
  /** The calls of the last record's round; `round` is its number. */
  calls: Array<RecordedCall>
  round: number
}

/** Reads call records. */
export const reader = (): Reader => {
  const window = Window.make<OpenConversation>()
  return {
    read: (value, place) => {
      const record = Fields.of(value)
      const { argumentsText, arguments: decoded, conversation, leftAt, principal, tenant, tool } = record
      if (leftAt !== undefined && record["end"] !== undefined) return nothing // a late outcome of an abandoned handler
      const outcome = Fields.of(record["outcome"])
      if (typeof conversation !== "string" || typeof tool !== "string" || typeof outcome["_tag"] !== "string") {
        return [ChatLog.otherFormat("toolguard", value, place)]
      }
      const args = argumentsText ?? decoded
      if (args === undefined) return [skipped(place, `The call to ${quoted(tool)} was recorded without its arguments.`)]
      const key = JSON.stringify([Fields.string(tenant), conversation, principal ?? null])
      const open = window.get(key)
      const current: OpenConversation = open ?? {
        id: conversation || ChatLog.placeName(place),
        place,
        messages: [],
        turn: undefined,
        calls: [],
        round: 0
      }
      const isSplit = open === undefined && window.open(key, current)
      const end = endOf(record, outcome)
      const id = Fields.string(record["callId"])
      const call = { id, name: tool, arguments: args, ...(end === undefined ? {} : { end }) }
      addCall(current, call, Fields.string(record["turn"]), Fields.count(record["round"]) ?? 0)
      const size = Window.sizeOf(args) + (end === undefined ? 0 : Window.sizeOf(end))
      window.grow(key, size + addResult(current, call.id, outcome, timeOf(record)))
      const closed = window.overflow()
      if (closed.length === 0 && !isSplit) return nothing
      return [...closed.map(conversationOf), ...(isSplit ? [Window.split(current.id, place)] : [])]
    },
    end: () => window.all().map(conversationOf)
  }
}

const { attempts, crash, decisions, enforcement, notEnforced, outcome, resultDigest, sideEffect, usedFallback } =
  CallRecord.fields

const End = Schema.toCodecJson(
  Schema.Struct({
    attempts,
    crash,
    decisions,
    enforcement,
    notEnforced,
    outcome,
    resultDigest,
    sideEffect,
    usedFallback
  })
)

/** Reads the end of a call that `encodeEnd` returned. */
export const decodeEnd = Schema.decodeUnknownResult(End)

/** Returns the end of a call as JSON. */
export const encodeEnd = Schema.encodeSync(End)

/** Returns the end of the call; undefined if it cannot be decoded. */
const endOf = (record: JsonObject, { failure, result: _result, ...rest }: JsonObject): GuardedEnd | undefined => {
  const { cause: _cause, ...fields } = Fields.of(failure)
  // the schema requires the data, which the answer contains
  const ended = fields["_tag"] === "PartialData" ? { ...fields, data: null } : fields
  const ending = rest["_tag"] === "Failure" ? { ...rest, failure: ended } : rest
  try {
    return Result.getOrUndefined(decodeEnd({ ...record, outcome: ending }))
  } catch {
    return undefined // nested too deeply
  }
}

const conversationOf = ({ id, messages, place }: OpenConversation): Conversation => ({
  _tag: "Conversation",
  id,
  place,
  tools: [],
  messages
})

const addCall = (open: OpenConversation, call: RecordedCall, turn: string, round: number): void => {
  const isSameRound = round > 0 && round === open.round && turn === open.turn
  if (turn !== open.turn) {
    if (open.messages.length > 0) open.messages.push({ role: "assistant", text: "", calls: [] })
    open.messages.push({ role: "user", text: "" })
  }
  open.turn = turn
  open.round = round
  if (isSameRound) {
    open.calls.push(call)
    return
  }
  open.calls = [call]
  open.messages.push({ role: "assistant", text: "", calls: open.calls })
}

/** Adds the result of a call, if the record has it. Returns its size in characters. */
const addResult = (
  { messages }: OpenConversation,
  callId: string,
  outcome: JsonObject,
  at: number | undefined
): number => {
  const { _tag: tag, failure, result } = outcome
  const { cause: _, data, ...rest } = Fields.of(failure)
  const isPartial = rest["_tag"] === "PartialData"
  if ((tag === "Success" && result === undefined) || (isPartial && data === undefined)) return 0
  const text = Content.jsonOf(tag === "Success" ? result : isPartial ? data : rest)
  const isError = tag !== "Success" && !isPartial
  messages.push({ role: "tool", callId, text, isError, ...(at === undefined ? {} : { at }) })
  return text.length
}

const timeOf = ({ durationMillis, startedAt }: JsonObject): number | undefined =>
  typeof startedAt === "number" && typeof durationMillis === "number" ? startedAt + durationMillis : undefined
