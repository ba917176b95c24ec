/** Tests that no principal reads the results, or blocks the actions, of another over MCP [8.3]. */
import { CurrentTurn } from "#services/CurrentTurn"
import { Guard, GuardedTool, Toolbox } from "#src/index"
import * as McpServe from "#src/mcp/serve/McpServe"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { HttpRouter, HttpServer } from "effect/http"

class Redeem extends GuardedTool.Service<Redeem>()("redeem_voucher", {
  description: "Redeems a voucher. Writes.",
  access: "write",
  idempotency: "key",
  parameters: Schema.Struct({ voucher: Schema.String }),
  success: Schema.Struct({ account: Schema.String, run: Schema.Int })
}) {}

/** Serves the tool to the principals `ann` and `bob`, and records the idempotency key of each run. */
const served = () => {
  const keys: Array<string> = []
  const routes = McpServe.layerHttp(Toolbox.make(Redeem), {
    name: "vouchers",
    version: "1",
    authenticate: (token) => Effect.succeed(/^(?:ann|bob)$/u.test(token) ? { principal: token } : undefined)
  }).pipe(
    Layer.provide([
      Redeem.layerTest((_, { idempotencyKey }) =>
        Effect.map(CurrentTurn, (turn) => ({ account: turn?.principal ?? "nobody", run: keys.push(idempotencyKey) }))
      ),
      Guard.layerMemory
    ]),
    Layer.provide(HttpServer.layerServices)
  )
  return { keys, ...HttpRouter.toWebHandler(routes, { disableLogger: true }) }
}

const clientInfo = { name: "wire", version: "1" }

const post = (
  handler: (request: Request) => Promise<Response>,
  token: string,
  message: object,
  headers: Readonly<Record<string, string>>
) =>
  handler(
    new Request("http://mcp.test/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${token}`,
        ...headers
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...message })
    })
  )

/** Returns the envelope of a call, in a new session of the principal or, in the newest protocol, without a session. */
const redeem = async (
  handler: (request: Request) => Promise<Response>,
  token: string,
  withSession: boolean,
  voucher = "V-1"
): Promise<any> => {
  const params = {
    name: "redeem_voucher",
    arguments: { voucher, idempotency_key: "voucher-2026-november" },
    ...(withSession
      ? {}
      : {
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": clientInfo
          }
        })
  }
  const headers: Record<string, string> = withSession
    ? { "mcp-protocol-version": "2025-06-18" }
    : { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "redeem_voucher" }
  if (withSession) {
    const initialize = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }
    const opened = await post(handler, token, { id: 1, method: "initialize", params: initialize }, {})
    headers["mcp-session-id"] = opened.headers.get("mcp-session-id") ?? ""
  }
  const text = await (await post(handler, token, { id: 2, method: "tools/call", params }, headers)).text()
  const line = text.split("\n").findLast((line) => line.includes('"result"')) ?? text
  return JSON.parse(JSON.parse(line.replace(/^data: ?/u, "")).result.content[0].text)
}

describe("principals over MCP", () => {
  for (const withSession of [true, false]) {
    const protocol = withSession ? "with a session" : "without sessions"
    it(`8.3 two principals with the same key and arguments perform one action each, ${protocol}`, async () => {
      const { dispose, handler, keys } = served()
      try {
        for (const principal of ["ann", "bob"]) {
          const { _idempotent, data } = await redeem(handler, principal, withSession)
          assert.deepStrictEqual([data.account, _idempotent], [principal, undefined])
        }
        assert.strictEqual(new Set(keys).size, 2)
      } finally {
        await dispose()
      }
    })

    it(`8.3 two principals with the same key and different arguments do not conflict, ${protocol}`, async () => {
      const { dispose, handler } = served()
      try {
        const { data: first } = await redeem(handler, "ann", withSession)
        const { data: second } = await redeem(handler, "bob", withSession, "V-2")
        assert.deepStrictEqual([first.account, second.account], ["ann", "bob"])
      } finally {
        await dispose()
      }
    })
  }

  it("8.3 the same key of one principal means one action in a client without sessions, and two in two sessions", async () => {
    const { dispose, handler, keys } = served()
    try {
      await redeem(handler, "ann", false)
      await redeem(handler, "ann", false)
      assert.lengthOf(keys, 1)
      await redeem(handler, "ann", true)
      await redeem(handler, "ann", true)
      assert.lengthOf(keys, 3)
    } finally {
      await dispose()
    }
  })
})
