/** Replays the traffic of a folder, and returns the guard's verdict on its labelled calls and totals over all calls. */
import * as Effect from "effect/Effect"
import type { FailureTag } from "#domain/failure/Failure"
import * as OpenAiChat from "#kit/traffic/formats/OpenAiChat"
import type { LoggedEnd } from "#kit/replay/RecordedOutcome"
import * as Replay from "#kit/replay/Replay"
import type { PlayedCall } from "#kit/replay/ReplayedCall"
import { UnreadableFile } from "./labelledLine.ts"
import { type Label, type LabelRow, readTraffic } from "./labelFile.ts"

/** A labelled call and its prediction. */
export interface Prediction {
  readonly row: LabelRow
  readonly tool: string
  /** The logged answer of the tool. */
  readonly text: string
  readonly isError: boolean
  /** The number of identical calls earlier in the conversation. */
  readonly repeats: number
  readonly predicted: Label
  /** Whether the guard stopped the call without an attempt. */
  readonly isStopped: boolean
  readonly isSuspect: boolean
}

/** Counts over all traffic. */
export interface Totals {
  readonly conversations: number
  readonly calls: number
  readonly stops: number
  readonly suspects: number
}

const labelOf: { readonly [Tag in FailureTag]: Label } = {
  ToolArgError: "tool_arg",
  SchemaMismatch: "schema_mismatch",
  PartialData: "partial_data",
  SemanticGarbage: "semantic_garbage",
  Transient: "transient",
  Resource: "resource",
  Permanent: "permanent",
  HumanReview: "permanent"
}

const ofFailure = (tag: FailureTag, code: string): Label => (code === "unknown_tool" ? code : labelOf[tag])

const ofEnd = (end: LoggedEnd): Label => {
  if (end._tag === "Success") return "ok"
  if (end._tag === "Refused") return "permanent"
  return end._tag === "Partial" ? "partial_data" : ofFailure(end.class, end.code)
}

/** Returns the label of a call's logged answer, or of the guard's answer if the log has no answer. */
const labelled = ({ loggedEnd, record }: PlayedCall): Label => {
  if (loggedEnd !== undefined) return ofEnd(loggedEnd)
  return record.outcome._tag === "Failure" ? ofFailure(record.outcome.failure._tag, record.outcome.failure.code) : "ok"
}

interface LoggedMessages {
  readonly messages: ReadonlyArray<{ readonly tool_calls?: ReadonlyArray<{ readonly id: string }> | null }>
}

/** Returns the number of a call in its conversation, from 1, or 0 if the conversation does not contain it. */
const numberOf = (value: unknown, { callId, callMessage }: LabelRow): number => {
  // the reader of the format has validated the line
  const { messages } = value as LoggedMessages
  const before = messages.slice(0, callMessage).reduce((sum, { tool_calls: calls }) => sum + (calls ?? []).length, 0)
  const index = messages[callMessage]?.tool_calls?.findIndex(({ id }) => id === callId) ?? -1
  return index < 0 ? 0 : before + index + 1
}

/** Replays a folder. Throws `UnreadableFile` if the traffic does not contain the call of a label. */
export const replayFolder = (
  folder: string,
  rows: ReadonlyArray<LabelRow>
): { readonly predictions: ReadonlyArray<Prediction>; readonly totals: Totals } =>
  Effect.runSync(
    Effect.scoped(
      Effect.gen(function* () {
        const replay = yield* Replay.make()
        const byConversation = Map.groupBy(rows, ({ conversation }) => conversation)
        const predictions = new Map<LabelRow, Prediction>()
        const totals = { conversations: 0, calls: 0, stops: 0, suspects: 0 }
        for (const { file, line, value } of readTraffic(folder)) {
          const reader = OpenAiChat.reader()
          for (const item of [...reader.read(value, { file, line }), ...reader.end()]) {
            if (item._tag === "Skipped") continue
            const { calls } = replay.play(item)
            totals.conversations += 1
            totals.calls += calls.length
            totals.stops += calls.filter(isStopped).length
            totals.suspects += calls.filter(({ contradiction }) => contradiction !== undefined).length
            for (const row of byConversation.get(item.id) ?? []) {
              const call = calls.find(({ number }) => number === numberOf(value, row))
              if (call !== undefined) predictions.set(row, predictedOf(row, call, calls))
            }
          }
        }
        const unmatched = rows.find((row) => !predictions.has(row))
        if (unmatched !== undefined) {
          throw new UnreadableFile(
            `labels.jsonl: no call ${unmatched.callId} in message ${unmatched.callMessage} of ${unmatched.conversation}. Labels and traffic must belong together.`
          )
        }
        // every row has a prediction, as checked above
        return { predictions: rows.map((row) => predictions.get(row) as Prediction), totals }
      })
    )
  )

/** True if the guard stopped the call; false if the call only lacks an answer in the log. */
const isStopped = ({ record, tally }: PlayedCall): boolean =>
  record.attempts.length === 0 && (tally.saving !== undefined || tally.refusal !== undefined)

const predictedOf = (row: LabelRow, call: PlayedCall, calls: ReadonlyArray<PlayedCall>): Prediction => ({
  row,
  tool: call.tool,
  text: call.answer?.text ?? "",
  isError: call.answer?.isError === true,
  repeats: calls.filter(
    (other) => other.number < call.number && other.tool === call.tool && textOf(other) === textOf(call)
  ).length,
  predicted: labelled(call),
  isStopped: isStopped(call),
  isSuspect: call.contradiction !== undefined
})

const textOf = ({ arguments: args }: PlayedCall): string => (typeof args === "string" ? args : JSON.stringify(args))
