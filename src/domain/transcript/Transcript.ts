/**
 * Keeps a conversation sendable: whatever happened to it, each call is answered exactly once, by a message of the role
 * `tool`, directly behind it, in the order of the calls (SPEC 9.1, 9.4).
 *
 * - `repair` returns a conversation without violations, and what it changed. A valid one comes back as it is.
 * - Repairing twice changes nothing more.
 * - `validate` lists what is wrong; `fromOpenAi`, `toOpenAi`, `fromAnthropic` and `toAnthropic` read and write logs.
 *
 * **Gotchas**
 *
 * Nothing is invented but the answer to a call that has none, and that says so; for Anthropic also the user message with
 * which a conversation must begin.
 */
import * as Prompt from "effect/ai/Prompt"
import { codes } from "#domain/failure/FailureCode"
import * as AnthropicMarks from "./AnthropicMarks.ts"
import * as AnthropicRepair from "./AnthropicRepair.ts"
import * as Binding from "./Binding.ts"
import type { Change } from "./Change.ts"
import * as Content from "./Content.ts"
import * as Round from "./Round.ts"
import { validate } from "./Violation.ts"

export type {
  Block as AnthropicBlock,
  CacheControl as AnthropicCacheControl,
  History as AnthropicHistory,
  Message as AnthropicMessage
} from "./AnthropicMessage.ts"
export { fromAnthropic, type Log as AnthropicLog } from "./AnthropicRead.ts"
export { toAnthropic } from "./AnthropicWrite.ts"
export { callIds, freshIds, next as nextId } from "./CallIds.ts"
export type { Change } from "./Change.ts"
export { fromOpenAi } from "./ChatLogRead.ts"
export { toOpenAi } from "./ChatLogWrite.ts"
export type { ChatMessage } from "./ChatMessage.ts"
export { type Rule, validate, type Violation } from "./Violation.ts"

/** A conversation that can be sent, and what was changed to make it so. */
export interface Repaired {
  readonly prompt: Prompt.Prompt
  readonly changes: ReadonlyArray<Change>
}

/** What stands in for the result of a call that has none: the envelope of an interrupted call, as text. */
export const interrupted: Round.Answer = () => {
  const { hint, meaning, nextStep } = codes.interrupted
  const error = { error_class: "transient", code: "interrupted", message: meaning, hint, next_step: nextStep }
  return JSON.stringify({ status: "error", error: { ...error, side_effect: "unknown" } })
}

/** The tool messages that stand directly behind a message, by index. */
const behind = (messages: ReadonlyArray<Prompt.Message>, start: number): ReadonlyArray<number> => {
  const indices: Array<number> = []
  for (let index = start + 1; messages[index]?.role === "tool"; index++) indices.push(index)
  return indices
}

const resultsIn = (message: Prompt.Message | undefined): ReadonlyArray<Prompt.ToolResultPart> =>
  message?.role === "tool" ? message.content.filter((part) => part.type === "tool-result") : []

const isSame = <A>(left: ReadonlyArray<A>, right: ReadonlyArray<A>): boolean =>
  left.length === right.length && left.every((item, index) => item === right[index])

/**
 * Makes a conversation valid, changing as little as it can.
 *
 * **Details**
 *
 * - A call without a result gets `answer` (default: an envelope that says it was interrupted).
 * - Results move behind their calls, in call order; duplicates and results of no call are left out, the first stands.
 * - Results in user or assistant messages get the role `tool`.
 * - Empty messages and texts go; an empty user message says that it was empty.
 * - Empty and repeated call ids are replaced in call and result.
 *
 * A valid conversation comes back as the same object with no changes.
 */
export const repair = (prompt: Prompt.Prompt, answer: Round.Answer = interrupted): Repaired => {
  if (validate(prompt).length === 0) return { prompt, changes: [] }
  const messages = prompt.content
  const { consumed, left, rounds } = Binding.make(prompt)
  const all = [...rounds.values()].flat()
  const known = new Set(all.map(({ id }) => id))
  const ids = Round.assignIds(all)
  const intact = new Set<number>()
  const changes: Array<Change> = left.map(({ message, part: { id } }) => ({
    _tag: known.has(id) ? "DuplicateResultDropped" : "OrphanResultDropped",
    message,
    callId: id
  }))

  const content = messages.flatMap((message, index): ReadonlyArray<Prompt.Message> => {
    if (intact.has(index)) return [message]
    if (consumed.has(index)) return []
    if (Content.hasEmpty(message)) changes.push({ _tag: "EmptyContentRemoved", message: index })
    const kept = Content.withoutResults(message)
    const calls = rounds.get(index)
    if (kept === undefined) return []
    if (kept.role !== "assistant" || calls === undefined) return [kept]

    const near = behind(messages, index)
    const results = Round.results(calls, ids, answer)
    changes.push(...Round.changes(calls, ids, near))
    const assistant = Round.withIds(kept, calls, ids)
    const before = near.flatMap((place) => resultsIn(messages[place]))
    if (isSame(before, results)) {
      for (const place of near) if (!Content.hasEmpty(messages[place] ?? kept)) intact.add(place)
      return [assistant]
    }
    return [assistant, Prompt.toolMessage({ content: results })]
  })
  return { prompt: Prompt.fromMessages(content), changes: changes.sort((a, b) => a.message - b.message) }
}

/**
 * Makes a conversation valid for Anthropic's messages API: `repair`, and what that API refuses beside it.
 *
 * **Details**
 *
 * - White space alone is no text; at the end of a last assistant message it is left out.
 * - Ids and tool names get the letters that it takes, in call and result alike.
 * - Reasoning without its signature and calls that another provider ran are left out.
 * - Of marks for the cache the last four stand.
 * - System messages go to the front; a conversation that does not begin with a user message gets one.
 *
 * A conversation that is fine comes back as the same object with no changes.
 */
export const repairForAnthropic = (prompt: Prompt.Prompt, answer: Round.Answer = interrupted): Repaired => {
  const marks = AnthropicMarks.fewer(prompt.content)
  const mended = AnthropicRepair.mendParts(marks.messages)
  const isMended = mended.messages.some((message, index) => message !== prompt.content[index])
  const repaired = repair(isMended ? Prompt.fromMessages(mended.messages) : prompt, answer)
  const arranged = AnthropicRepair.arrange(repaired.prompt, prompt)
  const isArranged = arranged.messages !== repaired.prompt.content
  return {
    prompt: isArranged ? Prompt.fromMessages(arranged.messages) : repaired.prompt,
    changes: [...marks.changes, ...mended.changes, ...repaired.changes, ...arranged.changes].sort(
      (a, b) => a.message - b.message
    )
  }
}
