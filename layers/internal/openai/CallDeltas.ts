/**
 * Puts streamed calls together again, also where a server does not keep to the format.
 *
 * By the format a call has an `index`; its first piece brings id and name, the following ones only arguments. Seen as
 * well, and read right:
 *
 * - the same index for every call (Ollama, Gemini), each with another id, mostly whole in one piece;
 * - no index at all, or one that no call has: the piece belongs to the call with its id, else to the latest;
 * - id and name repeated in every piece, or another id in every piece (older vLLM);
 * - the id or the name only in a later piece; an empty id; the same id for two calls;
 * - arguments as an object instead of text.
 *
 * A piece begins a new call where it names a tool and cannot continue the call at its place: that one's arguments are
 * complete JSON, or the ids differ.
 */
import type * as Response from "effect/ai/Response"
import * as Transcript from "#domain/transcript/Transcript"
import * as Fields from "#domain/json/Fields"
import type { JsonObject } from "#domain/json/JsonObject"
import { argumentsText, toolCall } from "./Response.ts"

/** What a call and a piece count besides their text, so that many empty ones are bounded too. */
const callSize = 100
const pieceSize = 16

interface Call {
  /** How many calls began before it. */
  readonly order: number
  readonly index: number | undefined
  /** The id that the server sent first; empty where it sent none. */
  told: string
  name: string
  text: string
  /** The id in the conversation, fixed when the call is first shown. */
  id: string | undefined
}

interface Piece {
  readonly index: number | undefined
  readonly id: string
  readonly name: string
  readonly text: string
}

const read = (delta: JsonObject): Piece => {
  const { arguments: text, name } = Fields.of(delta["function"])
  return {
    index: Fields.count(delta["index"]),
    id: Fields.string(delta["id"]),
    name: Fields.string(name),
    text: argumentsText(text)
  }
}

/** What the last character of a JSON value can be. */
const jsonEnd = /[}\]"\dle]/u

const isComplete = (text: string): boolean => {
  if (!jsonEnd.test(text.trimEnd().slice(-1))) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Whether a piece that names a tool begins a call of its own rather than go on with the one at its place. */
const begins = (call: Call, piece: Piece): boolean => {
  if (piece.name === "" || call.name === "") return false
  const opens = piece.text.trimStart().startsWith("{")
  if (piece.id !== "" && piece.id === call.told) return opens && isComplete(call.text)
  if (piece.id !== "" && call.told !== "") return opens || piece.text === "" || isComplete(call.text)
  return piece.name !== call.name || (opens && isComplete(call.text))
}

/** Collects the calls of one answer. `seen` holds the call ids of the conversation. */
export const make = (seen: ReadonlySet<string>) => {
  const calls: Array<Call> = []
  /** The latest call of each id and of each index: an answer may hold a hundred thousand. */
  const byId = new Map<string, Call>()
  const byIndex = new Map<number, Call>()
  const taken = new Set(seen)
  let size = 0

  const know = (call: Call): void => {
    const same = byId.get(call.told)
    if (same === undefined || same.order < call.order) byId.set(call.told, call)
  }

  const placeOf = (piece: Piece): Call | undefined => {
    const last = calls.at(-1)
    const same = piece.id === "" ? undefined : byId.get(piece.id)
    if (piece.index === undefined) {
      return (
        same ??
        (piece.id === "" || (piece.name === "" && last !== undefined && !isComplete(last.text)) ? last : undefined)
      )
    }
    const at = byIndex.get(piece.index)
    if (at !== undefined) return same?.index === at.index ? same : at
    if (piece.name !== "") return undefined
    return same ?? (piece.id === "" ? last : undefined)
  }

  const show = (call: Call, from: number): ReadonlyArray<Response.StreamPartEncoded> => {
    if (call.name === "") return []
    const begun = call.id !== undefined
    if (call.id === undefined) {
      call.id = call.told !== "" && !taken.has(call.told) ? call.told : Transcript.nextId(taken)
      taken.add(call.id)
    }
    const delta = begun ? call.text.slice(from) : call.text
    return [
      ...(begun ? [] : [{ type: "tool-params-start", id: call.id, name: call.name } as const]),
      ...(delta === "" ? [] : [{ type: "tool-params-delta", id: call.id, delta } as const])
    ]
  }

  return {
    /** Takes the pieces of one chunk, and returns what they show. */
    push: (deltas: ReadonlyArray<JsonObject>): ReadonlyArray<Response.StreamPartEncoded> =>
      deltas.map(read).flatMap((piece) => {
        const place = placeOf(piece)
        size += piece.text.length + pieceSize
        if (place === undefined || begins(place, piece)) {
          const { id: told, index, name, text } = piece
          const call: Call = { order: calls.length, index, told, name, text, id: undefined }
          calls.push(call)
          know(call)
          if (index !== undefined) byIndex.set(index, call)
          size += callSize
          return show(call, 0)
        }
        const from = place.text.length
        if (place.told === "") place.told = piece.id
        know(place)
        if (place.name === "") place.name = piece.name
        place.text += piece.text
        return show(place, from)
      }),

    /** Ends all calls, in the order in which they began. A call that never got a name has the empty one. */
    finish: (): ReadonlyArray<Response.StreamPartEncoded> =>
      calls.flatMap((call) => {
        const id = call.id ?? (call.told !== "" && !taken.has(call.told) ? call.told : Transcript.nextId(taken))
        taken.add(id)
        const start = call.id === undefined ? [{ type: "tool-params-start", id, name: call.name } as const] : []
        return [...start, { type: "tool-params-end", id } as const, toolCall(id, call.name, call.text)]
      }),

    /** How many calls there are. */
    count: () => calls.length,
    /** Roughly how much they hold, in characters. */
    size: () => size,
    /** Whether the arguments of each are complete. */
    areComplete: () => calls.every(({ text }) => text.trim() === "" || isComplete(text))
  }
}
