/**
 * The answer of a model in its two forms: whole parts, and the pieces in which they are streamed.
 *
 * - `collect` turns streamed pieces into the parts that a request without streaming would have given, so that one loop
 *   serves both; `toStream` does the reverse, for models that are scripted or recorded.
 * - Text that was begun and never ended is kept: it was said. Arguments that never became a call are not a call; one that
 *   did stands where its arguments began, since a provider wants its thinking back in the order in which it came.
 */
import * as Response from "effect/ai/Response"

interface Block {
  readonly index: number
  readonly kind: "text" | "reasoning"
  text: string
  metadata: Response.ProviderMetadata
}

/** Reasoning without a text may still have to go back to its provider: what it withheld, or did itself. */
const isKept = ({ kind, metadata }: Block): boolean => kind === "reasoning" && Object.keys(metadata).length > 0

/** The parts of a streamed answer, in the order in which they began. */
export const collect = (pieces: ReadonlyArray<Response.AnyPart>): ReadonlyArray<Response.AnyPart> => {
  const parts: Array<Response.AnyPart | undefined> = []
  const blocks = new Map<string, Block>()
  const begunCalls = new Map<string, number>()

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
    if (block.text !== "" || isKept(block))
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
        begunCalls.set(piece.id, parts.length)
        parts.push(undefined)
        break
      case "tool-params-delta":
      case "tool-params-end":
        break
      case "tool-call": {
        const begun = begunCalls.get(piece.id)
        begunCalls.delete(piece.id)
        if (begun === undefined) parts.push(piece)
        else parts[begun] = piece
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

/** The pieces in which an answer would be streamed: each text and each call's arguments in one delta. */
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
