/**
 * Reads the events of a streamed answer.
 *
 * - Calls are streamed as they grow (`tool-params-*`). At the end, the complete calls are emitted, in the order in
 *   which they started.
 * - An answer is complete only with `response.completed` or `response.incomplete`.
 * - Unknown kinds of events are skipped.
 */
import type * as Response from "effect/ai/Response"
import * as Result from "effect/Result"
import * as Fields from "#domain/json/Fields"
import type { JsonObject } from "#domain/json/JsonObject"
import type { StreamReader } from "#layers/internal/model/Protocol"
import * as OutputItems from "./OutputItems.ts"
import * as Answer from "./Response.ts"

type Parts = ReadonlyArray<Response.StreamPartEncoded>

/** Creates the reader of one answer. `takenIds` are the call ids of the conversation. */
export const readStream = (takenIds: ReadonlySet<string>): StreamReader => {
  const items = OutputItems.make(takenIds)
  let hasMetadata = false
  let ended: JsonObject | undefined

  const metadata = (response: JsonObject): Parts => {
    if (hasMetadata) return []
    hasMetadata = true
    return [Answer.metadata(response)]
  }

  const read = (event: JsonObject): Parts | string => {
    const index = Fields.count(event["output_index"])
    const place = Fields.count(event["content_index"]) ?? 0
    const delta = Fields.string(event["delta"])
    switch (event["type"]) {
      case "response.created":
      case "response.in_progress":
      case "response.queued":
        return metadata(Fields.of(event["response"]))
      case "response.output_item.added":
        return items.start(index, Fields.of(event["item"]))
      case "response.output_text.delta":
      case "response.refusal.delta":
        return items.extendText(index, place, delta)
      case "response.reasoning_summary_text.delta":
        return items.extendReasoning(index, `summary ${String(event["summary_index"])}`, delta)
      case "response.reasoning_text.delta":
        return items.extendReasoning(index, `content ${place}`, delta)
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta":
        return items.extendCall(index, delta)
      case "response.output_item.done":
        return items.end(index, Fields.of(event["item"]))
      case "response.completed":
      case "response.incomplete": {
        ended = Fields.of(event["response"])
        return [...metadata(ended), ...items.complete(Fields.list(ended["output"]))]
      }
      default:
        return []
    }
  }

  return {
    read,
    progress: () => (ended === undefined ? "incomplete" : "over"),
    size: items.size,
    finish: () => Result.succeed([...items.finish(), Answer.finish(ended ?? {}, items.state())])
  }
}
