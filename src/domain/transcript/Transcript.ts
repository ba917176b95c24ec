/**
 * Repairs, validates, reads and writes conversations.
 *
 * In a valid conversation each call has exactly one result, in a message of the role `tool` directly after the call.
 * Results are in the order of the calls [9.1], [9.4].
 *
 * - `repair` returns a valid conversation and the changes that it made. It does not change a valid conversation, so a
 *   second repair changes nothing.
 * - `validate` lists the violations.
 * - `fromOpenAi`, `fromResponses` and `fromAnthropic` read logs; `toOpenAi`, `toResponses` and `toAnthropic` write them.
 *
 * **Gotchas**
 *
 * A repair adds a result to a call without a result, and a text to an empty user message. For Anthropic it also adds a
 * text to an empty failed result, and a first user message. It adds nothing else.
 */
import * as Prompt from "effect/ai/Prompt"
import { codes } from "#domain/failure/FailureCode"
import * as AnthropicCacheControl from "./AnthropicCacheControl.ts"
import * as AnthropicRepair from "./AnthropicRepair.ts"
import * as ResultBinding from "./ResultBinding.ts"
import type { Change } from "./Change.ts"
import * as EmptyContent from "./EmptyContent.ts"
import * as MessageOptions from "./MessageOptions.ts"
import * as ResponsesRepair from "./ResponsesRepair.ts"
import * as Round from "./Round.ts"
import { validate } from "./Violation.ts"

export type {
  Block as AnthropicBlock,
  CacheControl as AnthropicCacheControl,
  History as AnthropicHistory,
  Message as AnthropicMessage
} from "./AnthropicMessage.ts"
export { fromAnthropic, type Log as AnthropicLog } from "./AnthropicReader.ts"
export { toAnthropic } from "./AnthropicWriter.ts"
export { callIds, freshIds, next as nextId } from "./CallIds.ts"
export type { Change } from "./Change.ts"
export { fromOpenAi } from "./ChatLogReader.ts"
export { toOpenAi } from "./ChatLogWriter.ts"
export type { ChatMessage } from "./ChatMessage.ts"
export type { Item as ResponsesItem } from "./ResponsesItem.ts"
export { fromResponses, type Log as ResponsesLog } from "./ResponsesReader.ts"
export { toResponses } from "./ResponsesWriter.ts"
export { type Rule, validate, type Violation } from "./Violation.ts"

/** A valid conversation, and the changes that made it valid. */
export interface RepairedTranscript {
  readonly prompt: Prompt.Prompt
  readonly changes: ReadonlyArray<Change>
}

/** Creates an envelope, as text, for a call that was interrupted or not made. */
const withoutResult =
  (code: "interrupted" | "shutting_down", side_effect: "unknown" | "none"): Round.SubstituteResult =>
  () => {
    const { hint, meaning, nextStep } = codes[code]
    const error = { error_class: "transient", code, message: meaning, hint, next_step: nextStep, side_effect }
    return JSON.stringify({ status: "error", error })
  }

/** Creates the default result of a call without a result: the envelope of an interrupted call. */
export const interrupted: Round.SubstituteResult = withoutResult("interrupted", "unknown")

/** Creates the result of a call that was not made because the process is shutting down. */
export const notMade: Round.SubstituteResult = withoutResult("shutting_down", "none")

/** Returns the indices of the tool messages directly after a message. */
const toolMessagesAfter = (messages: ReadonlyArray<Prompt.Message>, start: number): ReadonlyArray<number> => {
  const indices: Array<number> = []
  for (let index = start + 1; messages[index]?.role === "tool"; index++) indices.push(index)
  return indices
}

const resultsIn = (message: Prompt.Message | undefined): ReadonlyArray<Prompt.ToolResultPart> =>
  message?.role === "tool" ? message.content.filter((part) => part.type === "tool-result") : []

const isSame = <A>(unmatched: ReadonlyArray<A>, right: ReadonlyArray<A>): boolean =>
  unmatched.length === right.length && unmatched.every((item, index) => item === right[index])

/**
 * Makes a conversation valid with as few changes as possible.
 *
 * **Details**
 *
 * - A call without a result gets `substitute`. By default this is an envelope that reports the call as interrupted.
 * - Results move directly after their calls, in the order of the calls. Duplicates and results without a call are
 *   removed.
 * - Results in user or assistant messages move to messages of the role `tool`.
 * - Empty texts and messages are removed. An empty user message gets the text `(empty message)`.
 * - Empty and repeated call ids are replaced in the call and its result.
 * - Invalid characters of an author's name are replaced.
 * - Changes that `fromOpenAi` and `fromAnthropic` made while reading are reported once.
 *
 * Returns the same object with no changes if the conversation is valid and there is nothing to report.
 */
export const repair = (prompt: Prompt.Prompt, substitute: Round.SubstituteResult = interrupted): RepairedTranscript => {
  const settled = MessageOptions.settle(prompt.content)
  if (settled.changes.length === 0) return repairRounds(prompt, substitute)
  const repaired = repairRounds(Prompt.fromMessages(settled.messages), substitute)
  return { prompt: repaired.prompt, changes: inOrder([...settled.changes, ...repaired.changes]) }
}

const inOrder = (changes: ReadonlyArray<Change>): ReadonlyArray<Change> =>
  changes.toSorted((a, b) => a.message - b.message)

const repairRounds = (prompt: Prompt.Prompt, substitute: Round.SubstituteResult): RepairedTranscript => {
  if (validate(prompt).length === 0) return { prompt, changes: [] }
  const messages = prompt.content
  const { consumed, unmatched, rounds } = ResultBinding.make(prompt)
  const all = [...rounds.values()].flat()
  const known = new Set(all.map(({ id }) => id))
  const ids = Round.assignIds(all)
  const intact = new Set<number>()
  const changes: Array<Change> = unmatched.map(({ message, part: { id } }) => ({
    _tag: known.has(id) ? "DuplicateResultDropped" : "OrphanResultDropped",
    message,
    callId: id
  }))

  const content = messages.flatMap((message, index): ReadonlyArray<Prompt.Message> => {
    if (intact.has(index)) return [message]
    if (consumed.has(index)) return []
    if (EmptyContent.hasEmpty(message)) changes.push({ _tag: "EmptyContentRemoved", message: index })
    const cleaned = EmptyContent.withoutResults(message)
    const calls = rounds.get(index)
    if (cleaned === undefined) return []
    if (cleaned.role !== "assistant" || calls === undefined) return [cleaned]

    const near = toolMessagesAfter(messages, index)
    const results = Round.results(calls, ids, substitute)
    changes.push(...Round.changes(calls, ids, near))
    const assistant = Round.withIds(cleaned, calls, ids)
    const before = near.flatMap((place) => resultsIn(messages[place]))
    if (isSame(before, results)) {
      for (const place of near) if (!EmptyContent.hasEmpty(messages[place] ?? cleaned)) intact.add(place)
      return [assistant]
    }
    return [assistant, Prompt.toolMessage({ content: results })]
  })
  return { prompt: Prompt.fromMessages(content), changes: inOrder(changes) }
}

/**
 * Makes a conversation valid for Anthropic's messages API, which has more rules than `repair` applies.
 *
 * **Details**
 *
 * - Texts that contain only white space are removed, and so is white space at the end of an assistant
 *   message that is the last message.
 * - Invalid characters of ids and tool names are replaced in the call and its result.
 * - Reasoning without a signature and calls that another provider ran are removed.
 * - Only the last four `cache_control` marks are kept, and names of authors are removed.
 * - System messages move to the front. If the next message is not a user message, one is added.
 *
 * Returns the same object with no changes if the conversation is valid for Anthropic.
 */
export const repairForAnthropic = (
  prompt: Prompt.Prompt,
  substitute: Round.SubstituteResult = interrupted
): RepairedTranscript => {
  const marks = AnthropicCacheControl.limit(prompt.content)
  const names = MessageOptions.withoutNames(marks.messages)
  const parts = AnthropicRepair.repairParts(names.messages)
  const isChanged = parts.messages.some((message, index) => message !== prompt.content[index])
  const repaired = repair(isChanged ? Prompt.fromMessages(parts.messages) : prompt, substitute)
  const arranged = AnthropicRepair.arrange(repaired.prompt, prompt)
  const isArranged = arranged.messages !== repaired.prompt.content
  return {
    prompt: isArranged ? Prompt.fromMessages(arranged.messages) : repaired.prompt,
    changes: inOrder([...marks.changes, ...names.changes, ...parts.changes, ...repaired.changes, ...arranged.changes])
  }
}

/**
 * Makes a conversation valid for OpenAI's Responses API, which has more rules than `repair` applies.
 *
 * **Details**
 *
 * - Reasoning is removed unless it is an item of this API that can be read again and an item of its answer follows. The
 *   items that belong to removed reasoning lose their ids.
 * - Repeated ids of items, and ids that the API does not issue, are removed.
 * - Tool names and call ids that the API rejects are replaced in the call and its result.
 * - Calls that another provider ran are removed, and names of authors.
 *
 * Returns the same object with no changes if the conversation is valid for the API.
 */
export const repairForResponses = (
  prompt: Prompt.Prompt,
  substitute: Round.SubstituteResult = interrupted
): RepairedTranscript => {
  const names = MessageOptions.withoutNames(prompt.content)
  const parts = ResponsesRepair.repairParts(names.messages)
  const isChanged = parts.messages.some((message, index) => message !== prompt.content[index])
  const repaired = repair(isChanged ? Prompt.fromMessages(parts.messages) : prompt, substitute)
  return {
    prompt: repaired.prompt,
    changes: inOrder([...names.changes, ...parts.changes, ...repaired.changes])
  }
}
