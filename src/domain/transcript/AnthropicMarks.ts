/**
 * Keeps at most four marks for the provider's cache, the latest: Anthropic's API refuses a request with more. Hosts that
 * mark the last message of every turn, and read their log again, have one more each time.
 */
import type * as Prompt from "effect/ai/Prompt"
import * as AnthropicFields from "./AnthropicFields.ts"
import type { Change } from "./Change.ts"

const mostMarks = 4

interface Marked {
  readonly options: Prompt.ProviderOptions
}

const isMarked = ({ options }: Marked): boolean => {
  const { cacheControl, cache_control = cacheControl } = AnthropicFields.kept(options)
  return cache_control !== undefined && cache_control !== null
}

const unmarked = <A extends Marked>(one: A): A => {
  const { cache_control: _, cacheControl: __, ...rest } = AnthropicFields.kept(one.options)
  // what is left of options is what stood in them
  const anthropic = rest as NonNullable<Prompt.ProviderOptions[string]>
  return { ...one, options: { ...one.options, anthropic } }
}

/** The last of a list first: what a message holds, and the message itself before it. */
const withFewer = (message: Prompt.Message, leave: () => boolean): Prompt.Message => {
  const own = isMarked(message) && !leave() ? unmarked(message) : message
  if (own.role === "system") return own
  const before = own.content as ReadonlyArray<Prompt.Part>
  const content = before
    .toReversed()
    .map((part) => (isMarked(part) && !leave() ? unmarked(part) : part))
    .toReversed()
  // each part stays of its kind, and so one of its message
  return content.every((part, index) => part === before[index]) ? own : ({ ...own, content } as Prompt.Message)
}

/** The same messages with at most four marks. System messages are told first, and their marks go first. */
export const fewer = (messages: ReadonlyArray<Prompt.Message>) => {
  const changes: Array<Change> = []
  let left = mostMarks
  const leave = () => left-- > 0
  const told = messages.map((message, index) => ({ message, index }))
  const inOrder = [
    ...told.filter(({ message }) => message.role === "system"),
    ...told.filter(({ message }) => message.role !== "system")
  ]
  const after = [...messages]
  for (const { index, message } of inOrder.toReversed()) {
    const mended = withFewer(message, leave)
    if (mended === message) continue
    after[index] = mended
    changes.push({ _tag: "MarksLeftOut", message: index })
  }
  return changes.length === 0 ? { messages, changes } : { messages: after, changes }
}
