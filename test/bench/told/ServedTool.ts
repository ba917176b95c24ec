/**
 * Creates the tool of a server, whose access is not stated. If the server answers over HTTP, the tool is imported from an
 * OpenAPI document, in which the method DELETE makes it destructive; otherwise it is a dynamic tool with a handler.
 */
import * as Import from "#src/openapi/Import"
import * as GuardedTool from "#src/tool/GuardedTool"
import { Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import type { Tool } from "../../pipeline/support.ts"
import type { Behaviour, Upstream } from "./Upstream.ts"

/** A tool with the layer that its calls need. */
export interface ServedTool {
  readonly tool: Tool
  readonly layer: Layer.Layer<any>
}

/** The parts of a policy that the situations set. */
export interface ServedPolicy {
  readonly timeout?: "300 millis" | "5 seconds"
  /** True if the guard derives a key. The server honours it if the behaviour says so. */
  readonly isKeyed: boolean
}

const name = "close_ticket"
const description = "Closes one ticket."
const success = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] }
const q = { type: "string" }

/** Creates the tool. */
export const make = (behaviour: Behaviour, upstream: Upstream, policy: ServedPolicy): ServedTool =>
  "http" in behaviour.answer.given && behaviour.answer.depth === 0
    ? imported(upstream.url(behaviour), behaviour.honoursKeys, policy)
    : dynamic(upstream.handler(behaviour), behaviour.honoursKeys, policy)

const imported = (url: string, honoursKeys: boolean, { isKeyed, timeout }: ServedPolicy): ServedTool => {
  const key = { name: "Idempotency-Key", in: "header", schema: { type: "string" } }
  const operation = {
    operationId: name,
    description,
    parameters: [{ name: "q", in: "query", required: true, schema: q }, ...(honoursKeys ? [key] : [])],
    responses: { 200: { description: "Closed.", content: { "application/json": { schema: success } } } }
  }
  const document = {
    openapi: "3.1.0",
    info: { title: "tickets", version: "1" },
    paths: { "/tickets": { delete: operation } }
  }
  const limits = timeout === undefined ? {} : { timeout }
  const derived = isKeyed ? { idempotency: "derived" as const } : {}
  const [tool] = Import.toolsUnsafe(document, { baseUrl: url, policy: () => ({ ...limits, ...derived }) }).tools
  if (tool === undefined) throw new Error("The document has no tool.")
  // the types of an imported tool are known only at run time
  return { tool: tool as unknown as Tool, layer: FetchHttpClient.layer as Layer.Layer<any> }
}

const dynamic = (
  handler: ReturnType<Upstream["handler"]>,
  honoursKeys: boolean,
  { isKeyed, timeout }: ServedPolicy
): ServedTool => {
  const tool = GuardedTool.dynamic(name, {
    description,
    access: "destructive",
    accessBy: "server",
    parameters: { type: "object", properties: { q }, required: ["q"] },
    success,
    handler: handler as never,
    ...(timeout === undefined ? {} : { timeout }),
    ...(isKeyed ? { idempotency: { mode: "derived" as const, upstreamHonoursKey: honoursKeys } } : {})
  } as never)
  return { tool: tool as unknown as Tool, layer: Layer.empty as Layer.Layer<any> }
}
