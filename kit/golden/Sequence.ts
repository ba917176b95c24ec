/**
 * Reads the calls of a recorded conversation as rounds, which golden files contain and comparisons use.
 *
 * **Details**
 *
 * - The calls of one message of the model form a round. They were made together, so their order is irrelevant.
 * - Arguments that are a JSON text are parsed. Secrets are redacted.
 * - A call without an answer in the log does not count as failed.
 * - The error of a call is the error in the guard's envelope or record. A partial result has an error too.
 */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import { type Finders, makeFinders, redactJson } from "effect-toolguard/internal/domain/redaction/Redaction"
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import { accessOf } from "#kit/replay/NamedAccess"
import { classify } from "#kit/replay/RecordedAnswer"
import { endOfRecord } from "#kit/replay/RecordedOutcome"
import * as Content from "#kit/traffic/Content"
import type { Conversation, RecordedCall } from "#kit/traffic/Conversation"
import * as ReportedError from "./ReportedError.ts"

/** A call of the model, whether it failed, and the error that the guard reported. */
export interface MadeCall {
  readonly tool: string
  readonly arguments: unknown
  readonly hasFailed: boolean
  /** Absent after a success, and if the log has neither the guard's envelope nor its record. */
  readonly error?: ReportedError.ReportedError
}

/** The calls of one round; never empty. */
export type Round = ReadonlyArray<MadeCall>

let finders: Finders | undefined

/** Redacts secrets, because golden files are committed. */
const redacted = (value: unknown): unknown => redactJson((finders ??= makeFinders()), value)

/** Returns the rounds of a conversation, including failed calls. */
export const of = (conversation: Conversation): ReadonlyArray<Round> => {
  const answers = answersOf(conversation)
  const rounds = conversation.messages.flatMap((message) => {
    if (message.role !== "assistant" || message.calls.length === 0) return []
    return [message.calls.map((call) => ({ call, answer: answers.get(call)?.shift() }))]
  })
  const ofModel = isOfRecords(conversation) ? withoutInner(rounds) : rounds
  return ofModel.map((round) =>
    round.map(({ answer, call }) => {
      const args = Content.parsed(call.arguments)
      const end = answer === undefined ? { hasFailed: false } : endOf(call, args, answer)
      return { tool: call.name, arguments: redacted(args), ...end }
    })
  )
}

interface Answer {
  readonly text: string
  readonly isError: boolean
}

/** Returns the answers to each call. Calls with the same id get their answers in order. */
const answersOf = ({ messages }: Conversation): ReadonlyMap<RecordedCall, Array<Answer>> => {
  const open = new Map<string, Array<RecordedCall>>()
  const found = new Map<RecordedCall, Array<Answer>>()
  for (const message of messages) {
    if (message.role === "assistant") {
      for (const call of message.calls) open.set(call.id, [...(open.get(call.id) ?? []), call])
    } else if (message.role === "tool") {
      const [call, ...others] = open.get(message.callId) ?? []
      if (call === undefined) continue
      found.set(call, [{ text: message.text, isError: message.isError === true }])
      if (others.length > 0) open.set(message.callId, others)
      else open.delete(message.callId)
    }
  }
  return found
}

/**
 * Returns whether a call failed, and its error. The guard's record decides, otherwise the envelope, otherwise the
 * classification of replay, which has no error.
 */
const endOf = (
  { end, name }: RecordedCall,
  args: unknown,
  { isError, text }: Answer
): Pick<MadeCall, "error" | "hasFailed"> => {
  if (end !== undefined) {
    const reported = end.outcome._tag === "Failure" ? ReportedError.ofFailure(end.outcome.failure) : undefined
    return { hasFailed: ["Failure", "Refused"].includes(endOfRecord(end)._tag), ...withError(reported) }
  }
  const envelope = text.startsWith(`{"status":`) ? Fields.of(Content.parsed(text)) : undefined
  switch (envelope?.["status"]) {
    case "success":
      return { hasFailed: false }
    case "error":
    case "partial":
      return { hasFailed: envelope["status"] === "error", ...withError(ReportedError.ofEnvelope(envelope)) }
    default:
      return {
        hasFailed: classify({ tool: name, text, isError, arguments: args, access: accessOf(name) })._tag === "Failure"
      }
  }
}

/** Returns the error without secrets, which the codes of other servers could contain. */
const withError = (reported: ReportedError.ReportedError | undefined): Pick<MadeCall, "error"> =>
  reported === undefined
    ? {}
    : { error: { ...reported, fields: redacted(reported.fields) as ReportedError.ErrorFields } } // redaction keeps types

/** True if a conversation was read from call records, which do not contain the user's messages. */
const isOfRecords = ({ messages }: Conversation): boolean =>
  messages.every((message) => message.role === "tool" || message.text === "")

interface AnsweredCall {
  readonly call: RecordedCall
  readonly answer: Answer | undefined
}

/** Removes calls that the guard itself made for another call. They have the id of the other call, and precede it. */
const withoutInner = (
  rounds: ReadonlyArray<ReadonlyArray<AnsweredCall>>
): ReadonlyArray<ReadonlyArray<AnsweredCall>> => {
  const isInner = ({ call }: AnsweredCall, others: ReadonlyArray<AnsweredCall>): boolean =>
    call.id !== "" && others.some((other) => other.call.id === call.id && other.call.name !== call.name)
  return rounds
    .map((round, index) =>
      round.filter(
        (each, place) =>
          !isInner(each, round.slice(place + 1)) && !(round.length === 1 && isInner(each, rounds[index + 1] ?? []))
      )
    )
    .filter((round) => round.length > 0)
}

/** Returns a text that is equal for calls with equal tools, arguments and outcomes. Their errors may differ. */
export const keyOf = ({ arguments: args, hasFailed, tool }: MadeCall): string =>
  `${CallKey.of(tool, args)}${hasFailed ? " failed" : ""}`
