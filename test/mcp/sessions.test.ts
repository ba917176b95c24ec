/** Tests which calls share a turn, by session and identity, and for how long. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { NodeHttpServer } from "@effect/platform-node"
import { createServer } from "node:http"
import { Guard } from "#src/guard/Guard"
import * as McpServe from "#src/mcp/serve/McpServe"
import * as Sessions from "#src/mcp/serve/Sessions"
import { box, desk } from "./support.ts"
import { overHttp } from "./Wire.ts"

const turnOf = (sessions: Sessions.Sessions, id: string, identity?: Sessions.Identity) =>
  sessions.within(id, identity, Effect.succeed)

describe("sessions of a server", () => {
  it.effect(
    "13.7 a session keeps its turn until ten minutes pass without a call, and its conversation for longer",
    () =>
      Effect.gen(function* () {
        const sessions = yield* Sessions.make("10 minutes")
        const first = yield* turnOf(sessions, "a")
        yield* TestClock.adjust("9 minutes")
        assert.deepStrictEqual(yield* turnOf(sessions, "a"), first)
        yield* TestClock.adjust("10 minutes")
        const later = yield* turnOf(sessions, "a")
        assert.notStrictEqual(later.turn, first.turn)
        assert.strictEqual(later.conversation, first.conversation)
        assert.deepStrictEqual([first.isSession, later.isSession], [true, true])
        yield* TestClock.adjust("24 hours")
        assert.notStrictEqual((yield* turnOf(sessions, "a")).conversation, first.conversation)
      }).pipe(Effect.provide(Guard.layerMemory))
  )

  it.effect("13.7 a turn does not end while a call runs, and the ten minutes start when the call ends", () =>
    Effect.gen(function* () {
      const sessions = yield* Sessions.make("10 minutes")
      const first = yield* turnOf(sessions, "a")
      const waiting = yield* Effect.forkChild(
        sessions.within("a", undefined, (turn) => Effect.as(Effect.sleep("20 minutes"), turn)),
        { startImmediately: true }
      )
      yield* TestClock.adjust("15 minutes")
      assert.deepStrictEqual(yield* turnOf(sessions, "a"), first)
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(yield* Fiber.join(waiting), first)
      yield* TestClock.adjust("9 minutes")
      assert.deepStrictEqual(yield* turnOf(sessions, "a"), first)
    }).pipe(Effect.provide(Guard.layerMemory))
  )

  it.effect("13.7 different identities never share a turn, even with the same session id", () =>
    Effect.gen(function* () {
      const sessions = yield* Sessions.make("10 minutes")
      const ana = yield* turnOf(sessions, "a", { principal: "ana", tenant: "acme" })
      assert.include(ana, { principal: "ana", tenant: "acme" })
      for (const identity of [{ principal: "bob", tenant: "acme" }, { principal: "ana" }, undefined]) {
        assert.notStrictEqual((yield* turnOf(sessions, "a", identity)).conversation, ana.conversation)
      }
      assert.notStrictEqual((yield* turnOf(sessions, "b", { principal: "ana", tenant: "acme" })).turn, ana.turn)
    }).pipe(Effect.provide(Guard.layerMemory))
  )
})

describe("a server in a custom router", () => {
  const authenticate = (token: string) => Effect.succeed(/^(ana|bob)$/.test(token) ? { principal: token } : undefined)

  it.live(
    "13.7 clients without sessions share a turn if they have the same principal; other routes are unaffected",
    () => {
      const served = desk()
      const routes = Layer.mergeAll(
        McpServe.layerHttp(box, { name: "desk", version: "1", path: "/tools", authenticate }),
        HttpRouter.add("GET", "/health", HttpServerResponse.empty({ status: 204 }))
      ).pipe(Layer.provide(served.layer))
      return Effect.gen(function* () {
        const { address } = yield* HttpServer.HttpServer
        const origin = `http://127.0.0.1:${(address as { readonly port: number }).port}`
        const codes = yield* Effect.promise(async () => {
          const send = async (token: string, id: number) => {
            const client = overHttp(`${origin}/tools`, { authorization: `Bearer ${token}` })
            const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "search" }
            const _meta = {
              "io.modelcontextprotocol/protocolVersion": "2026-07-28",
              "io.modelcontextprotocol/clientCapabilities": {},
              "io.modelcontextprotocol/clientInfo": { name: "wire", version: "1" }
            }
            const params = { name: "search", arguments: { q: "cut" }, _meta }
            return (await client.post({ jsonrpc: "2.0", id, method: "tools/call", params }, headers)).status
          }
          const all: Array<number> = []
          for (const [index, token] of ["ana", "ana", "bob", "ana", "eve"].entries())
            all.push(await send(token, index + 1))
          return [...all, (await fetch(`${origin}/health`)).status]
        })
        assert.deepStrictEqual(codes, [200, 200, 200, 200, 401, 204])
        // each principal has one attempt
        assert.deepStrictEqual(served.runs, ["search cut", "search cut"])
      }).pipe(
        Effect.provide(
          HttpRouter.serve(routes, { disableListenLog: true, disableLogger: true }).pipe(
            Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
          )
        ),
        Effect.scoped
      )
    }
  )
})
