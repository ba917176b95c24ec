/**
 * Reads the events of a streamed answer.
 *
 * - Calls are streamed as they grow (`tool-params-*`). At the end, the complete calls are emitted, in the order in
 *   which they started.
 * - An answer is complete with `message_stop`, or when the server has sent a stop reason and no block is open.
 * - Unknown kinds of events and deltas are skipped, as the API requires.
 */
import type * as Response from "effect/ai/Response"
import * as Result from "effect/Result"
import * as Fields from "#domain/json/Fields"
import type { JsonObject } from "#domain/json/JsonObject"
import type { StreamReader } from "#layers/internal/model/Protocol"
import * as Blocks from "./Blocks.ts"
import * as Answer from "./Response.ts"

type Parts = ReadonlyArray<Response.StreamPartEncoded>

/** Returns the fields, overridden by the fields of a later event. */
const merged = (before: JsonObject, later: unknown): JsonObject => ({
  ...before,
  ...Object.fromEntries(Object.entries(Fields.of(later)).filter(([, value]) => value !== null && value !== undefined))
})

/** Creates the reader of one answer. `takenIds` are the call ids of the conversation. */
export const readStream = (takenIds: ReadonlySet<string>): StreamReader => {
  const blocks = Blocks.make(takenIds)
  let usage: JsonObject = {}
  let stopReason = ""
  let stopSequence = ""
  let hasStarted = false
  let isStopped = false

  const read = (event: JsonObject): Parts | string => {
    const type = Fields.string(event["type"])
    const isOfMessage = type.startsWith("content_block_") || type === "message_delta" || type === "message_stop"
    if (isOfMessage && !hasStarted) return "no message has started"
    if (isOfMessage && isStopped) return "the message has ended"
    switch (type) {
      case "message_start": {
        if (hasStarted) return "the message has already started"
        hasStarted = true
        const message = Fields.of(event["message"])
        usage = merged(usage, message["usage"])
        return [Answer.metadata(message)]
      }
      case "content_block_start":
        return blocks.start(Fields.count(event["index"]), Fields.of(event["content_block"]))
      case "content_block_delta":
        return blocks.extend(Fields.count(event["index"]), Fields.of(event["delta"]))
      case "content_block_stop":
        return blocks.stop(Fields.count(event["index"]))
      case "message_delta": {
        const delta = Fields.of(event["delta"])
        stopReason = Fields.string(delta["stop_reason"]) || stopReason
        stopSequence = Fields.string(delta["stop_sequence"]) || stopSequence
        usage = merged(usage, event["usage"])
        return []
      }
      case "message_stop": {
        const open = blocks.open()
        if (open !== undefined) return `block ${open} has not ended`
        isStopped = true
        return []
      }
      default:
        return []
    }
  }

  return {
    read,
    progress: () => {
      if (isStopped) return "over"
      return stopReason !== "" && blocks.open() === undefined ? "complete" : "incomplete"
    },
    size: blocks.size,
    finish: () =>
      Result.succeed([...blocks.finish(), Answer.finish(blocks.state(), { usage, stopReason, stopSequence })])
  }
}
