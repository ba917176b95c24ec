/**
 * A recorded conversation as turns of rounds of calls, each with the answer that the log holds for it.
 *
 * **Details**
 *
 * - A turn begins with what the user says after an answer without calls; what is said in the middle of one belongs to the
 *   round after it. What was asked in turns without calls is known to the next one with calls.
 * - An answer belongs to the first waiting call of its id; a late one to the earlier call of its id, if that has none; an
 *   empty or unknown id to the first call that waits.
 * - A call whose answer the log does not hold stays without one: it was interrupted, or is the last.
 */
import * as JsonText from "effect-toolguard/internal/domain/json/JsonText"
import * as Result from "effect/Result"
import type { Conversation, RecordedCall } from "./Conversation.ts"

/** The answer of a tool, as it stands in the log. */
export interface LoggedAnswer {
  readonly text: string
  readonly isError: boolean
  /** Epoch milliseconds, where the log has them. */
  readonly at: number | undefined
}

export interface TimelineCall {
  /** From 1, in the order of the conversation: what reports and `explain` name it by. */
  readonly number: number
  readonly call: RecordedCall
  /** The model's output ended inside of this call. */
  readonly isCut: boolean
  answer: LoggedAnswer | undefined
}

/** One message of the model with its calls. */
export interface Round {
  /** From 1, within the turn. */
  readonly number: number
  /** What the user said before it, since the round before. */
  readonly asked: ReadonlyArray<string>
  readonly calls: ReadonlyArray<TimelineCall>
  /** Tokens that the request held and the model wrote: as logged, else about. */
  readonly tokens: { readonly input: number; readonly output: number }
}

export interface Turn {
  /** From 1. */
  readonly number: number
  readonly rounds: ReadonlyArray<Round>
}

/** Characters of a token, about: what a text costs a model is not known exactly without its vocabulary. */
const charactersPerToken = 4

/** Tokens, about, of a text. */
export const tokensOf = (characters: number): number => Math.ceil(characters / charactersPerToken)

/** Arguments as a value; undefined where they cannot be read. */
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

/** The turns of a conversation that have calls. */
export const of = ({ messages }: Conversation): ReadonlyArray<Turn> => {
  const turns: Array<Turn> = []
  let asked: Array<string> = []
  let open: Open | undefined
  let waiting: Array<TimelineCall> = []
  const byId = new Map<string, TimelineCall>()
  let number = 0
  let begun = 0
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
      if (message.role === "user") asked.push(message.text)
      continue
    }
    const { calls, isCut = false, text, usage } = message
    let written = text.length
    for (const call of calls) written += call.name.length + lengthOf(call.arguments)
    const tokens = usage ?? { input: tokensOf(characters), output: tokensOf(written) }
    characters += written
    if (open === undefined) open = { number: (begun += 1), rounds: [] }
    if (calls.length === 0) {
      open = undefined
      continue
    }
    const made = calls.map((call, index): TimelineCall => ({
      number: (number += 1),
      call,
      isCut: isCut && index === calls.length - 1,
      answer: undefined
    }))
    waiting = made.slice()
    for (const one of made) if (one.call.id !== "") byId.set(one.call.id, one)
    open.rounds.push({ number: open.rounds.length + 1, asked, calls: made, tokens })
    asked = []
    if (open.rounds.length === 1) turns.push(open)
  }
  return turns
}
