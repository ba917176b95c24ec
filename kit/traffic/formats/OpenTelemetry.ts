/**
 * Reads OTLP JSON with spans or log records of OpenTelemetry's GenAI conventions, as the file exporter and the collector
 * write it, and what the console exporters print (`ConsoleSpan`).
 *
 * **Details**
 *
 * - Requests (`chat`, `generate_content`) with the same `gen_ai.conversation.id` form conversations (`Assembler`);
 *   without an id, the requests of a trace form a conversation. Tool spans (`execute_tool`) add times, and results that
 *   the messages do not contain.
 * - Messages are in `gen_ai.input.messages` and `gen_ai.output.messages`, or in an older form (`OtlpEvents`).
 * - The spans of a line are read in the order of their start times, lines in the order of the file.
 * - A conversation is closed at the end of the file, or when the window of open conversations is full.
 *
 * **Gotchas**
 *
 * Contents are recorded only if the application opted in. Requests without contents are `Skipped`.
 */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as ChatLog from "#kit/traffic/ChatLog"
import * as Content from "#kit/traffic/Content"
import type { Place } from "#kit/traffic/Conversation"
import * as Draft from "#kit/traffic/Draft"
import * as ConsoleSpan from "./ConsoleSpan.ts"
import * as Attributes from "./OtlpAttributes.ts"
import * as Events from "./OtlpEvents.ts"
import * as Parts from "./OtlpParts.ts"
import * as Span from "./OtlpSpan.ts"
import { type Item, type Reader, skipped } from "#kit/traffic/Reader"
import * as RecordedTools from "#kit/traffic/RecordedTools"
import * as Assembler from "#kit/traffic/Assembler"

/** A request whose messages arrive one by one, as log records. */
interface PendingRequest {
  readonly span: Span.Span
  readonly place: Place
  readonly messages: Array<JsonObject>
}

/** The maximum numbers of requests that wait for their answer, and of traces whose conversation id is kept. */
const maxPending = 1_000
const maxTraces = 100_000

/** Reads spans and log records. */
export const reader = (): Reader => {
  const assembler = Assembler.make()
  const toolsOf = RecordedTools.make()
  /** Conversation ids by trace, because tool spans rarely have a conversation id. */
  const conversations = new Map<string, string>()
  const pending = new Map<string, PendingRequest>()

  const conversationOf = ({ attributes, fields }: Span.Span, place: Place) => {
    const trace = Fields.string(fields["traceId"])
    const statedId = Attributes.text(attributes, "gen_ai.conversation.id")
    const id = statedId || conversations.get(trace) || trace || ChatLog.placeName(place)
    return { id, isNamed: statedId !== "" }
  }

  const keepConversationId = ({ attributes, fields }: Span.Span): void => {
    const id = Attributes.text(attributes, "gen_ai.conversation.id")
    if (id === "") return
    if (conversations.size >= maxTraces) conversations.clear()
    conversations.set(Fields.string(fields["traceId"]), id)
  }

  const take = (
    span: Span.Span,
    { draft, isAnswered, mayBeIncremental }: Span.Request,
    place: Place
  ): ReadonlyArray<Item> => {
    const { id, isNamed } = conversationOf(span, place)
    const { messages } = draft
    const answer = isAnswered ? messages.pop() : undefined
    const model = Attributes.text(span.attributes, "gen_ai.request.model", "gen_ai.response.model")
    const definitions = Content.parsed(Attributes.value(span.attributes, "gen_ai.tool.definitions"))
    const closed = assembler.take({
      key: id,
      id,
      speaker: Attributes.text(span.attributes, "gen_ai.agent.id", "gen_ai.agent.name"),
      place,
      model: model === "" ? undefined : model,
      tools: toolsOf(definitions ?? Events.numbered(span.attributes, "llm.request.functions.")),
      messages,
      answer,
      isIncremental: isNamed && mayBeIncremental
    })
    return [...closed, ...Draft.skippedItems(draft, place)]
  }

  /** Completes a request whose messages arrived one by one. */
  const flush = (key: string, { messages, place, span }: PendingRequest, answers: ReadonlyArray<JsonObject>) => {
    pending.delete(key)
    const draft = Draft.make()
    Parts.addAll(draft, messages)
    const mayBeIncremental = !draft.messages.some(({ role }) => role === "assistant" || role === "system")
    const requestLength = draft.messages.length
    Parts.addAll(draft, answers)
    return draft.messages.length === 0
      ? Draft.skippedItems(draft, place)
      : take(span, { draft, isAnswered: draft.messages.length > requestLength, mayBeIncremental }, place)
  }

  const takeRecord = (span: Span.Span, place: Place): ReadonlyArray<Item> | "empty" => {
    const { attributes, fields } = span
    const name = Fields.string(fields["eventName"]) || Attributes.text(attributes, "event.name")
    if (name === "gen_ai.client.inference.operation.details") {
      const body = Attributes.of(Fields.of(Fields.of(fields["body"])["kvlistValue"])["values"])
      return takeSpan({ fields, attributes: new Map([...attributes, ...body]) }, place)
    }
    const event = Events.read(name, attributes, fields["body"])
    if (event === undefined) return []
    const key = `${Fields.string(fields["traceId"])}/${Fields.string(fields["spanId"])}`
    const open = pending.get(key) ?? { span, place, messages: [] }
    if (event.isAnswer) {
      if (event.messages.length === 0 && open.messages.length === 0) return "empty"
      return flush(key, open, event.messages)
    }
    open.messages.push(...event.messages)
    pending.set(key, open)
    const [oldest] = pending.size > maxPending ? pending : []
    return oldest === undefined ? [] : flush(...oldest, [])
  }

  const takeSpan = (span: Span.Span, place: Place): ReadonlyArray<Item> | "empty" => {
    const request = Span.requestOf(span)
    if (request.draft.messages.length === 0 && request.draft.skippedCount === 0) return "empty"
    return take(span, request, place)
  }

  return {
    read: (value, place) => {
      const { resourceLogs, resourceSpans } = Fields.of(ConsoleSpan.toOtlp(value))
      if (!Array.isArray(resourceSpans) && !Array.isArray(resourceLogs))
        return [ChatLog.otherFormat("otel", value, place)]
      const items: Array<Item> = []
      const spans = withAttributes(resourceSpans, "scopeSpans", "spans").sort((one, other) => start(one) - start(other))
      const records = withAttributes(resourceLogs, "scopeLogs", "logRecords")
      let empty = 0
      for (const span of [...spans, ...records]) keepConversationId(span)
      for (const span of spans) {
        const kind = Span.kindOf(span)
        if (kind === "tool") {
          const { id } = conversationOf(span, place)
          items.push(...assembler.takeExecution(id, Span.executionOf(span, id, place)))
        } else if (kind === "model") {
          const taken = takeSpan(span, place)
          if (taken === "empty") empty += 1
          else items.push(...taken)
        }
      }
      for (const record of records) {
        const taken = takeRecord(record, place)
        if (taken === "empty") empty += 1
        else items.push(...taken)
      }
      if (empty > 0) items.push(skipped(place, withoutContents(empty)))
      return items
    },
    end: () => [...[...pending].flatMap(([key, open]) => flush(key, open, [])), ...assembler.end()]
  }
}

const withoutContents = (count: number): string =>
  `${count === 1 ? "A model request has" : `${count} model requests have`} no messages: contents were not recorded.`

/** Returns all spans, or all log records, below the resources and scopes of a line. */
const withAttributes = (resources: unknown, scopes: string, below: string): Array<Span.Span> =>
  Fields.list(resources)
    .flatMap((resource) => Fields.list(resource[scopes]))
    .flatMap((scope) => Fields.list(scope[below]))
    .map((fields) => ({ fields, attributes: Attributes.of(fields["attributes"]) }))

const start = ({ fields }: Span.Span): number => Attributes.millis(fields["startTimeUnixNano"])
