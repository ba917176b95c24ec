/**
 * Keeps the last four `cache_control` marks of a conversation, because Anthropic's API rejects a request with more
 * marks.
 *
 * A host that marks the last message of every turn and reloads its log adds one mark per turn.
 */
import type * as Prompt from "effect/ai/Prompt"
import * as AnthropicFields from "./AnthropicFields.ts"
import type { Change } from "./Change.ts"

const maxMarks = 4

interface MarkedPart {
  readonly options: Prompt.ProviderOptions
}

const isMarked = ({ options }: MarkedPart): boolean => {
  const { cacheControl, cache_control = cacheControl } = AnthropicFields.extraFields(options)
  return cache_control !== undefined && cache_control !== null
}

const unmarked = <A extends MarkedPart>(one: A): A => {
  const { cache_control: _, cacheControl: __, ...rest } = AnthropicFields.extraFields(one.options)
  // The remaining fields were valid options before.
  const anthropic = rest as NonNullable<Prompt.ProviderOptions[string]>
  return { ...one, options: { ...one.options, anthropic } }
}

/**
 * Removes the marks for which `keep` returns false. Calls `keep` for the message, and then for its parts, the last
 * first.
 */
const unmarkAll = (message: Prompt.Message, keep: () => boolean): Prompt.Message => {
  const own = isMarked(message) && !keep() ? unmarked(message) : message
  if (own.role === "system") return own
  const before = own.content as ReadonlyArray<Prompt.Part>
  const content = before
    .toReversed()
    .map((part) => (isMarked(part) && !keep() ? unmarked(part) : part))
    .toReversed()
  // Each part keeps its type, so it still fits its message.
  return content.every((part, index) => part === before[index]) ? own : ({ ...own, content } as Prompt.Message)
}

/**
 * Limits the conversation to four marks, and reports the messages that it changed.
 *
 * The API puts system messages before all others, so their marks count as the earliest and are removed first.
 */
export const limit = (messages: ReadonlyArray<Prompt.Message>) => {
  const changes: Array<Change> = []
  let remaining = maxMarks
  const keep = () => remaining-- > 0
  const indexed = messages.map((message, index) => ({ message, index }))
  const inApiOrder = [
    ...indexed.filter(({ message }) => message.role === "system"),
    ...indexed.filter(({ message }) => message.role !== "system")
  ]
  const after = [...messages]
  for (const { index, message } of inApiOrder.toReversed()) {
    const limited = unmarkAll(message, keep)
    if (limited === message) continue
    after[index] = limited
    changes.push({ _tag: "MarksLeftOut", message: index })
  }
  return { messages: after, changes }
}
