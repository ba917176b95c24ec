/** Tests which servers get the headers of a trace. */
import * as OpenAiCompatible from "#layers/OpenAiCompatible"
import { TracedOrigins } from "#services/TracedOrigins"
import { Guard } from "#src/guard/Guard"
import * as McpTools from "#src/mcp/remote/McpTools"
import * as Import from "#src/openapi/Import"
import * as Toolbox from "#src/tool/Toolbox"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { LanguageModel } from "effect/ai"
import { FetchHttpClient, HttpClient } from "effect/http"

const document = {
  openapi: "3.1.0",
  info: { title: "t", version: "1" },
  paths: { "/x": { get: { operationId: "read_x", responses: { 200: { description: "ok" } } } } }
}

/** Sends requests in a span to an imported API, an MCP server and a model, and returns the hosts that got trace headers. */
const traced = Effect.fnUntraced(function* (origins: ReadonlyArray<string>) {
  const asked = new Set<string>()
  const found = new Set<string>()
  const fetch = Layer.succeed(FetchHttpClient.Fetch, async (url, init) => {
    const { host } = new URL(String(url))
    const headers = new Headers(init?.headers)
    asked.add(host)
    if (["traceparent", "b3", "tracestate"].some((name) => headers.has(name))) found.add(host)
    const body = typeof init?.body === "string" ? init.body : new TextDecoder().decode(init?.body as Uint8Array)
    const { id, method } = (body === "" ? {} : JSON.parse(body)) as { readonly id?: number; readonly method?: string }
    if (method === "initialize") {
      const result = {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "s", version: "1" }
      }
      return Response.json({ jsonrpc: "2.0", id, result })
    }
    return method === "tools/list" ? Response.json({ jsonrpc: "2.0", id, result: { tools: [] } }) : Response.json({})
  })
  const client = Layer.provideMerge(FetchHttpClient.layer, fetch)
  const model = OpenAiCompatible.layer({
    baseUrl: "https://model.example/v1",
    model: "m",
    apiKey: Redacted.make("k")
  }).pipe(Layer.provide(client))
  yield* Effect.gen(function* () {
    const tools = Toolbox.make(...Import.toolsUnsafe(document, { baseUrl: "https://api.example/v1" }).tools)
    yield* tools.answer({ name: "read_x", arguments: {}, callId: "c" })
    yield* McpTools.http({ url: "https://mcp.example/mcp" })
    yield* Effect.exit(LanguageModel.generateText({ prompt: "Hello." }).pipe(Effect.provide(model)))
    // a request of the backend itself
    yield* HttpClient.get("https://own.example/")
  }).pipe(
    Effect.withSpan("request"),
    Effect.scoped,
    Effect.provide([Guard.layerMemory, client]),
    Effect.provideService(TracedOrigins, origins)
  )
  assert.deepStrictEqual([...asked].toSorted(), ["api.example", "mcp.example", "model.example", "own.example"])
  return [...found].toSorted()
})

describe("TracedOrigins", () => {
  it.effect("15.1 without origins, only the backend's own requests have the headers of the trace", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* traced([]), ["own.example"])
    })
  )

  it.effect(
    "15.1 with named origins, only requests to exactly these origins have the headers, besides the backend's own requests",
    () =>
      Effect.gen(function* () {
        const origins = ["https://api.example", "https://mcp.example", "https://model.example"]
        assert.deepStrictEqual(yield* traced(origins), ["api.example", "mcp.example", "model.example", "own.example"])
        const others = ["http://api.example", "https://mcp.example/mcp", "https://model.example:444", "*"]
        assert.deepStrictEqual(yield* traced(others), ["own.example"])
      })
  )

  it.effect("15.1 no request of a backend that has switched off propagation has the headers", () =>
    Effect.gen(function* () {
      const found = yield* traced(["https://api.example"]).pipe(
        Effect.provideService(HttpClient.TracerPropagationEnabled, false)
      )
      assert.deepStrictEqual(found, [])
    })
  )
})
