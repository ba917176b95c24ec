/**
 * Assembles streamed calls from their pieces, even if the server breaks the format.
 *
 * In the format, a call has an `index`; its first piece has id and name, and the following pieces have only arguments.
 * These deviations of servers are read correctly too:
 *
 * - the same index for every call (Ollama, Gemini), each call with a different id and usually complete in one piece;
 * - no index: the piece belongs to the call with its id. If it has no id, or has no name while the latest call is
 *   incomplete, it belongs to the latest call;
 * - an unknown index: a piece without a name belongs to the call with its id or, if it has no id, to the latest call;
 * - id and name repeated in every piece, or a different id in every piece (older vLLM);
 * - a name in several pieces, before any arguments, with the same index and no other id;
 * - the id or the name only in a later piece; an empty id; the same id for two calls;
 * - arguments as an object instead of text.
 *
 * A piece starts a new call if these rules assign it to no call, or if it names a tool and cannot continue the call at
 * its place: the arguments of that call are complete JSON; the ids differ, and the piece has no arguments or begins an
 * object; or an id is missing, and the names differ.
 */
import type * as Response from "effect/ai/Response"
import * as FreshIds from "#layers/internal/model/FreshIds"
import * as Fields from "#domain/json/Fields"
import type { JsonObject } from "#domain/json/JsonObject"
import type { Calls } from "#layers/internal/model/FinishReason"
import { argumentsText, toolCall } from "./Response.ts"

/**
 * Characters counted for each call and piece in addition to its text, so that many empty pieces reach the limit too.
 */
const callSize = 100
const pieceSize = 16

interface Call {
  /** The number of calls that started before this call. */
  readonly order: number
  readonly index: number | undefined
  /** The id that the server sent first; empty if it sent none. */
  sentId: string
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

/** The last character of a text that can be a complete JSON value. */
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

/**
 * Returns true if a piece contains the next part of the name of the call at its index. A repeated name is not a part.
 */
const continuesName = (call: Call, piece: Piece): boolean =>
  piece.index !== undefined &&
  piece.index === call.index &&
  (piece.id === "" || piece.id === call.sentId) &&
  call.name !== "" &&
  call.text === "" &&
  call.id === undefined &&
  piece.name !== "" &&
  piece.name !== call.name

/** Returns true if a piece that names a tool starts a new call instead of continuing the call at its place. */
const starts = (call: Call, piece: Piece): boolean => {
  if (piece.name === "" || call.name === "") return false
  if (continuesName(call, piece)) return false
  const opens = piece.text.trimStart().startsWith("{")
  if (piece.id !== "" && piece.id === call.sentId) return opens && isComplete(call.text)
  if (piece.id !== "" && call.sentId !== "") return opens || piece.text === "" || isComplete(call.text)
  return piece.name !== call.name || (opens && isComplete(call.text))
}

/** Collects the calls of one answer. `takenIds` are the call ids of the conversation. */
export const make = (takenIds: ReadonlySet<string>) => {
  const calls: Array<Call> = []
  // the latest call of each id and of each index: an answer may have a hundred thousand calls
  const byId = new Map<string, Call>()
  const byIndex = new Map<number, Call>()
  const freshId = FreshIds.make(takenIds)
  let size = 0

  const register = (call: Call): void => {
    const same = byId.get(call.sentId)
    if (same === undefined || same.order < call.order) byId.set(call.sentId, call)
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

  /**
   * Returns the parts for the pieces of a call since `from`. A name is complete with the first argument or `isNamed`.
   */
  const show = (call: Call, from: number, isNamed = false): ReadonlyArray<Response.StreamPartEncoded> => {
    if (call.name === "" || (call.id === undefined && call.text === "" && !isNamed)) return []
    const isShown = call.id !== undefined
    const id = (call.id ??= freshId(call.sentId))
    const delta = isShown ? call.text.slice(from) : call.text
    return [
      ...(isShown ? [] : [{ type: "tool-params-start", id, name: call.name } as const]),
      ...(delta === "" ? [] : [{ type: "tool-params-delta", id, delta } as const])
    ]
  }

  return {
    /** Adds the pieces of one chunk, and returns the parts to emit. */
    push: (deltas: ReadonlyArray<JsonObject>): ReadonlyArray<Response.StreamPartEncoded> =>
      deltas.map(read).flatMap((piece) => {
        const place = placeOf(piece)
        size += piece.text.length + pieceSize
        if (place === undefined || starts(place, piece)) {
          const { id: sentId, index, name, text } = piece
          const last = calls.at(-1)
          // calls are shown in the order in which they started
          const before = last === undefined || last.id !== undefined ? [] : show(last, 0, true)
          const call: Call = { order: calls.length, index, sentId, name, text, id: undefined }
          calls.push(call)
          register(call)
          if (index !== undefined) byIndex.set(index, call)
          size += callSize
          return [...before, ...show(call, 0)]
        }
        const from = place.text.length
        if (place.sentId === "") place.sentId = piece.id
        register(place)
        if (place.name === "" || continuesName(place, piece)) place.name += piece.name
        place.text += piece.text
        return show(place, from)
      }),

    /** Ends all calls, in the order in which they started. A call that never got a name has the empty name. */
    finish: (): ReadonlyArray<Response.StreamPartEncoded> =>
      calls.flatMap((call) => {
        const id = call.id ?? freshId(call.sentId)
        const start = call.id === undefined ? [{ type: "tool-params-start", id, name: call.name } as const] : []
        return [...start, { type: "tool-params-end", id } as const, toolCall(id, call.name, call.text)]
      }),

    /** Returns whether there are calls, and whether the arguments of each are complete. */
    state: (): Calls => {
      if (calls.length === 0) return "none"
      return calls.every(({ text }) => text.trim() === "" || isComplete(text)) ? "complete" : "cut"
    },

    /** Returns the approximate number of characters in all calls. */
    size: () => size
  }
}
