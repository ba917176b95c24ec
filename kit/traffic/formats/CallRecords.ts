/**
 * Reads our own call records (`CallRecord.toJson`): what a `CallLog` holds, one record a line, as conversations.
 *
 * **Details**
 *
 * - A conversation is the records of one conversation of one tenant, in the order of the file. Its turns are told apart by
 *   messages without a text, for the answer that ended one and for what the user said then: records do not hold them.
 *   Calls of one round are one message of the model.
 * - A result is the value of a success or the data of a `PartialData`, as JSON; of any other failure, the failure itself as
 *   JSON, as an error. It decodes back to its class.
 * - A conversation is closed at the end of the file, or when the window of open ones is full.
 *
 * **Gotchas**
 *
 * A log must `keep` arguments and results: records without arguments are `Skipped`, and those with `redacted` ones have
 * lost their secrets, so two calls may look alike that were not.
 */
import * as Fields from "effect-toolguard/internal/domain/transcript/Fields"
import * as ChatLog from "#kit/traffic/ChatLog"
import * as Content from "#kit/traffic/Content"
import type { Conversation, Place, RecordedCall, RecordedMessage } from "#kit/traffic/Conversation"
import { word } from "#kit/traffic/Draft"
import { nothing, type Reader, skipped } from "#kit/traffic/Reader"
import * as Window from "#kit/traffic/Window"

interface Talk {
  readonly id: string
  readonly place: Place
  readonly messages: Array<RecordedMessage>
  turn: string | undefined
  /** The calls of the round that the last record was of, and its number. */
  calls: Array<RecordedCall>
  round: number
}

/** Reads call records. */
export const reader = (): Reader => {
  const window = Window.make<Talk>()
  return {
    read: (value, place) => {
      const record = Fields.of(value)
      const { argumentsText, arguments: decoded, conversation, leftAt, tenant, tool } = record
      if (leftAt !== undefined && record["end"] !== undefined) return nothing // what became of a handler left behind
      const outcome = Fields.of(record["outcome"])
      if (typeof conversation !== "string" || typeof tool !== "string" || typeof outcome["_tag"] !== "string") {
        return [ChatLog.other("toolguard", value, place)]
      }
      const args = argumentsText ?? decoded
      if (args === undefined) return [skipped(place, `The call of ${word(tool)} was recorded without its arguments.`)]
      const key = JSON.stringify([Fields.string(tenant), conversation])
      const open = window.get(key)
      const talk: Talk = open ?? {
        id: conversation || ChatLog.placeName(place),
        place,
        messages: [],
        turn: undefined,
        calls: [],
        round: 0
      }
      const isTorn = open === undefined && window.open(key, talk)
      const call = { id: Fields.string(record["callId"]), name: tool, arguments: args }
      addCall(talk, call, Fields.string(record["turn"]), Fields.count(record["round"]) ?? 0)
      window.grow(key, Window.weigh(args) + addResult(talk, call.id, outcome, timeOf(record)))
      const closed = window.overflow()
      if (closed.length === 0 && !isTorn) return nothing
      return [...closed.map(conversationOf), ...(isTorn ? [Window.torn(talk.id, place)] : [])]
    },
    end: () => window.all().map(conversationOf)
  }
}

const conversationOf = ({ id, messages, place }: Talk): Conversation => ({
  _tag: "Conversation",
  id,
  place,
  tools: [],
  messages
})

const addCall = (talk: Talk, call: RecordedCall, turn: string, round: number): void => {
  const isSameRound = round > 0 && round === talk.round && turn === talk.turn
  if (turn !== talk.turn) {
    if (talk.messages.length > 0) talk.messages.push({ role: "assistant", text: "", calls: [] })
    talk.messages.push({ role: "user", text: "" })
  }
  talk.turn = turn
  talk.round = round
  if (isSameRound) {
    talk.calls.push(call)
    return
  }
  talk.calls = [call]
  talk.messages.push({ role: "assistant", text: "", calls: talk.calls })
}

/** Adds the result of a call, where the record has it; gives its size. */
const addResult = (talk: Talk, callId: string, outcome: Fields.Fields, at: number | undefined): number => {
  const { _tag: tag, failure, result } = outcome
  const { cause: _, data, ...rest } = Fields.of(failure)
  const isPartial = rest["_tag"] === "PartialData"
  if ((tag === "Success" && result === undefined) || (isPartial && data === undefined)) return 0
  const text = Content.jsonOf(tag === "Success" ? result : isPartial ? data : rest)
  const isError = tag !== "Success" && !isPartial
  talk.messages.push({ role: "tool", callId, text, isError, ...(at === undefined ? {} : { at }) })
  return text.length
}

const timeOf = ({ durationMillis, startedAt }: Fields.Fields): number | undefined =>
  typeof startedAt === "number" && typeof durationMillis === "number" ? startedAt + durationMillis : undefined
