/** What the published schema of a protocol version finds wrong with a message. */
import { Ajv } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import { publishedJson } from "../support/data.ts"

type Validate = (definition: string, value: unknown) => ReadonlyArray<string>

const made = new Map<string, Validate>()

/** Versions without a published JSON Schema are held to the oldest that has one: their results are a part of it. */
export const published = (version: string): string => (version < "2025-06-18" ? "2025-06-18" : version)

/** Faults of a value by a definition of a version. */
export const faults = (version: string, definition: string, value: unknown): ReadonlyArray<string> => {
  const at = published(version)
  const known = made.get(at) ?? read(at)
  made.set(at, known)
  return known(definition, value)
}

const read = (version: string): Validate => {
  const schema = publishedJson(`mcp/${version}/schema.json`)
  const key = "definitions" in schema ? "definitions" : "$defs"
  const ajv = new (key === "$defs" ? Ajv2020 : Ajv)({ strict: false, validateFormats: false, allErrors: true })
  ajv.addSchema({ $id: "mcp", [key]: schema[key] })
  return (definition, value) => {
    const validate = ajv.getSchema(`mcp#/${key}/${definition}`)
    if (validate === undefined) return [`${version} has no definition ${definition}`]
    return validate(value) === true
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }
}

/** The definition of what answers a method. */
const results: Readonly<Record<string, string>> = {
  initialize: "InitializeResult",
  "server/discover": "DiscoverResult",
  ping: "EmptyResult",
  "tools/list": "ListToolsResult",
  "tools/call": "CallToolResult",
  "resources/read": "ReadResourceResult",
  "resources/list": "ListResourcesResult",
  "resources/templates/list": "ListResourceTemplatesResult"
}

const notices: Readonly<Record<string, string>> = {
  "notifications/progress": "ProgressNotification",
  "notifications/tools/list_changed": "ToolListChangedNotification",
  "notifications/resources/list_changed": "ResourceListChangedNotification",
  "notifications/cancelled": "CancelledNotification",
  "elicitation/create": "ElicitRequest"
}

const errorOf = (version: string): string => (version >= "2025-11-25" ? "JSONRPCErrorResponse" : "JSONRPCError")

/** Faults of a message that a server sent. `methods`: what was asked under which id. */
export const faultsOf = (
  version: string,
  message: any,
  methods: ReadonlyMap<string | number, string>
): ReadonlyArray<string> => {
  if (message.method !== undefined) {
    const definition = notices[message.method]
    if (definition === undefined) return [`nobody expects ${message.method}`]
    return [...faults(version, definition, message), ...faults(version, "JSONRPCMessage", message)]
  }
  if (message.error !== undefined) {
    // an answer to what has no id that can be read; JSON-RPC wants null there, the older schemas know no such answer
    const { id, ...rest } = message
    return faults(version, errorOf(version), id === null ? { ...rest, id: 0 } : message)
  }
  const method = methods.get(message.id)
  const definition = method === undefined ? undefined : results[method]
  if (definition === undefined) return [`nobody asked for ${message.id}`]
  const isQuestion = message.result.resultType === "input_required"
  return [
    ...faults(version, "JSONRPCMessage", message),
    ...faults(version, isQuestion ? "InputRequiredResult" : definition, message.result)
  ]
}
