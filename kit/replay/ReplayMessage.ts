/**
 * Defines the messages between the threads of a replay: conversations to replay, and what the guard decided about them.
 *
 * **Details**
 *
 * - Messages are copied by structured clone. A schema, a class and a function cannot be copied.
 * - `received` undoes `sent`, and `restored` undoes `answered`. So a conversation that another thread replayed is equal to
 *   one that this thread replayed, as far as a report counts it.
 * - A list of tools that conversations share is sent once to each thread, because replay compares lists by identity.
 */
import type { CompiledTool } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import * as Result from "effect/Result"
import type { Conversation, GuardedEnd, RecordedCall, RecordedMessage, RecordedTool } from "#kit/traffic/Conversation"
import { decodeEnd, encodeEnd } from "#kit/traffic/formats/CallRecords"
import * as Timeline from "#kit/traffic/Timeline"
import type { UncheckedTool } from "./Contracts.ts"
import type { CountedRecord, PlayedCall, ReplayedCall, ReplayedConversation } from "./ReplayedCall.ts"

/** A list of tools. The list is absent if the thread has it under this number. */
interface SentTools {
  readonly number: number
  readonly list?: ReadonlyArray<RecordedTool>
}

/** A conversation on its way to a thread. */
export interface SentConversation {
  readonly conversation: Omit<Conversation, "tools">
  readonly tools: SentTools
}

/** The maximum number of lists of tools that a thread holds. */
const maxLists = 200

const hasEnds = (messages: ReadonlyArray<RecordedMessage>): boolean =>
  messages.some((message) => message.role === "assistant" && message.calls.some(({ end }) => end !== undefined))

/** Changes the ends of all calls. */
const mapEnds = (
  messages: ReadonlyArray<RecordedMessage>,
  f: (end: GuardedEnd) => GuardedEnd
): ReadonlyArray<RecordedMessage> => {
  if (!hasEnds(messages)) return messages
  const mapped = (call: RecordedCall): RecordedCall => (call.end === undefined ? call : { ...call, end: f(call.end) })
  return messages.map((message) =>
    message.role === "assistant" ? { ...message, calls: message.calls.map(mapped) } : message
  )
}

/** Creates a function that prepares conversations for one thread. */
export const sender = (): ((conversation: Conversation) => SentConversation) => {
  const numbers = new Map<ReadonlyArray<RecordedTool>, number>()
  const toolsOf = (list: ReadonlyArray<RecordedTool>): SentTools => {
    const known = numbers.get(list)
    if (known !== undefined) return { number: known }
    if (numbers.size >= maxLists) numbers.clear()
    const number = numbers.size
    numbers.set(list, number)
    return { number, list }
  }
  return ({ tools, ...conversation }) => ({
    // the encoded end travels in the place of the end, and only `receiver` reads it
    conversation: {
      ...conversation,
      messages: mapEnds(conversation.messages, (end) => encodeEnd(end) as unknown as GuardedEnd)
    },
    tools: toolsOf(tools)
  })
}

/** Creates a function that reads the conversations that one `sender` prepared, in the same order. */
export const receiver = (): ((sent: SentConversation) => Conversation) => {
  const lists = new Map<number, ReadonlyArray<RecordedTool>>()
  return ({ conversation, tools: { list, number } }) => {
    if (list !== undefined) {
      // the sender numbers its lists from 0 again when it has dropped them
      if (number === 0) lists.clear()
      lists.set(number, list)
    }
    return {
      ...conversation,
      messages: mapEnds(conversation.messages, (end) => Result.getOrThrow(decodeEnd(end))),
      tools: lists.get(number) ?? []
    }
  }
}

/** A replayed call on its way back, without what the log has. */
interface SentCall extends Omit<
  ReplayedCall,
  "answer" | "argumentSchema" | "arguments" | "resultSchema" | "round" | "tool" | "turn"
> {
  /** True if the answer was checked against a schema. */
  readonly hasResultSchema: boolean
}

/** A replayed conversation on its way back. */
interface SentReplay extends Omit<ReplayedConversation, "calls"> {
  readonly calls: ReadonlyArray<SentCall>
}

/** The result of a conversation that a thread received. */
export type ThreadResult =
  | {
      readonly _tag: "Replayed"
      readonly replayed: SentReplay
      /** The tools with constraints that cannot be checked, which the thread found in this conversation. */
      readonly unchecked: ReadonlyArray<UncheckedTool>
    }
  | { readonly _tag: "Failed"; readonly message: string }
  /** The result cannot be copied. */
  | { readonly _tag: "NotCopied" }

/** Prepares a replayed conversation to be sent back. */
export const answered = ({ calls, ...rest }: ReplayedConversation<PlayedCall>): SentReplay => ({
  ...rest,
  calls: calls.map(
    ({ argumentFaults, contradiction, isAnswered, isAsked, key, loggedEnd, loop, ...call }): SentCall => ({
      number: call.number,
      key,
      tokens: call.tokens,
      loggedEnd,
      isAnswered,
      record: countedOf(call.record),
      tally: call.tally,
      argumentFaults,
      resultFaults: call.resultFaults,
      hasResultSchema: call.resultSchema !== undefined,
      contradiction,
      loop,
      isAsked
    })
  )
})

const countedOf = ({ enforcement, notEnforced, outcome }: PlayedCall["record"]): CountedRecord => ({
  ...(enforcement === undefined ? {} : { enforcement }),
  ...(notEnforced === undefined ? {} : { notEnforced }),
  outcome:
    outcome._tag === "Success"
      ? { _tag: "Success" }
      : {
          _tag: "Failure",
          failure: { _tag: outcome.failure._tag, code: outcome.failure.code, detail: outcome.failure.detail }
        }
})

/** Restores a replayed conversation from the log and from the tools of this thread. */
export const restored = (
  conversation: Conversation,
  { calls, ...rest }: SentReplay,
  toolOf: (name: string) => CompiledTool
): ReplayedConversation => {
  const replayed: Array<ReplayedCall> = []
  let at = 0
  for (const turn of Timeline.of(conversation)) {
    for (const round of turn.rounds) {
      for (const { answer, call, number } of round.calls) {
        const sent = calls[at]
        if (sent?.number !== number) continue
        at += 1
        const { hasResultSchema, ...known } = sent
        const tool = call.name
        replayed.push({
          ...known,
          tool,
          turn: turn.number,
          round: round.number,
          arguments: call.arguments,
          answer,
          argumentSchema: known.argumentFaults.length === 0 ? undefined : toolOf(tool).definition.parameters.ast,
          resultSchema: hasResultSchema ? toolOf(tool).result.schema : undefined
        })
      }
    }
  }
  return { ...rest, calls: replayed }
}
