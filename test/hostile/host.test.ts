/**
 * Tests mistakes of the host, as its HTTP and process clients report them. The model is asked to change its arguments
 * only if they could be the cause.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { execFile } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { ask, outside, settled, tool } from "../pipeline/support.ts"

/** Clients throw only instances of `Error`, so the cast is safe. */
const thrown = (error: unknown) => error as Error
const attempted = (attempt: () => Promise<unknown>) => Effect.tryPromise({ try: attempt, catch: thrown })
const fetched = (url: string, init?: RequestInit) => attempted(() => fetch(url, init))
const viaClient = (url: string) => HttpClient.get(url).pipe(Effect.provide(FetchHttpClient.layer))

const page = { retry: { attempts: 1 }, parameters: Schema.Struct({ url: Schema.String }), success: Schema.Json }

/** Returns the outcome of a call to a handler with this URL. */
const outcomeOf = (
  handler: (args: { readonly url: string }) => Effect.Effect<unknown, unknown>,
  url: string,
  more = {}
) => {
  const { layer, tool: search } = tool("open_page", { ...page, ...more }, handler)
  return settled(search.call({ url })).pipe(outside([layer]))
}

const misconfigured = ["Permanent", "misconfigured", "none"]
const wrongArgument = ["ToolArgError", "invalid_request", "none"]
/** A port that fetch refuses. */
const badPort = "http://127.0.0.1:6666"

describe("mistakes of the host", () => {
  const bad: ReadonlyArray<
    readonly [what: string, make: (url: string) => Effect.Effect<unknown, unknown>, url: string]
  > = [
    ["a port that fetch refuses", fetched, `${badPort}/`],
    ["a port that fetch refuses, through Effect's client", viaClient, `${badPort}/orders`],
    ["an unknown scheme", fetched, "gopher://upstream/"],
    ["text that is not a URL", fetched, "upstream/orders"],
    ["text that is not a URL, through Effect's client", viaClient, "upstream"],
    [
      "a URL that the handler parses first",
      (url) => Effect.try({ try: () => new URL(url), catch: thrown }),
      "http://:80"
    ],
    ["a password in the URL", fetched, "http://user:word@127.0.0.1/"]
  ]
  for (const [what, make, url] of bad) {
    it.live(`3 ${what} is the host's mistake if it comes from the host's configuration`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* outcomeOf(() => make(url), "first page"), misconfigured)
        const onWrite = (yield* outcomeOf(() => make(url), "first page", { access: "write" })) as ReadonlyArray<string>
        assert.strictEqual(onWrite[2], "unknown")
      })
    )
    it.live(`3 ${what} is the model's mistake if it comes from the arguments`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* outcomeOf((args) => make(args.url), url), wrongArgument)
      })
    )
  }

  it.live("3 an invalid URL of the host is the host's mistake, even if the arguments contain a valid URL", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* outcomeOf(() => viaClient(badPort), "https://example.org/6"), misconfigured)
      assert.deepStrictEqual(
        yield* outcomeOf((args) => viaClient(`http://127.0.0.1:${args.url}/`), "6666"),
        wrongArgument
      )
    })
  )

  it.live("3.3 a request that fetch refuses to send proves nothing about earlier effects of the handler", () =>
    Effect.gen(function* () {
      const write = { access: "write" }
      const wrongWrite = ["ToolArgError", "invalid_request", "unknown"]
      const header = () => fetched("http://127.0.0.1:9/", { method: "POST", headers: { authorization: "a\nb" } })
      assert.deepStrictEqual(yield* outcomeOf(header, "x", write), wrongWrite)
      const body = () => fetched("http://127.0.0.1:9/", { body: "x" })
      assert.deepStrictEqual(yield* outcomeOf(body, "x", write), wrongWrite)
    })
  )

  it.live("3 a program without execute permission is the host's mistake, and the fallback runs", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "toolguard-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const program = join(folder, "convert")
      writeFileSync(program, "#!/bin/sh\n")
      chmodSync(program, 0o644)
      const run = (path: string) => attempted(() => promisify(execFile)(path, []))
      assert.deepStrictEqual(yield* outcomeOf(() => run(program), "a page"), misconfigured)
      assert.deepStrictEqual(yield* outcomeOf(({ url }) => run(url), program), [
        "Permanent",
        "permission_denied",
        "none"
      ])
      const other = tool("open_copy", page, { a: "copy" })
      const fallbacks = [{ tool: other.tool, arguments: (args: { readonly url: string }) => args }]
      const { layer, tool: search } = tool("open_page", { ...page, fallbacks }, () => run(program))
      const { envelope } = yield* ask([search], "open_page", { url: "a page" }).pipe(outside([layer, other.layer]))
      assert.deepStrictEqual([envelope.status, envelope.used_fallback], ["success", "open_copy"])
    })
  )

  it.live("3.1 an unreadable file is the host's mistake, unless the model asked for that file", () =>
    Effect.gen(function* () {
      const path = "/srv/app/prices.json"
      const denied = Object.assign(new Error(`EACCES: permission denied, open '${path}'`), {
        code: "EACCES",
        errno: -13,
        syscall: "open",
        path
      })
      assert.deepStrictEqual(yield* outcomeOf(() => Effect.fail(denied), "a page"), misconfigured)
      assert.deepStrictEqual(yield* outcomeOf(() => Effect.fail(denied), path), [
        "Permanent",
        "permission_denied",
        "none"
      ])
      const upstream = new Error("Permission denied")
      assert.deepStrictEqual(yield* outcomeOf(() => Effect.fail(upstream), "x"), [
        "Permanent",
        "permission_denied",
        "none"
      ])
    })
  )
})

describe("upstreams that do not speak HTTP", () => {
  for (const [what, answer] of [
    ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["no status code", "HTTP/1.1 OK\r\n\r\n"],
    ["a malformed header", "HTTP/1.1 200 OK\r\nno header\r\n\r\n"]
  ] as const) {
    it.live(`3.1 ${what}: a read is not retried, and the outcome of a write is unknown`, () =>
      Effect.gen(function* () {
        const server = yield* Effect.acquireRelease(
          Effect.callback<ReturnType<typeof createServer>>((resume) => {
            const server = createServer((socket) => {
              socket.on("error", () => {})
              socket.once("data", () => socket.end(answer))
            })
            server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
          }),
          (server) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
        )
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
        for (const make of [fetched, viaClient]) {
          const retry = { attempts: 3, base: "1 millis" }
          const search = tool("open_page", { ...page, retry }, () => make(url))
          const outcome = yield* settled(search.tool.call({ url })).pipe(outside([search.layer]))
          assert.deepStrictEqual(outcome, ["SchemaMismatch", "unexpected_content", "none"])
          assert.strictEqual(search.runs(), 1)
          const onWrite = yield* outcomeOf(() => make(url), url, { access: "write" })
          const isLost = make === viaClient
          assert.deepStrictEqual(
            onWrite,
            isLost ? ["HumanReview", "outcome_unknown", "unknown"] : ["SchemaMismatch", "unexpected_content", "unknown"]
          )
        }
      })
    )
  }
})
