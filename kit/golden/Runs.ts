/** Converts a run, which is an agent's transcript or the records of its calls, to a conversation. */
import * as CallRecord from "effect-toolguard/internal/domain/call/CallRecord"
import * as CallRecords from "#kit/traffic/formats/CallRecords"
import type { Conversation, RecordedMessage } from "#kit/traffic/Conversation"
import * as Prompt from "effect/ai/Prompt"
import * as Result from "effect/Result"

/** A run: `AgentEnd.transcript`, or the records of a `CallLog`. */
export type Run = Prompt.Prompt | ReadonlyArray<CallRecord.CallRecord>

const place = { file: "the run", line: 1 }

/**
 * Converts a run to a conversation. Fails with a sentence that says what is wrong, and a sentence that says what to do.
 */
export const conversation = (run: Run): Result.Result<Conversation, readonly [detail: string, remedy: string]> =>
  Prompt.isPrompt(run) ? Result.succeed(ofTranscript(run)) : ofRecords(run)

const ofTranscript = ({ content }: Prompt.Prompt): Conversation => ({
  _tag: "Conversation",
  id: "",
  place,
  tools: [],
  messages: content.flatMap((message): ReadonlyArray<RecordedMessage> => {
    switch (message.role) {
      case "assistant":
        return [{ role: "assistant", text: "", calls: message.content.flatMap(callOf) }]
      case "tool":
        return message.content.flatMap((part) =>
          part.type === "tool-result"
            ? [{ role: "tool" as const, callId: part.id, text: textOf(part.result), isError: part.isFailure }]
            : []
        )
      case "user":
        return [{ role: "user", text: "user" }]
      default:
        return []
    }
  })
})

const callOf = (part: Prompt.AssistantMessagePart) =>
  part.type === "tool-call" && !part.providerExecuted ? [{ id: part.id, name: part.name, arguments: part.params }] : []

const textOf = (result: unknown): string => (typeof result === "string" ? result : (JSON.stringify(result) ?? ""))

const ofRecords = (
  records: ReadonlyArray<CallRecord.CallRecord>
): Result.Result<Conversation, readonly [detail: string, remedy: string]> => {
  const reader = CallRecords.reader()
  const items = [...records.flatMap((record) => reader.read(plain(record), place)), ...reader.end()]
  const skipped = items.find((item) => item._tag === "Skipped")
  if (skipped !== undefined) {
    return Result.fail([skipped.reason, `Keep arguments in the log: CallLogMemory.layerWith({ keep: "redacted" }).`])
  }
  const [only, ...others] = items.filter((item) => item._tag === "Conversation")
  if (others.length > 0) {
    return Result.fail([
      `The records belong to ${others.length + 1} conversations.`,
      "Pass the records of one conversation: filter them by `conversation`."
    ])
  }
  return Result.succeed(only ?? { _tag: "Conversation", id: "", place, tools: [], messages: [] })
}

/** Converts a record to the JSON value of a line in a log. */
const plain = (record: CallRecord.CallRecord): unknown => JSON.parse(CallRecord.toJson(record))
