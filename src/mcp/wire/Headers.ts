/**
 * The headers of an HTTP request to an MCP server: version, session and, since 2026-07-28, the subject of the message.
 *
 * Source: the specification's page on streamable HTTP, "Standard Request Headers" and "Custom Headers from Tool Parameters".
 */
import { isJsonObject } from "#domain/json/JsonObject"
import * as Base64 from "effect/encoding/Base64"
import type { Outgoing } from "./Transport.ts"

/** The state of the connection that headers carry. */
interface Standing {
  readonly session: string | undefined
  readonly version: string | undefined
}

type Headers = Readonly<Record<string, string>>

export const of = ({ session, version }: Standing): Headers => ({
  ...(version === undefined ? {} : { "mcp-protocol-version": version }),
  ...(session === undefined ? {} : { "mcp-session-id": session })
})

/** The protocol version that a request states, since 2026-07-28. */
export const versionOf = (params: Outgoing["params"]): string | undefined => {
  const meta = params?.["_meta"]
  const version = isJsonObject(meta) ? meta["io.modelcontextprotocol/protocolVersion"] : undefined
  return typeof version === "string" ? version : undefined
}

const named: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri"
}

/** The headers of a message. `schema` is that of the arguments, for a tool call. */
export const routing = ({ method, params = {} }: Outgoing, schema?: unknown): Headers => {
  if (method === undefined) return {}
  const name = params[named[method] ?? ""]
  return {
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": value(name) } : {}),
    ...(method === "tools/call" ? parameters(schema, params["arguments"]) : {})
  }
}

/** The arguments that a schema marks with `x-mcp-header`. */
const parameters = (schema: unknown, given: unknown): Headers => {
  const properties = isJsonObject(schema) ? schema["properties"] : undefined
  if (!isJsonObject(properties) || !isJsonObject(given)) return {}
  return Object.assign(
    {},
    ...Object.entries(properties).map(([name, property]) => {
      if (!isJsonObject(property) || !Object.hasOwn(given, name)) return {}
      const argument = given[name]
      const header = property["x-mcp-header"]
      const isPlain = typeof argument === "string" || typeof argument === "number" || typeof argument === "boolean"
      return typeof header === "string" && /^[\w!#$%&'*+.^`|~-]+$/u.test(header) && isPlain
        ? { [`mcp-param-${header.toLowerCase()}`]: value(String(argument)) }
        : parameters(property, argument)
    })
  ) as Headers
}

/** Header values are visible ASCII; any other text is sent as base64. */
const value = (text: string): string =>
  /^[\u0020-\u007e]*$/u.test(text) && text.trim() === text && !text.startsWith("=?base64?")
    ? text
    : `=?base64?${Base64.encode(text)}?=`
