/** Tests that a session over HTTP belongs to the principal that opened it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { Guard, GuardedTool, Toolbox } from "#src/index"
import * as McpServe from "#src/mcp/serve/McpServe"

class Search extends GuardedTool.Service<Search>()("search", {
  description: "Searches. Read-only.",
  access: "read",
  timeout: "10 minutes",
  parameters: Schema.Struct({}),
  success: Schema.String
}) {}

const served = (
  options: Pick<McpServe.HttpOptions, "authenticate">,
  search: () => Effect.Effect<string> = () => Effect.succeed("found")
) =>
  McpServe.layerHttp(Toolbox.make(Search), { name: "owners", version: "1", ...options }).pipe(
    Layer.provide([Search.layerTest(search), Guard.layerMemory]),
    Layer.provide(HttpServer.layerServices)
  )
const routes = served({
  authenticate: (token) => Effect.succeed(/^(?:ann|bob)$/.test(token) ? { principal: token } : undefined)
})

const clientInfo = { name: "wire", version: "1" }

/** Creates a client that sends a message with a token, and with the id of a session unless it is null. */
const client = (layer = routes) => {
  const { dispose, handler } = HttpRouter.toWebHandler(layer, { disableLogger: true })
  const send = (
    token: string,
    session: string | null,
    message: object,
    { method = "POST", ...headers }: { readonly method?: string; readonly [name: string]: string } = {}
  ) =>
    handler(
      new Request("http://mcp.test/mcp", {
        method,
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          authorization: `Bearer ${token}`,
          ...(session === null ? {} : { "mcp-session-id": session, "mcp-protocol-version": "2025-06-18" }),
          ...headers
        },
        ...(method === "POST" ? { body: JSON.stringify({ jsonrpc: "2.0", ...message }) } : {})
      })
    )
  /** Opens a session, and returns its id. */
  const open = async (token: string): Promise<string> => {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }
    const opened = await send(token, null, { id: 1, method: "initialize", params })
    const session = opened.headers.get("mcp-session-id")
    assert.isNotNull(session)
    return session
  }
  return { dispose, open, send }
}

describe("a session over HTTP", () => {
  it("13.7 is accessible only to the principal that opened it, who can also end it", async () => {
    const { dispose, open, send } = client()
    try {
      const session = await open("ann")
      const statuses: Array<number> = []
      const add = async (response: Promise<Response>) => void statuses.push((await response).status)
      // bob asks first
      await add(send("bob", session, { id: 3, method: "ping" }))
      await add(send("ann", session, { id: 2, method: "ping" }))
      await add(send("bob", session, { id: 3, method: "ping" }))
      await add(send("bob", session, { id: 1, result: { action: "accept", content: { approve: true } } }))
      await add(send("bob", session, {}, { method: "DELETE" }))
      await add(send("bob", session, {}, { method: "DELETE", "mcp-protocol-version": "2026-07-28" }))
      await add(send("ann", session, { id: 4, method: "ping" }))
      await add(send("ann", session, {}, { method: "DELETE" }))
      await add(send("ann", session, { id: 5, method: "ping" }))
      assert.deepStrictEqual(statuses, [404, 200, 404, 404, 404, 404, 200, 204, 404])
    } finally {
      await dispose()
    }
  })

  it("13.7 a session id that a client invents creates no session, so that no client fills memory or blocks others", async () => {
    const { dispose, send } = client()
    try {
      const _meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": clientInfo
      }
      const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "search" }
      const message = { id: 1, method: "tools/call", params: { name: "search", arguments: {}, _meta } }
      for (const token of ["ann", "bob"]) {
        assert.strictEqual((await send(token, "invented", message, headers)).status, 200)
        assert.strictEqual((await send(token, "invented", { id: 2, method: "ping" })).status, 404)
      }
    } finally {
      await dispose()
    }
  })

  it("13.7 beyond the session limit of a principal, its least recently used session ends, and those of other principals stay", async () => {
    const { dispose, open, send } = client()
    try {
      const ping = { id: 2, method: "ping" }
      const ofBob = await open("bob")
      const [first, used] = [await open("ann"), await open("ann")]
      for (let opened = 2; opened < 1_000; opened += 1) await open("ann")
      assert.strictEqual((await send("ann", first, ping)).status, 200)
      await open("ann")
      const statuses = [(await send("ann", first, ping)).status, (await send("ann", used, ping)).status]
      assert.deepStrictEqual([...statuses, (await send("bob", ofBob, ping)).status], [200, 404, 200])
    } finally {
      await dispose()
    }
  })

  it("13.7 after a flood of initialize, even without credentials, the least recently used session ends in Effect's server too", async () => {
    const started = Promise.withResolvers<void>()
    const interrupted = Promise.withResolvers<void>()
    const handler = Effect.andThen(
      Effect.sync(() => started.resolve()),
      Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted.resolve()))
    )
    const { dispose, open, send } = client(served({}, () => handler))
    try {
      const [first, used] = [await open("x"), await open("x")]
      const running = send("x", used, { id: 3, method: "tools/call", params: { name: "search", arguments: {} } })
      running.catch(() => {})
      await started.promise
      for (let opened = 2; opened < 1_000; opened += 1) await open("x")
      assert.strictEqual((await send("x", first, { id: 2, method: "ping" })).status, 200)
      await open("x")
      // the server interrupts the requests of a session that it has ended
      await interrupted.promise
      const statuses = [
        await send("x", first, { id: 4, method: "ping" }),
        await send("x", used, { id: 4, method: "ping" })
      ]
      assert.deepStrictEqual(
        statuses.map(({ status }) => status),
        [200, 404]
      )
    } finally {
      await dispose()
    }
  })

  it("13.7 an initialize of more than 64 KiB, which the server would keep, gets 413; other messages may be longer", async () => {
    const { dispose, open, send } = client()
    try {
      const params = {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { ...clientInfo, name: "x".repeat(70_000) }
      }
      const lengthOf = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message }).length}`
      const message = { id: 1, method: "initialize", params }
      const refused = await send("ann", null, message, { "content-length": lengthOf(message) })
      assert.deepStrictEqual([refused.status, refused.headers.get("mcp-session-id")], [413, null])
      const long = { id: 2, method: "ping", params: { _meta: { text: "x".repeat(70_000) } } }
      const sent = await send("ann", await open("ann"), long, { "content-length": lengthOf(long) })
      assert.strictEqual(sent.status, 200)
      assert.notInclude(await sent.text(), "error")
    } finally {
      await dispose()
    }
  })

  it("13.7 after a DELETE that the server refuses, the session stays, and its owner can still end it", async () => {
    const { dispose, open, send } = client()
    try {
      const session = await open("ann")
      const statuses = [
        (await send("ann", session, {}, { method: "DELETE", "mcp-protocol-version": "1.0" })).status,
        (await send("ann", session, { id: 2, method: "ping" })).status,
        (await send("ann", session, {}, { method: "DELETE" })).status
      ]
      assert.deepStrictEqual(statuses, [400, 200, 204])
    } finally {
      await dispose()
    }
  })
})
