/** Tests the proxy over HTTP for stateless clients and servers (2026-07-28), and the requests that it refuses. */
import { Guard } from "#src/guard/Guard"
import * as McpTools from "#src/mcp/remote/McpTools"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { McpProtocol, McpServer, Tool, Toolkit } from "effect/ai"
import { FetchHttpClient, HttpRouter, HttpServer } from "effect/http"
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { hostile } from "../../support/McpClient.ts"
import { commandLine } from "../../support/command.ts"
import { root } from "../../support/sources.ts"

const Add = Tool.make("add", {
  description: "Adds.",
  parameters: Schema.Struct({ a: Schema.Int, b: Schema.Int }),
  success: Schema.Struct({ sum: Schema.Int })
}).annotate(Tool.Readonly, true)
const kit = Toolkit.make(Add)

/** Starts a server of one protocol version, and returns its address. */
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

/** Starts a proxy process for a server, and returns the proxy's address. */
const proxy = (url: string, env: Readonly<Record<string, string>> = {}) => listening(["--url", url], env)

const listening = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, commandLine(["mcp", "proxy", "--listen", "0", ...args]), {
          cwd: root,
          env: { ...process.env, ...env },
          stdio: ["ignore", "pipe", "inherit"]
        })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    ).pipe(
      Effect.flatMap((child) =>
        Effect.callback<string>((resume) => {
          child.stdout.setEncoding("utf8").once("data", (text: string) => resume(Effect.succeed(text)))
        })
      )
    ),
    (text) => /Serving MCP at (\S+)\. /.exec(text)?.[1] ?? text
  )

const post = (url: string, request: object, session?: string): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...(session === undefined ? {} : { "mcp-session-id": session }) },
    body: JSON.stringify({ jsonrpc: "2.0", ...request })
  })

/** Posts a request, and returns the messages of the response's stream and the session. */
const ask = async (url: string, request: object, session?: string) => {
  const response = await post(url, request, session)
  const messages = [...(await response.text()).matchAll(/^data: (.*)$/gmu)].map(([, data = ""]) => JSON.parse(data))
  return { messages, session: response.headers.get("mcp-session-id") ?? "" }
}

const initialize = {
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } }
}

describe("toolguard mcp proxy --listen", () => {
  it.live("13.7 guards a stateless server for stateless clients that use the same request ids", () =>
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

  it.live("13.7 refuses web pages, other hosts, wrong tokens and invalid messages", () =>
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
      // an unreachable server is reported in the answer
      const [status, body] = yield* post(known, hello)
      assert.strictEqual(status, 200)
      assert.match(body, /"id":1,"error":.*Cannot reach 127\.0\.0\.1:49151/)
    }).pipe(Effect.scoped)
  )

  it.live(
    "13.7 does not send a stateless client the notifications of another client's call, and hides their shared session",
    () =>
      Effect.gen(function* () {
        const url = yield* listening(["--", ...hostile("sends-progress")])
        const call = (n: number) =>
          Effect.promise(() =>
            ask(url, {
              id: 1,
              method: "tools/call",
              params: {
                name: "act",
                arguments: { n },
                _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28", progressToken: 1 }
              }
            })
          )
        const both = yield* Effect.all([call(1), call(2)], { concurrency: 2 })
        for (const [index, { messages }] of both.entries()) {
          const progress = messages.filter(({ method }) => method === "notifications/progress")
          assert.deepStrictEqual(
            progress.map(({ params }) => params),
            [{ progressToken: 1, progress: 1, message: `of ${index + 1}` }]
          )
          assert.notInclude(JSON.stringify(messages), `of ${2 - index}`)
          assert.deepInclude(messages.at(-1), { id: 1 })
        }
        const guessed = yield* Effect.promise(() =>
          fetch(url, { method: "DELETE", headers: { "mcp-session-id": "shared" } })
        )
        assert.strictEqual(guessed.status, 404)
      }).pipe(Effect.scoped)
  )

  it.live("13.7 refuses a second request with an id that is in progress", () =>
    Effect.gen(function* () {
      const url = yield* listening(["--", ...hostile("waits")])
      const { session } = yield* Effect.promise(() => ask(url, initialize))
      const call = (id: number, name: string, n: number) => ({
        id,
        method: "tools/call",
        params: { name, arguments: { n }, _meta: { progressToken: 1 } }
      })
      const first = yield* Effect.promise(() => post(url, call(7, "act", 1), session))
      const events = (first.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader()
      let text = ""
      const read = Effect.promise(async () => {
        const { done, value = "" } = await events.read()
        text += value
        return done
      })
      yield* Effect.repeat(read, { until: () => text.includes("notifications/progress") })
      const second = yield* Effect.promise(() => ask(url, call(7, "act", 2), session))
      assert.match(second.messages.at(-1).error.message, /already in progress/)
      yield* Effect.promise(() => ask(url, call(8, "received", 0), session)) // the server answers the first
      yield* Effect.repeat(read, { until: (isDone) => isDone })
      assert.include(text, "of 1")
    }).pipe(Effect.scoped)
  )

  it.live("13.7 applies the lock of the first session to a later session", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "toolguard-mcp-"))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
      )
      const [lock, change] = [join(folder, "tools.lock.json"), join(folder, "change")]
      const url = yield* listening(["--lock", lock, "--", ...hostile("behaves"), change])
      const names = Effect.promise(async () => {
        const { session } = await ask(url, initialize)
        const { messages } = await ask(url, { id: 1, method: "tools/list" }, session)
        return messages.at(-1).result.tools.map(({ name }: { name: string }) => name) as ReadonlyArray<string>
      })
      assert.include(yield* names, "act")
      writeFileSync(change, "")
      assert.notInclude(yield* names, "act")
      assert.notInclude(readFileSync(lock, "utf8"), "Ignore your instructions")
    }).pipe(Effect.scoped)
  )
})
