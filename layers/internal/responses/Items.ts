/**
 * Writes a conversation as the items of a request.
 *
 * The API refuses some conversations, so without repairs every later request would fail. These repairs are made only in
 * the request: the conversation is repaired (`Transcript.repairForResponses`), and the changes are returned; arguments
 * that are not a JSON object are wrapped into one, because compatible servers parse the whole history.
 */
import * as Prompt from "effect/ai/Prompt"
import * as CallArguments from "#domain/transcript/CallArguments"
import * as Transcript from "#domain/transcript/Transcript"

type Items = ReadonlyArray<Transcript.ResponsesItem>

/** The items of a request, and the repairs of the conversation. */
interface WireConversation {
  readonly items: Items
  /** The new items after the first `known` messages; undefined if the conversation was repaired. */
  readonly since: (known: number) => Items | undefined
  readonly changes: ReadonlyArray<Transcript.Change>
}

const isCall = (
  item: Transcript.ResponsesItem
): item is Extract<Transcript.ResponsesItem, { readonly arguments: string }> => item.type === "function_call"

const onWire = (items: Items): Items =>
  items.map((item) =>
    isCall(item) ? { ...item, arguments: CallArguments.writeObject(CallArguments.read(item.arguments)) } : item
  )

/** Writes a conversation as items that the API accepts. */
export const make = (damaged: Prompt.Prompt): WireConversation => {
  const { changes, prompt } = Transcript.repairForResponses(damaged)
  const items = onWire(Transcript.toResponses(prompt))
  return {
    items,
    since: (known) => {
      if (changes.length > 0) return undefined
      const before = Transcript.toResponses(Prompt.fromMessages(prompt.content.slice(0, known)))
      return items.slice(before.length)
    },
    changes
  }
}
