/**
 * Assembles the items of a streamed answer.
 *
 * Each function returns the parts to emit for an event, or a sentence that says how the event violates the protocol.
 * The last event of an item has the whole item: a text or arguments that were not streamed, or only in part, are
 * completed from it.
 */
import type * as Response from "effect/ai/Response"
import * as Fields from "#domain/json/Fields"
import type { JsonObject } from "#domain/json/JsonObject"
import * as CallArguments from "#domain/transcript/CallArguments"
import * as ResponsesOutput from "#domain/transcript/ResponsesOutput"
import type { Calls } from "#layers/internal/model/FinishReason"
import * as FreshIds from "#layers/internal/model/FreshIds"

type Parts = ReadonlyArray<Response.StreamPartEncoded>

interface Item {
  readonly index: number
  readonly kind: "message" | "reasoning" | "call" | "other"
  /** The id of the item's parts; for a call, its id in the conversation. */
  readonly id: string
  /** The streamed texts of a message by their index, and of other items under 0. */
  readonly texts: Map<number, string>
  /** The place of the latest piece of reasoning, which has several texts. */
  place: string
  /** The item, as its first event described it, and then as its last event did. */
  item: JsonObject
  isOpen: boolean
}

const kindOf = (item: JsonObject): Item["kind"] => {
  if (ResponsesOutput.isCall(item)) return "call"
  return item["type"] === "message" || item["type"] === "reasoning" ? item["type"] : "other"
}

const isComplete = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return text.trim() === ""
  }
}

/** Returns the end of a whole text after its streamed beginning; empty if it begins differently. */
const restOf = (whole: string, streamed: string): string =>
  whole.startsWith(streamed) ? whole.slice(streamed.length) : ""

/** Collects the items of one answer. `takenIds` are the call ids of the conversation. */
export const make = (takenIds: ReadonlySet<string>) => {
  const items = new Map<number, Item>()
  const freshId = FreshIds.make(takenIds)
  let size = 0

  const grow = (item: Item, place: number, delta: string): void => {
    item.texts.set(place, (item.texts.get(place) ?? "") + delta)
    size += delta.length
  }

  const start = (index: number | undefined, item: JsonObject): Parts | string => {
    if (index === undefined) return "it has no output_index"
    if (items.has(index)) return `item ${index} has already started`
    const kind = kindOf(item)
    const id = kind === "call" ? freshId(Fields.string(item["call_id"])) : `${kind}-${index}`
    items.set(index, { index, kind, id, texts: new Map(), place: "", item, isOpen: true })
    if (kind === "reasoning") return [{ type: "reasoning-start", id }]
    return kind === "call" ? [{ type: "tool-params-start", id, name: Fields.string(item["name"]) }] : []
  }

  /** Returns the open item of an event, or a sentence if it is not open. */
  const openItem = (index: number | undefined): Item | string => {
    const item = index === undefined ? undefined : items.get(index)
    if (item === undefined) return `item ${index ?? "without an output_index"} has not started`
    return item.isOpen ? item : `item ${index} has ended`
  }

  const textId = ({ id }: Item, place: number): string => `${id}-${place}`

  const extendText = (index: number | undefined, place: number, delta: string): Parts | string => {
    const item = openItem(index)
    if (typeof item === "string") return item
    if (item.kind !== "message") return `a text does not belong in an item of the type ${String(item.item["type"])}`
    const id = textId(item, place)
    const begin: Parts = item.texts.has(place) ? [] : [{ type: "text-start", id }]
    grow(item, place, delta)
    return delta === "" ? begin : [...begin, { type: "text-delta", id, delta }]
  }

  const extendReasoning = (index: number | undefined, place: string, delta: string): Parts | string => {
    const item = openItem(index)
    if (typeof item === "string") return item
    if (item.kind !== "reasoning")
      return `reasoning does not belong in an item of the type ${String(item.item["type"])}`
    if (delta === "") return []
    const gap = item.place !== "" && item.place !== place ? "\n\n" : ""
    item.place = place
    grow(item, 0, gap + delta)
    return [{ type: "reasoning-delta", id: item.id, delta: gap + delta }]
  }

  const extendCall = (index: number | undefined, delta: string): Parts | string => {
    const item = openItem(index)
    if (typeof item === "string") return item
    if (item.kind !== "call") return `arguments do not belong in an item of the type ${String(item.item["type"])}`
    grow(item, 0, delta)
    return delta === "" ? [] : [{ type: "tool-params-delta", id: item.id, delta }]
  }

  const endMessage = (item: Item): Parts => {
    const contents = Fields.list(item.item["content"])
    const places = new Set([...contents.keys(), ...item.texts.keys()])
    return [...places].flatMap((place): Parts => {
      const content = contents[place] ?? {}
      const rest = restOf(ResponsesOutput.textOf(content), item.texts.get(place) ?? "")
      if (rest === "" && (item.texts.get(place) ?? "") === "") return []
      const id = textId(item, place)
      const missing = rest === "" ? [] : extendText(item.index, place, rest)
      const end = { type: "text-end", id, metadata: ResponsesOutput.textMetadata(item.item, content) } as const
      return [...(typeof missing === "string" ? [] : missing), end]
    })
  }

  const end = (index: number | undefined, whole: JsonObject): Parts | string => {
    const item = openItem(index)
    if (typeof item === "string") return item
    // some servers omit the id of the item in its last event
    item.item = { ...item.item, ...whole }
    const parts = endParts(item)
    item.isOpen = false
    return parts
  }

  const endParts = (item: Item): Parts => {
    const { id } = item
    const streamed = item.texts.get(0) ?? ""
    switch (item.kind) {
      case "message":
        return endMessage(item)
      case "reasoning": {
        const { metadata } = ResponsesOutput.kept(item.item)
        size += Fields.string(item.item["encrypted_content"]).length
        const delta = restOf(ResponsesOutput.thoughtOf(item.item), streamed)
        grow(item, 0, delta)
        return [
          ...(delta === "" ? [] : [{ type: "reasoning-delta", id, delta } as const]),
          { type: "reasoning-end", id, metadata }
        ]
      }
      case "call": {
        const delta = restOf(ResponsesOutput.argumentsOf(item.item), streamed)
        grow(item, 0, delta)
        return [
          ...(delta === "" ? [] : [{ type: "tool-params-delta", id, delta } as const]),
          { type: "tool-params-end", id }
        ]
      }
      case "other": {
        const { metadata } = ResponsesOutput.kept(item.item)
        size += CallArguments.textOf(item.item).length
        return [
          { type: "reasoning-start", id, metadata },
          { type: "reasoning-end", id, metadata }
        ]
      }
    }
  }

  const calls = () => [...items.values()].filter(({ kind }) => kind === "call")

  const textOf = ({ item, texts }: Item): string => texts.get(0) || ResponsesOutput.argumentsOf(item)

  return {
    start,
    extendText,
    extendReasoning,
    extendCall,
    end,
    /** Ends the items that are open, and adds the items that were not streamed, from the output of the last event. */
    complete: (output: ReadonlyArray<JsonObject>): Parts =>
      [...new Set([...items.keys(), ...output.keys()])].flatMap((index) => {
        const before = items.has(index) ? [] : start(index, output[index] ?? {})
        const after = items.get(index)?.isOpen === true ? end(index, output[index] ?? {}) : []
        return [before, after].flatMap((parts) => (typeof parts === "string" ? [] : parts))
      }),
    /** Returns the complete calls, in the order in which they started. */
    finish: (): ReadonlyArray<Response.ToolCallPartEncoded> =>
      calls().map((item) => ResponsesOutput.call(item.item, item.id, textOf(item))),
    /** Returns whether there are calls, and whether the arguments of each are complete. */
    state: (): Calls => {
      const all = calls()
      if (all.length === 0) return "none"
      return all.every((item) => isComplete(textOf(item))) ? "complete" : "cut"
    },
    /** Returns the approximate number of characters in all items. */
    size: () => size
  }
}
