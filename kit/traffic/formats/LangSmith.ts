/**
 * Reads exports of LangSmith: runs of models and tools (`run_type`), one by one or below their parents (`child_runs`).
 *
 * **Details**
 *
 * - A run of a model is a request with its answer, in the format of its `inputs` and `outputs`. Runs of tools add times,
 *   error flags, and results that the messages do not contain. Other runs (chains, prompts …) contain no calls.
 * - Runs with the same `thread_id`, `session_id` or `conversation_id` in their metadata form a conversation, otherwise
 *   those of a trace. They may be in any order.
 *
 * **Gotchas**
 *
 * The field `session_id` of a run is its project, not its conversation.
 */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as ChatLog from "#kit/traffic/ChatLog"
import * as Content from "#kit/traffic/Content"
import type { Place } from "#kit/traffic/Conversation"
import { type Item, nothing, type Reader } from "#kit/traffic/Reader"
import * as RecordedTools from "#kit/traffic/RecordedTools"
import * as Shape from "#kit/traffic/Shape"
import * as Time from "#kit/traffic/Time"
import * as TraceLog from "#kit/traffic/TraceLog"
import * as AnyChat from "./AnyChat.ts"
import * as TraceRequest from "./TraceRequest.ts"

/** Reads runs. */
export const reader = (): Reader => {
  const log = TraceLog.make()
  const toolsOf = RecordedTools.make()

  const readRun = (run: JsonObject, trace: string, place: Place): ReadonlyArray<Item> => {
    const extra = Fields.of(Content.parsed(run["extra"]))
    const metadata = Fields.of(Content.parsed(extra["metadata"] ?? run["metadata"]))
    const conversation = ChatLog.conversationIdOf(metadata)
    const closed = conversation === undefined ? nothing : log.name(trace, conversation, place)
    const start = Time.millisOf(run["start_time"]) ?? 0
    const inputs = Content.parsed(run["inputs"])
    const outputs = Content.parsed(run["outputs"])
    if (run["run_type"] === "tool") {
      return [...closed, ...log.take(trace, { start, execution: executionOf(run, inputs, outputs, place) }, place)]
    }
    if (run["run_type"] !== "llm") return closed
    const params = Fields.of(extra["invocation_params"])
    const { request, skipped } = TraceRequest.read({
      place,
      input: inputs,
      output: outputs,
      model:
        [metadata["ls_model_name"], params["model"], Fields.of(inputs)["model"]]
          .map(Fields.string)
          .find((name) => name !== "") ?? "",
      tools: toolsOf(TraceRequest.listedTools(params) ?? TraceRequest.listedTools(Fields.of(inputs))),
      usage: undefined
    })
    const taken = request === undefined ? nothing : log.take(trace, { start, request }, place)
    return [...closed, ...taken, ...skipped]
  }

  return {
    read: (value, place) => {
      const root = Fields.of(value)
      if (!Shape.isLangSmithRun(root)) return [ChatLog.otherFormat("langsmith", value, place)]
      const trace = Fields.string(root["trace_id"]) || Fields.string(root["id"]) || ChatLog.placeName(place)
      const items: Array<Item> = []
      const open = [root]
      for (let run = open.pop(); run !== undefined; run = open.pop()) {
        for (const item of readRun(run, trace, place)) items.push(item)
        for (const child of Fields.list(run["child_runs"])) open.push(child)
      }
      return items
    },
    end: log.end
  }
}

const executionOf = (run: JsonObject, inputs: unknown, outputs: unknown, place: Place) => {
  const { error, name } = run
  const isFailed = typeof error === "string" && error !== ""
  const isEmpty =
    outputs === undefined || outputs === null || (isJsonObject(outputs) && Object.keys(outputs).length === 0)
  const result = AnyChat.resultOf(isEmpty && isFailed ? error : outputs)
  const { args, input } = Fields.of(inputs)
  const isCall = args !== undefined && Fields.of(inputs)["name"] === name
  const given = isCall
    ? args
    : input !== undefined && Object.keys(Fields.of(inputs)).length === 1
      ? Content.parsed(input)
      : inputs
  return {
    place,
    callId: result.callId || (isCall ? Fields.string(Fields.of(inputs)["id"]) : ""),
    name: Fields.string(name),
    ...(given === undefined || given === null ? {} : { arguments: given }),
    text: result.text,
    isError: isFailed || result.isError,
    isAnswered: isFailed || !isEmpty,
    at: Time.millisOf(run["end_time"]) ?? 0
  }
}
