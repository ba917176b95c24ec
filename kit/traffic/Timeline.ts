/**
 * A recorded conversation as turns, rounds and calls, each call with its answer in the log.
 *
 * **Details**
 *
 * - A turn starts with the user's first message after an answer without calls. A user message in the middle of a turn
 *   belongs to the next round. Messages of turns without calls are passed on to the next turn with calls.
 * - An answer belongs to the first unanswered call of its id in the last round, or to an unanswered earlier call of its
 *   id. An answer with an empty or unknown id belongs to the first unanswered call.
 * - A call has no answer if it was interrupted, or if it is the last one in the log.
 */
import * as JsonText from "effect-toolguard/internal/domain/json/JsonText"
import * as Result from "effect/Result"
import type { Conversation, RecordedCall } from "./Conversation.ts"

/** A tool's answer, as logged. */
export interface LoggedAnswer {
  readonly text: string
  readonly isError: boolean
  /** The time of the answer in epoch milliseconds, if the log has it. */
  readonly at: number | undefined
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
const tokensOf = (characters: number): number => Math.ceil(characters / charactersPerToken)

/** Returns arguments as a value; undefined if they cannot be parsed. */
export const parsed = (args: unknown): unknown => {
  if (typeof args !== "string") return args
  const read = JsonText.parseArguments(args, JsonText.argumentLimits)
  return Result.isSuccess(read) ? read.success.value : undefined
}

const lengthOf = (args: unknown): number => (typeof args === "string" ? args : (JSON.stringify(args) ?? "")).length

interface Open {
  readonly number: number
  readonly rounds: Array<Round>
}

/** Returns the turns of a conversation that have calls. */
export const of = ({ messages }: Conversation): ReadonlyArray<Turn> => {
  const turns: Array<Turn> = []
  let userTexts: Array<string> = []
  let open: Open | undefined
  let waiting: Array<TimelineCall> = []
  const byId = new Map<string, TimelineCall>()
  let number = 0
  let turnCount = 0
  let characters = 0
  for (const message of messages) {
    if (message.role === "tool") {
      characters += message.text.length
      const index = waiting.findIndex(({ call }) => call.id === message.callId)
      const call = index < 0 ? byId.get(message.callId) : undefined
      const answered = call ?? waiting.splice(Math.max(0, index), 1)[0]
      if (answered !== undefined && answered.answer === undefined) {
        answered.answer = { text: message.text, isError: message.isError === true, at: message.at }
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
    waiting = timelineCalls.slice()
    for (const one of timelineCalls) if (one.call.id !== "") byId.set(one.call.id, one)
    open.rounds.push({ number: open.rounds.length + 1, userTexts, calls: timelineCalls, tokens })
    userTexts = []
    if (open.rounds.length === 1) turns.push(open)
  }
  return turns
}
