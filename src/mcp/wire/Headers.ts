/**
 * The headers of an HTTP request to an MCP server: version, session and, since protocol version 2026-07-28, the method
 * and its target.
 *
 * Source: the specification's page on streamable HTTP, "Standard Request Headers" and "Custom Headers from Tool
 * Parameters".
 */
import { isJsonObject } from "#domain/json/JsonObject"
import * as Base64 from "effect/encoding/Base64"
import type { OutgoingMessage } from "./Transport.ts"

/** The state of the connection that headers carry. */
interface ConnectionState {
  readonly session: string | undefined
  readonly version: string | undefined
}

type Headers = Readonly<Record<string, string>>

/** Returns the headers of the connection. */
export const of = ({ session, version }: ConnectionState): Headers => ({
  ...(version === undefined ? {} : { "mcp-protocol-version": version }),
  ...(session === undefined ? {} : { "mcp-session-id": session })
})

/** Returns the protocol version that a request states, as requests do since protocol version 2026-07-28. */
export const versionOf = (params: OutgoingMessage["params"]): string | undefined => {
  const meta = params?.["_meta"]
  const version = isJsonObject(meta) ? meta["io.modelcontextprotocol/protocolVersion"] : undefined
  return typeof version === "string" ? version : undefined
}

/** The parameter that identifies the target of each method. */
const targets: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri"
}

/** Returns the headers of a message. `schema` is the schema of the arguments of a tool call. */
export const routing = ({ method, params = {} }: OutgoingMessage, schema?: unknown): Headers => {
  if (method === undefined) return {}
  const name = params[targets[method] ?? ""]
  return {
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": value(name) } : {}),
    ...(method === "tools/call" ? parameters(schema, params["arguments"]) : {})
  }
}

/** Returns the headers of the arguments that a schema marks with `x-mcp-header`. */
const parameters = (schema: unknown, args: unknown): Headers => {
  const properties = isJsonObject(schema) ? schema["properties"] : undefined
  if (!isJsonObject(properties) || !isJsonObject(args)) return {}
  // `Object.assign` returns `any`
  return Object.assign(
    {},
    ...Object.entries(properties).map(([name, property]) => {
      if (!isJsonObject(property) || !Object.hasOwn(args, name)) return {}
      const argument = args[name]
      const header = property["x-mcp-header"]
      const isPlain = typeof argument === "string" || typeof argument === "number" || typeof argument === "boolean"
      return typeof header === "string" && /^[\w!#$%&'*+.^`|~-]+$/u.test(header) && isPlain
        ? { [`mcp-param-${header.toLowerCase()}`]: value(String(argument)) }
        : parameters(property, argument)
    })
  ) as Headers
}

/**
 * Encodes a header value. A text is sent as base64 if it contains a character that is not printable ASCII, starts or
 * ends with a space, or starts with `=?base64?`.
 */
const value = (text: string): string =>
  /^[\u0020-\u007e]*$/u.test(text) && text.trim() === text && !text.startsWith("=?base64?")
    ? text
    : `=?base64?${Base64.encode(text)}?=`
