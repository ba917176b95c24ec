/**
 * The content blocks of a streamed answer, as they grow.
 *
 * Each function returns the parts that show what happened, or a sentence that says how the event breaks the protocol.
 */
import type * as Response from "effect/ai/Response"
import * as Transcript from "#domain/transcript/Transcript"
import * as CallArguments from "#domain/transcript/CallArguments"
import * as Fields from "#domain/json/Fields"
import type { JsonObject } from "#domain/json/JsonObject"
import * as Answer from "./Response.ts"

type Parts = ReadonlyArray<Response.StreamPartEncoded>

interface Block {
  readonly kind: "text" | "thinking" | "tool_use" | "other"
  /** As it began. */
  readonly told: JsonObject
  /** The id of its parts: for a call the id in the conversation. */
  readonly id: string
  /** What its deltas brought: text, thinking, or the JSON of arguments. */
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

/** The text of a call's arguments: what was streamed, or else what stood in the block when it began. */
const argumentsOf = ({ text, told }: Block): string => (text === "" ? CallArguments.textOf(told["input"] ?? {}) : text)

/** A block that nobody reads, with the input that was streamed. */
const wholeOf = ({ text, told }: Block): JsonObject =>
  text !== "" && isComplete(text) ? { ...told, input: JSON.parse(text) as unknown } : told

/** Collects the blocks of one answer. `seen` holds the call ids of the conversation. */
export const make = (seen: ReadonlySet<string>) => {
  const blocks = new Map<number, Block>()
  const taken = new Set(seen)
  let size = 0

  const freshId = (told: string): string => {
    const id = told !== "" && !taken.has(told) ? told : Transcript.nextId(taken)
    taken.add(id)
    return id
  }

  const grow = (block: Block, text: string): void => {
    block.text += text
    size += text.length
  }

  const start = (index: number | undefined, told: JsonObject): Parts | string => {
    if (index === undefined) return "it has no index"
    if (blocks.has(index)) return `block ${index} has begun before`
    const kind = kindOf(told)
    const id = kind === "tool_use" ? freshId(Fields.string(told["id"])) : `${kind}-${index}`
    const block: Block = { kind, told, id, text: "", signature: told["signature"], citations: [], isOpen: true }
    blocks.set(index, block)
    const first = Fields.string(told["text"]) || Fields.string(told["thinking"])
    switch (kind) {
      case "text":
        return [{ type: "text-start", id }, ...extendText(block, first)]
      case "thinking":
        return [{ type: "reasoning-start", id }, ...extendThinking(block, first)]
      case "tool_use":
        return [{ type: "tool-params-start", id, name: Fields.string(told["name"]) }]
      case "other":
        size += CallArguments.textOf(told).length
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
    if (block === undefined) return `block ${index ?? "without an index"} has not begun`
    if (!block.isOpen) return `block ${index} has ended`
    const type = Fields.string(delta["type"])
    const misplaced = `a ${type} does not belong into a block of the type ${Fields.string(block.told["type"])}`
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
    if (block === undefined) return `block ${index ?? "without an index"} has not begun`
    if (!block.isOpen) return `block ${index} has ended before`
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

  const all = () => [...blocks.values()]
  const calls = () => all().filter(({ kind }) => kind === "tool_use")

  return {
    start,
    extend,
    stop,
    /** The calls, whole, in the order in which they began. */
    finish: (): Parts =>
      calls().map((block) =>
        Answer.toolCall(block.id, Fields.string(block.told["name"]), argumentsOf(block), block.told["caller"])
      ),
    /** The index of a block that has not ended. */
    open: (): number | undefined => [...blocks].find(([, { isOpen }]) => isOpen)?.[0],
    /** How many calls there are. */
    calls: () => calls().length,
    /** Whether the arguments of each are complete. */
    areComplete: () => calls().every((block) => isComplete(argumentsOf(block))),
    /** Roughly how much they hold, in characters. */
    size: () => size
  }
}
