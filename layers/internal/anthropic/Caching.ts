/**
 * Marks the parts of a request that the provider caches: the tools, the system text, and the conversation so far.
 *
 * The provider compares from the beginning: tools, then system, then messages. The last two user messages are marked,
 * so that a request finds the cache entry of the previous request, regardless of the number of calls between them. The
 * API allows at most four marks; marks that the conversation already has take precedence.
 */
import type * as Transcript from "#domain/transcript/Transcript"

const maxMarks = 4

type Tools = ReadonlyArray<object>

const isMarked = (block: object): boolean => "cache_control" in block && (block.cache_control ?? null) !== null

const blocksOf = (content: string | ReadonlyArray<Transcript.AnthropicBlock> | undefined): ReadonlyArray<object> =>
  content === undefined || typeof content === "string" ? [] : content

/** Returns a list with its last item marked. */
const marked = <A extends object>(
  list: ReadonlyArray<A>,
  cache_control: Transcript.AnthropicCacheControl
): ReadonlyArray<A> => list.map((one, index) => (index === list.length - 1 ? { ...one, cache_control } : one))

const asBlocks = (
  content: string | ReadonlyArray<Transcript.AnthropicBlock>
): ReadonlyArray<Transcript.AnthropicBlock> =>
  typeof content === "string" ? [{ type: "text", text: content }] : content

/** Marks a request, up to the number of marks that the API allows. */
export const mark = (
  { messages, system }: Transcript.AnthropicHistory,
  tools: Tools,
  cache_control: Transcript.AnthropicCacheControl
): { readonly history: Transcript.AnthropicHistory; readonly tools: Tools } => {
  const all = [...tools, ...blocksOf(system), ...messages.flatMap(({ content }) => blocksOf(content))]
  let left = maxMarks - all.filter(isMarked).length
  const canMark = (last: object | undefined): boolean => {
    if (last === undefined || isMarked(last) || left <= 0) return false
    left -= 1
    return true
  }
  const users = messages.flatMap(({ role }, index) => (role === "user" ? [index] : [])).slice(-2)
  const places = new Set(users.toReversed().filter((index) => canMark(asBlocks(messages[index]?.content ?? "").at(-1))))
  const text =
    system === undefined ? [] : typeof system === "string" ? [{ type: "text" as const, text: system }] : system
  const marksSystem = canMark(text.at(-1))
  const marksTools = canMark(tools.at(-1))
  return {
    history: {
      ...(system === undefined ? {} : { system: marksSystem ? marked(text, cache_control) : system }),
      messages: messages.map((message, index) =>
        places.has(index) ? { ...message, content: marked(asBlocks(message.content), cache_control) } : message
      )
    },
    tools: marksTools ? marked(tools, cache_control) : tools
  }
}
