/**
 * Divides a recorded conversation into turns, rounds and calls, each call with its answer in the log.
 *
 * **Details**
 *
 * - A turn starts with the user's first message after a message of the model without calls. A user message in the middle of a turn
 *   belongs to the next round. Messages of turns without calls are passed on to the next turn with calls.
 * - `AnswerMatcher` decides to which call an answer belongs.
 * - A call has no answer if it was interrupted, or if the log ends before the answer.
 */
import * as JsonText from "effect-toolguard/internal/domain/json/JsonText"
import * as Result from "effect/Result"
import * as AnswerMatcher from "./AnswerMatcher.ts"
import type { Conversation, RecordedCall } from "./Conversation.ts"

/** A tool's answer, as logged. */
export interface LoggedAnswer {
  readonly text: string
  readonly isError: boolean
  /** The time of the answer in epoch milliseconds, if the log has it. */
  readonly at: number | undefined
  /** True if the log has the answer in a user message. */
  readonly isFromUser?: true
}

/** A call with its answer. */
export interface TimelineCall {
  /** The number of the call in the conversation, from 1. Reports and `explain` identify the call by this number. */
  readonly number: number
  readonly call: RecordedCall
  /** True if the model's output was truncated in this call. */
  readonly isCut: boolean
  answer: LoggedAnswer | undefined
}

/** One message of the model, with its calls. */
interface Round {
  /** The number of the round in the turn, from 1. */
  readonly number: number
  /** The user's messages since the previous round. */
  readonly userTexts: ReadonlyArray<string>
  readonly calls: ReadonlyArray<TimelineCall>
  /** The tokens of the request and of the reply, as logged; estimated if the log has no counts. */
  readonly tokens: { readonly input: number; readonly output: number }
}

/** A turn with calls. */
export interface Turn {
  /** The number of the turn, from 1, counting turns without calls too. */
  readonly number: number
  readonly rounds: ReadonlyArray<Round>
}

/** The estimated number of characters of a token. The exact number depends on the model's vocabulary. */
const charactersPerToken = 4

/** Estimates the tokens of a text from its length. */
export const tokensOf = (characters: number): number => Math.ceil(characters / charactersPerToken)

/** Returns arguments as a value; undefined if they cannot be parsed. */
export const parsed = (args: unknown): unknown => {
  if (typeof args !== "string") return args
  const read = JsonText.parseArguments(args, JsonText.argumentLimits)
  return Result.isSuccess(read) ? read.success.value : undefined
}

const lengthOf = (args: unknown): number => (typeof args === "string" ? args : (JSON.stringify(args) ?? "")).length

interface OpenTurn {
  readonly number: number
  readonly rounds: Array<Round>
}

/** Returns the turns of a conversation that have calls. */
export const of = ({ messages }: Conversation): ReadonlyArray<Turn> => {
  const turns: Array<Turn> = []
  let userTexts: Array<string> = []
  let open: OpenTurn | undefined
  const matcher = AnswerMatcher.make<TimelineCall>(({ call }) => call.id)
  let number = 0
  let turnCount = 0
  let characters = 0
  for (const message of messages) {
    if (message.role === "tool") {
      characters += message.text.length
      const answered = matcher.take(message.callId)
      if (answered !== undefined && answered.answer === undefined) {
        const { at, isError = false, isFromUser, text } = message
        answered.answer = { text, isError, at, ...(isFromUser === undefined ? {} : { isFromUser }) }
      }
      continue
    }
    if (message.role !== "assistant") {
      characters += message.text.length
      if (message.role === "user") userTexts.push(message.text)
      continue
    }
    const { calls, isCut = false, text, usage } = message
    let written = text.length
    for (const call of calls) written += call.name.length + lengthOf(call.arguments)
    const tokens = usage ?? { input: tokensOf(characters), output: tokensOf(written) }
    characters += written
    if (open === undefined) open = { number: (turnCount += 1), rounds: [] }
    if (calls.length === 0) {
      open = undefined
      continue
    }
    const timelineCalls = calls.map((call, index): TimelineCall => ({
      number: (number += 1),
      call,
      isCut: isCut && index === calls.length - 1,
      answer: undefined
    }))
    matcher.open(timelineCalls)
    open.rounds.push({ number: open.rounds.length + 1, userTexts, calls: timelineCalls, tokens })
    userTexts = []
    if (open.rounds.length === 1) turns.push(open)
  }
  return turns
}
