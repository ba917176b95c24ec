/** Builds OTLP JSON: attributes as lists of keys and wrapped values. */

/** Wraps a value as OTLP does. */
export const wrapped = (value: unknown): object => {
  if (typeof value === "string") return { stringValue: value }
  if (typeof value === "boolean") return { boolValue: value }
  if (typeof value === "number") return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(wrapped) } }
  return { kvlistValue: { values: attributes(value as object) } }
}

export const attributes = (fields: object): ReadonlyArray<object> =>
  Object.entries(fields).map(([key, value]) => ({ key, value: wrapped(value) }))

/** Creates a span from its start and end in seconds. */
export const span = (name: string, from: number, fields: object, rest: object = {}) => ({
  traceId: "t1",
  spanId: `s${from}`,
  name,
  startTimeUnixNano: String(from * 1e9),
  endTimeUnixNano: String((from + 1) * 1e9),
  attributes: attributes(fields),
  ...rest
})

/** Creates one line of spans. */
export const spans = (...list: ReadonlyArray<object>) => ({
  resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ scope: { name: "x" }, spans: list }] }]
})

/** Creates one line of log records. */
export const logs = (...list: ReadonlyArray<object>) => ({
  resourceLogs: [{ resource: {}, scopeLogs: [{ scope: {}, logRecords: list }] }]
})
