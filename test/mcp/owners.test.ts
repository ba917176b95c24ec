/** Tests that a session over HTTP belongs to the principal that opened it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { Guard, GuardedTool, Toolbox } from "#src/index"
import * as McpServe from "#src/mcp/serve/McpServe"

class Search extends GuardedTool.Service<Search>()("search", {
  description: "Searches. Read-only.",
  access: "read",
  parameters: Schema.Struct({}),
  success: Schema.String
}) {}

const routes = McpServe.layerHttp(Toolbox.make(Search), {
  name: "owners",
  version: "1",
  authenticate: (token) => Effect.succeed(/^(?:ann|bob)$/.test(token) ? { principal: token } : undefined)
}).pipe(
  Layer.provide([Search.layerTest(() => Effect.succeed("found")), Guard.layerMemory]),
  Layer.provide(HttpServer.layerServices)
)

describe("a session over HTTP", () => {
  it("13.7 is accessible only to the principal that opened it, who can also end it", async () => {
    const { dispose, handler } = HttpRouter.toWebHandler(routes, { disableLogger: true })
    const send = (token: string, session: string | null, message: object, method = "POST") =>
      handler(
        new Request("http://mcp.test/mcp", {
          method,
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            authorization: `Bearer ${token}`,
            ...(session === null ? {} : { "mcp-session-id": session, "mcp-protocol-version": "2025-06-18" })
          },
          ...(method === "POST" ? { body: JSON.stringify({ jsonrpc: "2.0", ...message }) } : {})
        })
      )
    try {
      const clientInfo = { name: "wire", version: "1" }
      const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }
      const opened = await send("ann", null, { id: 1, method: "initialize", params })
      const session = opened.headers.get("mcp-session-id")
      assert.isNotNull(session)
      const statuses: Array<number> = []
      const add = async (response: Promise<Response>) => void statuses.push((await response).status)
      await add(send("ann", session, { id: 2, method: "ping" }))
      await add(send("bob", session, { id: 3, method: "ping" }))
      await add(send("bob", session, { id: 1, result: { action: "accept", content: { approve: true } } }))
      await add(send("bob", session, {}, "DELETE"))
      await add(send("ann", session, { id: 4, method: "ping" }))
      await add(send("ann", session, {}, "DELETE"))
      await add(send("ann", session, { id: 5, method: "ping" }))
      assert.deepStrictEqual(statuses, [200, 404, 404, 404, 200, 204, 404])
    } finally {
      await dispose()
    }
  })
})
