/** Tests which host names an MCP server over HTTP accepts. */
import { assert, describe, it } from "@effect/vitest"
import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer, Schema } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { createServer, request } from "node:http"
import { Guard } from "#src/guard/Guard"
import * as McpServe from "#src/mcp/serve/McpServe"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"

class Search extends GuardedTool.Service<Search>()("search", {
  description: "Searches. Read-only.",
  access: "read",
  parameters: Schema.Struct({ q: Schema.String }),
  success: Schema.Struct({ n: Schema.Int })
}) {}

/** Sends a request with a `Host` header to a server on a free port, and returns the status. */
const statusOf = (hosts: ReadonlyArray<string> | undefined, host: string) => {
  const routes = McpServe.layerHttp(Toolbox.make(Search), { name: "hosts", version: "1", hosts }).pipe(
    Layer.provide(Search.layer(() => Effect.succeed({ n: 1 }))),
    Layer.provide(Guard.layerMemory)
  )
  const server = HttpRouter.serve(routes, { disableListenLog: true, disableLogger: true }).pipe(
    Layer.provideMerge(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 }))
  )
  return Effect.gen(function* () {
    const { address } = yield* HttpServer.HttpServer
    const port = address._tag === "InetAddressV4" ? address.port : 0
    return yield* Effect.promise(
      () =>
        new Promise<number | undefined>((resolve, reject) => {
          const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })
          const headers = {
            host,
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            connection: "close"
          }
          request({ host: "127.0.0.1", port, path: "/mcp", method: "POST", headers }, (response) => {
            response.resume()
            resolve(response.statusCode)
          })
            .on("error", reject)
            .end(body)
        })
    )
  }).pipe(Effect.provide(server))
}

describe("McpServe.layerHttp", () => {
  it.live("13.7 refuses host names that are not names of this machine, unless `hosts` names them", () =>
    Effect.gen(function* () {
      for (const host of ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80"])
        assert.strictEqual(yield* statusOf(undefined, host), 403, host)
      for (const host of ["127.0.0.1:80", "localhost", "[::1]:8789"])
        assert.notStrictEqual(yield* statusOf(undefined, host), 403, host)
      assert.notStrictEqual(yield* statusOf(["tools.example"], "Tools.example:443"), 403)
      assert.strictEqual(yield* statusOf(["tools.example"], "127.0.0.1"), 403)
    })
  )
})
