/**
 * Assembles the content blocks of a streamed answer.
 *
 * Each function returns the parts to emit for an event, or a sentence that says how the event violates the protocol.
 */
import type * as Response from "effect/ai/Response"
import * as CallArguments from "#domain/transcript/CallArguments"
import * as Fields from "#domain/json/Fields"
import type { JsonObject } from "#domain/json/JsonObject"
import type { Calls } from "#layers/internal/model/FinishReason"
import * as Answer from "./Response.ts"
import * as FreshIds from "#layers/internal/model/FreshIds"

type Parts = ReadonlyArray<Response.StreamPartEncoded>

interface Block {
  readonly kind: "text" | "thinking" | "tool_use" | "other"
  /** The block as its first event described it. */
  readonly first: JsonObject
  /** The id of the block's parts; for a call, the id in the conversation. */
  readonly id: string
  /** The content of the block's deltas: text, thinking, or the JSON of arguments. */
  text: string
  signature: unknown
  readonly citations: Array<unknown>
  isOpen: boolean
}

const kindOf = ({ type }: JsonObject): Block["kind"] =>
  type === "text" || type === "thinking" || type === "tool_use" ? type : "other"

const isComplete = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * Returns the text of a call's arguments: the streamed text, or the input of the block's first event if none was sent.
 */
const argumentsOf = ({ first, text }: Block): string =>
  text === "" ? CallArguments.textOf(first["input"] ?? {}) : text

/** Returns a block of another kind with its streamed input. */
const wholeOf = ({ first, text }: Block): JsonObject =>
  text !== "" && isComplete(text) ? { ...first, input: JSON.parse(text) as unknown } : first

/** Collects the blocks of one answer. `takenIds` are the call ids of the conversation. */
export const make = (takenIds: ReadonlySet<string>) => {
  const blocks = new Map<number, Block>()
  const freshId = FreshIds.make(takenIds)
  let size = 0

  const grow = (block: Block, text: string): void => {
    block.text += text
    size += text.length
  }

  const start = (index: number | undefined, first: JsonObject): Parts | string => {
    if (index === undefined) return "it has no index"
    if (blocks.has(index)) return `block ${index} has already started`
    const kind = kindOf(first)
    const id = kind === "tool_use" ? freshId(Fields.string(first["id"])) : `${kind}-${index}`
    const block: Block = { kind, first, id, text: "", signature: first["signature"], citations: [], isOpen: true }
    blocks.set(index, block)
    const text = Fields.string(first["text"]) || Fields.string(first["thinking"])
    switch (kind) {
      case "text":
        return [{ type: "text-start", id }, ...extendText(block, text)]
      case "thinking":
        return [{ type: "reasoning-start", id }, ...extendThinking(block, text)]
      case "tool_use":
        return [{ type: "tool-params-start", id, name: Fields.string(first["name"]) }]
      case "other":
        size += CallArguments.textOf(first).length
        return []
    }
  }

  const extendText = (block: Block, delta: string): Parts => {
    grow(block, delta)
    return delta === "" ? [] : [{ type: "text-delta", id: block.id, delta }]
  }

  const extendThinking = (block: Block, delta: string): Parts => {
    grow(block, delta)
    return delta === "" ? [] : [{ type: "reasoning-delta", id: block.id, delta }]
  }

  const extend = (index: number | undefined, delta: JsonObject): Parts | string => {
    const block = index === undefined ? undefined : blocks.get(index)
    if (block === undefined) return `block ${index ?? "without an index"} has not started`
    if (!block.isOpen) return `block ${index} has ended`
    const type = Fields.string(delta["type"])
    const misplaced = `${type} does not belong in a block of the type ${Fields.string(block.first["type"])}`
    switch (type) {
      case "text_delta":
        return block.kind === "text" ? extendText(block, Fields.string(delta["text"])) : misplaced
      case "thinking_delta":
        return block.kind === "thinking" ? extendThinking(block, Fields.string(delta["thinking"])) : misplaced
      case "signature_delta":
        if (block.kind !== "thinking") return misplaced
        block.signature = delta["signature"]
        return []
      case "citations_delta":
        if (block.kind !== "text") return misplaced
        block.citations.push(delta["citation"])
        return []
      case "input_json_delta": {
        if (block.kind === "text" || block.kind === "thinking") return misplaced
        const text = Fields.string(delta["partial_json"])
        grow(block, text)
        return block.kind === "other" || text === "" ? [] : [{ type: "tool-params-delta", id: block.id, delta: text }]
      }
      default:
        return []
    }
  }

  const stop = (index: number | undefined): Parts | string => {
    const block = index === undefined ? undefined : blocks.get(index)
    if (block === undefined) return `block ${index ?? "without an index"} has not started`
    if (!block.isOpen) return `block ${index} has already ended`
    block.isOpen = false
    const { citations, id, kind, signature } = block
    switch (kind) {
      case "text":
        return [{ type: "text-end", id, metadata: Answer.citations(citations) }]
      case "thinking":
        return [{ type: "reasoning-end", id, metadata: Answer.thinkingMetadata(signature) }]
      case "tool_use":
        return [{ type: "tool-params-end", id }]
      case "other": {
        const { metadata = {} } = Answer.opaque(wholeOf(block))
        return [
          { type: "reasoning-start", id, metadata },
          { type: "reasoning-end", id, metadata }
        ]
      }
    }
  }

  const calls = () => [...blocks.values()].filter(({ kind }) => kind === "tool_use")

  return {
    start,
    extend,
    stop,
    /** Returns the complete calls, in the order in which they started. */
    finish: (): Parts =>
      calls().map((block) =>
        Answer.toolCall(block.id, Fields.string(block.first["name"]), argumentsOf(block), block.first["caller"])
      ),
    /** Returns the index of a block that has not ended. */
    open: (): number | undefined => [...blocks].find(([, { isOpen }]) => isOpen)?.[0],
    /** Returns whether there are calls, and whether the arguments of each are complete. */
    state: (): Calls => {
      const all = calls()
      if (all.length === 0) return "none"
      return all.every((block) => isComplete(argumentsOf(block))) ? "complete" : "cut"
    },
    /** Returns the approximate number of characters in all blocks. */
    size: () => size
  }
}
