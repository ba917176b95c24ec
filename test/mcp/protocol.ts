/** Validates messages with the published schema of a protocol version. */
import { Ajv } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import { publishedJson } from "../support/data.ts"

type Validate = (definition: string, value: unknown) => ReadonlyArray<string>

const validators = new Map<string, Validate>()

/** Returns the version whose schema applies. Versions before the oldest published schema use that schema. */
export const published = (version: string): string => (version < "2025-06-18" ? "2025-06-18" : version)

/** Returns how a value violates a definition of a version. */
export const violations = (version: string, definition: string, value: unknown): ReadonlyArray<string> => {
  const schemaVersion = published(version)
  const validate = validators.get(schemaVersion) ?? read(schemaVersion)
  validators.set(schemaVersion, validate)
  return validate(definition, value)
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

/** The definition of the result of each method. */
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

const sentByServers: Readonly<Record<string, string>> = {
  "notifications/progress": "ProgressNotification",
  "notifications/tools/list_changed": "ToolListChangedNotification",
  "notifications/resources/list_changed": "ResourceListChangedNotification",
  "notifications/cancelled": "CancelledNotification",
  "elicitation/create": "ElicitRequest"
}

const errorOf = (version: string): string => (version >= "2025-11-25" ? "JSONRPCErrorResponse" : "JSONRPCError")

/** Returns how a message from a server violates the schema. `methods` maps the ids of requests to their methods. */
export const violationsOf = (
  version: string,
  message: any,
  methods: ReadonlyMap<string | number, string>
): ReadonlyArray<string> => {
  if (message.method !== undefined) {
    const definition = sentByServers[message.method]
    if (definition === undefined) return [`unexpected method ${message.method}`]
    return [...violations(version, definition, message), ...violations(version, "JSONRPCMessage", message)]
  }
  if (message.error !== undefined) {
    // JSON-RPC requires the id null in the answer to an unreadable request, but older schemas do not allow null
    const { id, ...rest } = message
    return violations(version, errorOf(version), id === null ? { ...rest, id: 0 } : message)
  }
  const method = methods.get(message.id)
  const definition = method === undefined ? undefined : results[method]
  if (definition === undefined) return [`an answer to the unknown request ${message.id}`]
  const isQuestion = message.result.resultType === "input_required"
  return [
    ...violations(version, "JSONRPCMessage", message),
    ...violations(version, isQuestion ? "InputRequiredResult" : definition, message.result)
  ]
}
