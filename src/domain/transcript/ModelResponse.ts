/**
 * Converts a model's reply between complete parts and streamed parts.
 *
 * - `collect` merges streamed parts into the parts that a request without streaming returns, so that one loop handles
 *   both. `toStream` does the reverse, for scripted and recorded models.
 * - A text without an end part is kept. Arguments without a `tool-call` part are dropped.
 * - A call takes the position of its first arguments, because providers require thinking and calls in their original
 *   order.
 */
import * as Response from "effect/ai/Response"

interface Block {
  readonly index: number
  readonly kind: "text" | "reasoning"
  text: string
  metadata: Response.ProviderMetadata
}

/** True if reasoning without a text must be sent back to its provider, because of its metadata. */
const hasMetadata = ({ kind, metadata }: Block): boolean => kind === "reasoning" && Object.keys(metadata).length > 0

/** Merges streamed parts into complete parts, in the order of their first streamed part. */
export const collect = (pieces: ReadonlyArray<Response.AnyPart>): ReadonlyArray<Response.AnyPart> => {
  const parts: Array<Response.AnyPart | undefined> = []
  const blocks = new Map<string, Block>()
  const callIndices = new Map<string, number>()

  const begin = (kind: Block["kind"], id: string, metadata: Response.ProviderMetadata): Block => {
    const block: Block = { index: parts.length, kind, text: "", metadata }
    blocks.set(`${kind} ${id}`, block)
    parts.push(undefined)
    return block
  }
  const extend = (kind: Block["kind"], id: string, delta: string, metadata: Response.ProviderMetadata) => {
    const block = blocks.get(`${kind} ${id}`) ?? begin(kind, id, metadata)
    block.text += delta
    block.metadata = { ...block.metadata, ...metadata }
    if (block.text !== "" || hasMetadata(block))
      parts[block.index] = Response.makePart(kind, { text: block.text, metadata: block.metadata })
  }

  for (const piece of pieces) {
    switch (piece.type) {
      case "text-start":
        begin("text", piece.id, piece.metadata)
        break
      case "reasoning-start":
        begin("reasoning", piece.id, piece.metadata)
        break
      case "text-delta":
        extend("text", piece.id, piece.delta, piece.metadata)
        break
      case "reasoning-delta":
        extend("reasoning", piece.id, piece.delta, piece.metadata)
        break
      case "text-end":
        extend("text", piece.id, "", piece.metadata)
        break
      case "reasoning-end":
        extend("reasoning", piece.id, "", piece.metadata)
        break
      case "tool-params-start":
        callIndices.set(piece.id, parts.length)
        parts.push(undefined)
        break
      case "tool-params-delta":
      case "tool-params-end":
        break
      case "tool-call": {
        const index = callIndices.get(piece.id)
        callIndices.delete(piece.id)
        if (index === undefined) parts.push(piece)
        else parts[index] = piece
        break
      }
      default:
        parts.push(piece)
    }
  }
  return parts.filter((part) => part !== undefined)
}

const block = (
  kind: "text" | "reasoning",
  id: string,
  text: string,
  metadata: Response.ProviderMetadata
): ReadonlyArray<Response.StreamPartEncoded> => [
  { type: `${kind}-start`, id, metadata },
  { type: `${kind}-delta`, id, delta: text },
  { type: `${kind}-end`, id }
]

/** Splits complete parts into streamed parts, with one delta for each text and each call's arguments. */
export const toStream = (
  parts: ReadonlyArray<Response.PartEncoded>,
  argumentsOf: (call: Response.ToolCallPartEncoded) => string
): ReadonlyArray<Response.StreamPartEncoded> =>
  parts.flatMap((part, index): ReadonlyArray<Response.StreamPartEncoded> => {
    switch (part.type) {
      case "text":
      case "reasoning":
        return block(part.type, `${index}`, part.text, part.metadata ?? {})
      case "tool-call":
        return [
          { type: "tool-params-start", id: part.id, name: part.name },
          { type: "tool-params-delta", id: part.id, delta: argumentsOf(part) },
          { type: "tool-params-end", id: part.id },
          part
        ]
      default:
        return [part]
    }
  })
