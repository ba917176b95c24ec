/**
 * Reads exports of Langfuse: observations as rows of a table, of the blob storage or of the interface (in camel case or
 * snake case), and traces and sessions with their observations.
 *
 * **Details**
 *
 * - Generations are requests with their answers, in the format of their input and output. Tool observations add times,
 *   error flags, and results that the messages do not contain. Other observations contain no calls.
 * - Observations with the same session form a conversation, otherwise those of a trace. They may be in any order.
 *
 * **Gotchas**
 *
 * Exports can leave out inputs and outputs. Generations without both are `Skipped`.
 */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as ChatLog from "#kit/traffic/ChatLog"
import * as Content from "#kit/traffic/Content"
import type { Place } from "#kit/traffic/Conversation"
import * as FieldCase from "#kit/traffic/FieldCase"
import { type Item, nothing, type Reader } from "#kit/traffic/Reader"
import * as RecordedTools from "#kit/traffic/RecordedTools"
import * as Shape from "#kit/traffic/Shape"
import * as Time from "#kit/traffic/Time"
import * as TraceLog from "#kit/traffic/TraceLog"
import * as AnyChat from "./AnyChat.ts"
import * as TraceRequest from "./TraceRequest.ts"

/** Reads observations, and the observations of traces and sessions. */
export const reader = (): Reader => {
  const log = TraceLog.make()
  const toolsOf = RecordedTools.make()

  const readObservation = (observation: JsonObject, place: Place): ReadonlyArray<Item> => {
    const { input, name, output } = observation
    const trace = Fields.string(FieldCase.either(observation, "traceId"))
    const session = Fields.string(FieldCase.either(observation, "sessionId"))
    const closed = session === "" ? nothing : log.name(trace, session, place)
    const start = timeOf(observation, "startTime") ?? 0
    const type = Fields.string(observation["type"]).toUpperCase()
    if (type === "TOOL") {
      const isFailed = observation["level"] === "ERROR"
      const result = AnyChat.resultOf(output ?? (isFailed ? FieldCase.either(observation, "statusMessage") : undefined))
      const execution = {
        place,
        callId: result.callId,
        name: Fields.string(name),
        ...(input === undefined || input === null ? {} : { arguments: Content.parsed(input) }),
        text: result.text,
        isError: isFailed || result.isError,
        isAnswered: isFailed || (output !== undefined && output !== null),
        at: timeOf(observation, "endTime") ?? 0
      }
      return [...closed, ...log.take(trace, { start, execution }, place)]
    }
    if (type !== "GENERATION") return closed
    const { request, skipped } = TraceRequest.read({
      place,
      input,
      output,
      model: Fields.string(observation["model"]) || Fields.string(FieldCase.either(observation, "providedModelName")),
      tools: toolsOf(toolsIn(observation)),
      usage: usageOf(FieldCase.either(observation, "usageDetails") ?? observation["usage"])
    })
    const taken = request === undefined ? nothing : log.take(trace, { start, request }, place)
    return [...closed, ...taken, ...skipped]
  }

  const readTrace = (trace: JsonObject, place: Place, session: string): ReadonlyArray<Item> => {
    const { trace: inner, observations } = trace
    const own = isJsonObject(inner) ? inner : trace
    const sessionId = Fields.string(FieldCase.either(own, "sessionId")) || session
    const traceId = own["id"]
    return Fields.list(observations).flatMap((one) => readObservation({ sessionId, traceId, ...one }, place))
  }

  return {
    read: (value, place) => {
      const line = Fields.of(value)
      if (Shape.isLangfuseObservation(line)) return readObservation(line, place)
      const { data, observations, traces } = line
      if (Array.isArray(observations)) return readTrace(line, place, "")
      const session = Fields.string(line["id"])
      if (Array.isArray(traces)) return Fields.list(traces).flatMap((trace) => readTrace(trace, place, session))
      return Array.isArray(data)
        ? Fields.list(data).flatMap((one) => readObservation(one, place))
        : [ChatLog.otherFormat("langfuse", value, place)]
    },
    end: log.end
  }
}

const timeOf = (observation: JsonObject, name: string): number | undefined =>
  Time.millisOf(FieldCase.either(observation, name))

/** Returns the tools in the input, or those that Langfuse has extracted: JSON texts by name. */
const toolsIn = (observation: JsonObject): unknown => {
  const listed = TraceRequest.listedTools(Fields.of(Content.parsed(observation["input"])))
  if (listed !== undefined) return listed
  const definitions = Content.parsed(FieldCase.either(observation, "toolDefinitions"))
  if (!isJsonObject(definitions)) return definitions
  return Object.entries(definitions).map(([name, json]) => ({ ...Fields.of(Content.parsed(json)), name }))
}

/** Returns the tokens. Tokens that were read from or written to a cache have separate names, which begin with `input`. */
const usageOf = (logged: unknown): { readonly input: number; readonly output: number } | undefined => {
  const usage = Fields.of(Content.parsed(logged))
  const sum = (prefix: string): number | undefined => {
    const counts = Object.keys(usage)
      .filter((name) => name.startsWith(prefix))
      .map((name) => countOf(usage[name]))
    return counts.length === 0 ? undefined : counts.reduce((one, other) => one + other, 0)
  }
  const input = sum("input") ?? sum("prompt")
  const output = sum("output") ?? sum("completion")
  return input === undefined || output === undefined || input + output === 0 ? undefined : { input, output }
}

const countOf = (logged: unknown): number => Fields.count(typeof logged === "string" ? Number(logged) : logged) ?? 0
