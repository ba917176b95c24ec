/**
 * Converts what the console exporters of OpenTelemetry print to OTLP: spans and log records of the JavaScript SDK (as
 * objects that Node prints) and of the Python SDK (as JSON).
 */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as Shape from "#kit/traffic/Shape"
import * as Time from "#kit/traffic/Time"
import * as Attributes from "./OtlpAttributes.ts"

/** Returns printed spans and log records as OTLP, and any other value unchanged. */
export const toOtlp = (value: unknown): unknown => {
  const printed = Fields.of(value)
  if (Shape.isConsoleSpan(printed)) {
    return { resourceSpans: [{ scopeSpans: [{ spans: [spanOf(printed)] }] }] }
  }
  return Shape.isConsoleRecord(printed)
    ? { resourceLogs: [{ scopeLogs: [{ logRecords: [recordOf(printed)] }] }] }
    : value
}

const spanOf = (printed: JsonObject): JsonObject => {
  const { attributes, context, duration, events, id, name, status, timestamp, traceId } = printed
  const { span_id: spanId, trace_id: trace } = Fields.of(context)
  const start = Time.millisOf(printed["start_time"] ?? timestamp) ?? 0
  const length = typeof duration === "number" ? duration / 1_000 : 0
  const end = Time.millisOf(printed["end_time"]) ?? start + length
  return {
    traceId: Fields.string(traceId) || Fields.string(trace),
    spanId: Fields.string(id) || Fields.string(spanId),
    name,
    startTimeUnixNano: start * 1e6,
    endTimeUnixNano: end * 1e6,
    status: statusOf(Fields.of(status)),
    attributes: Attributes.wrapped(attributes),
    events: Fields.list(events).map((event) => ({
      name: event["name"],
      attributes: Attributes.wrapped(event["attributes"])
    }))
  }
}

const statusOf = ({ code, description, message = description, status_code: name }: JsonObject): JsonObject => ({
  code: name === "ERROR" ? 2 : code,
  message
})

const recordOf = (printed: JsonObject): JsonObject => {
  const { attributes, body, event_name: snakeCase, eventName = snakeCase } = printed
  const { span_id: span, spanId = span, trace_id: trace, traceId = trace } = printed
  return {
    traceId,
    spanId,
    eventName,
    body: Attributes.wrap(body),
    attributes: isJsonObject(attributes) ? Attributes.wrapped(attributes) : []
  }
}
