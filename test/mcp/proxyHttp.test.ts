/** The proxy over HTTP for clients and servers without sessions (2026-07-28), and what it keeps out. */
import { Guard } from "#src/Guard"
import * as McpTools from "#src/mcp/remote/McpTools"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { McpProtocol, McpServer, Tool, Toolkit } from "effect/ai"
import { FetchHttpClient, HttpRouter, HttpServer } from "effect/http"
import { spawn } from "node:child_process"
import { createServer } from "node:http"
import { root } from "../support/sources.ts"

const Add = Tool.make("add", {
  description: "Adds.",
  parameters: Schema.Struct({ a: Schema.Int, b: Schema.Int }),
  success: Schema.Struct({ sum: Schema.Int })
}).annotate(Tool.Readonly, true)
const kit = Toolkit.make(Add)

/** A server of one version, and its address. */
const serve = Effect.gen(function* () {
  const registrations = McpServer.toolkit(kit).pipe(
    Layer.provide(kit.toLayer({ add: ({ a, b }) => Effect.succeed({ sum: a + b }) }))
  )
  const options = {
    name: "adder",
    version: "1",
    path: "/mcp",
    protocols: [McpProtocol.v2026_07_28],
    registrations
  } as const
  const server = HttpRouter.serve(McpServer.layerHttp(options), { disableListenLog: true, disableLogger: true }).pipe(
    Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
  )
  const { address } = Context.get(yield* Layer.build(server), HttpServer.HttpServer)
  return `http://127.0.0.1:${address._tag === "UnixPathAddress" ? 0 : address.port}/mcp`
})

/** The proxy before it, as a process; its address. */
const proxy = (url: string, env: Readonly<Record<string, string>> = {}) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, ["src/cli/main.ts", "mcp", "proxy", "--listen", "0", "--url", url], {
          cwd: root,
          env: { ...process.env, ...env },
          stdio: ["ignore", "pipe", "inherit"]
        })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    ).pipe(
      Effect.flatMap((child) =>
        Effect.callback<string>((resume) => {
          child.stdout.setEncoding("utf8").once("data", (said: string) => resume(Effect.succeed(said)))
        })
      )
    ),
    (said) => /Serving MCP at (\S+)\. /.exec(said)?.[1] ?? said
  )

describe("toolguard mcp proxy --listen", { timeout: 60_000 }, () => {
  it.live("13.7 guards a server without sessions, for clients without sessions that count alike", () =>
    Effect.gen(function* () {
      const url = yield* proxy(yield* serve)
      const [one, two] = [yield* McpTools.http({ url }), yield* McpTools.http({ url })]
      assert.deepStrictEqual(one.names, ["add", "read_result"])
      const answers = yield* Effect.all(
        [one, two, one, two].map((box, n) => box.answer({ name: "add", arguments: { a: n, b: 10 }, callId: `c${n}` })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        answers.map(({ text }) => JSON.parse(text).data),
        [{ sum: 10 }, { sum: 11 }, { sum: 12 }, { sum: 13 }]
      )
    }).pipe(Effect.scoped, Effect.provide(Layer.merge(Guard.layerMemory, FetchHttpClient.layer)))
  )

  it.live("13.7 keeps out pages of the web, other hosts, strangers and what is no message", () =>
    Effect.gen(function* () {
      const url = yield* proxy("http://127.0.0.1:49151/mcp", { TOOLGUARD_MCP_TOKEN: "let me in" })
      const known = { authorization: "Bearer let me in", "content-type": "application/json" }
      const post = (headers: Readonly<Record<string, string>>, body: string) =>
        Effect.promise(async () => {
          const response = await fetch(url, { method: "POST", headers, body })
          return [response.status, await response.text()] as const
        })
      const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`
      assert.strictEqual((yield* post({ ...known, origin: "https://evil.example" }, hello))[0], 403)
      assert.strictEqual((yield* post({ "content-type": "application/json" }, hello))[0], 401)
      assert.strictEqual((yield* post({ ...known, authorization: "Bearer let me" }, hello))[0], 401)
      assert.strictEqual((yield* post(known, "[]"))[0], 400)
      assert.strictEqual((yield* post(known, "{"))[0], 400)
      assert.strictEqual((yield* post(known, `{"jsonrpc":"2.0","id":1,"method":"ping"}`))[0], 400)
      assert.strictEqual(
        (yield* post({ ...known, "mcp-session-id": "x" }, `{"jsonrpc":"2.0","id":1,"method":"ping"}`))[0],
        404
      )
      // a server that is not there is told as an answer
      const [status, body] = yield* post(known, hello)
      assert.strictEqual(status, 200)
      assert.match(body, /"id":1,"error":.*Cannot reach 127\.0\.0\.1:49151/)
    }).pipe(Effect.scoped)
  )
})
