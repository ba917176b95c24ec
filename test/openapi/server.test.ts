/** Tests the HTTP API of a toolbox with HTTP clients. The tests are `it.live`, because they use real sockets. */
import { Permanent, Resource, Transient } from "#domain/failure/Failure"
import { ToolPolicy } from "#services/Policies"
import { Guard } from "#src/guard/Guard"
import * as Verdict from "#domain/tool/Verdict"
import { assert, describe, it } from "@effect/vitest"
import * as Import from "#src/openapi/Import"
import type { ServeOptions } from "#src/openapi/Routes"
import * as ToolApi from "#src/openapi/ToolApi"
import { Deferred, Duration, Effect, Layer, Logger, Option, Redacted, Schema, Tracer } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { request as nodeRequest } from "node:http"
import { tool } from "../pipeline/support.ts"
import { box, post, send, serving, upstream } from "./support.ts"

const failing = (make: (shared: object) => unknown) =>
  Effect.fail(make({ tool: "", hint: "", sideEffect: "none", traceId: "" }))

/** Returns the toolbox and the layers of scripted tools. */
const boxed = (...tools: ReadonlyArray<ReturnType<typeof tool>>) => ({
  toolbox: box(tools.map(({ tool }) => tool)),
  layers: Layer.mergeAll(Layer.empty, ...tools.map(({ layer }) => layer))
})

/** Serves scripted tools. */
const served = (...tools: ReadonlyArray<ReturnType<typeof tool>>) => {
  const { layers, toolbox } = boxed(...tools)
  return serving(toolbox, layers)
}

describe("the HTTP API of a toolbox", () => {
  it.live("answers a call with the envelope and the trace id", () =>
    Effect.gen(function* () {
      const url = yield* served(tool("count_things", {}, { n: 3 }))
      const got = yield* post(`${url}/tools/count_things`, { q: "a" })
      assert.deepStrictEqual([got.status, got.json], [200, { status: "success", data: { n: 3 } }])
      assert.match(got.headers.get("toolguard-trace-id") ?? "", /^tr_/)
    })
  )

  it.live("2.2 fails a call whose result violates the document's schema, even if the tool only advises", () =>
    Effect.gen(function* () {
      const url = yield* served(tool("count_things", { enforce: "advise" }, { n: "three" }))
      const got = yield* post(`${url}/tools/count_things`, { q: "a" })
      assert.deepStrictEqual([got.status, got.json.code], [502, "invalid_result"])
    })
  )

  it.live("returns a large result completely, but refuses a result over the limit of the API", () =>
    Effect.gen(function* () {
      const rows = tool(
        "list_rows",
        { success: Schema.Array(Schema.String) },
        Array.from({ length: 5_000 }, () => "row")
      )
      const { layers, toolbox } = boxed(rows)
      const url = yield* serving(toolbox, layers)
      assert.lengthOf((yield* post(`${url}/tools/list_rows`, { q: "a" })).json.data, 5_000)
      const small = yield* serving(toolbox, layers, { maxResultBytes: 20_000 })
      const refused = yield* post(`${small}/tools/list_rows`, { q: "a" })
      assert.deepStrictEqual([refused.status, refused.json.code], [502, "response_too_large"])
    })
  )

  it.live("answers failures with the status of their code, as problems with the envelope's error", () =>
    Effect.gen(function* () {
      // the casts are needed because the parameter of `failing` is untyped
      const rows: ReadonlyArray<readonly [name: string, answer: unknown, status: number, code: string]> = [
        [
          "no_right",
          failing((s) => new Permanent({ ...(s as any), code: "unauthorized", detail: "no" })),
          403,
          "unauthorized"
        ],
        ["bad_answer", { n: "x" }, 502, "invalid_result"],
        [
          "no_disk",
          failing((s) => new Resource({ ...(s as any), code: "disk_full", detail: "full" })),
          507,
          "disk_full"
        ],
        ["broken", Effect.die(new Error("bug in /home/me/x.ts")), 500, "tool_crashed"]
      ]
      const url = yield* served(...rows.map(([name, answer]) => tool(name, { retry: { attempts: 1 } }, answer)))
      for (const [name, , status, code] of rows) {
        const got = yield* post(`${url}/tools/${name}`, { q: "a" })
        assert.deepStrictEqual(
          [got.status, got.json.status, got.json.code, got.headers.get("content-type")],
          [status, status, code, "application/problem+json"]
        )
        assert.strictEqual(got.json.detail, got.json.message)
        assert.notInclude(got.text, "/home/me")
      }
      const wrong = yield* post(`${url}/tools/broken`, { r: 1 })
      assert.deepStrictEqual([wrong.status, wrong.json.fields], [422, ["q", "r"]])
    }).pipe(Effect.provide(Logger.layer([])))
  )

  it.live("sends Retry-After if nothing was done, and omits it if that is unknown", () =>
    Effect.gen(function* () {
      const later = (sideEffect: "none" | "unknown") =>
        Effect.fail(
          new Transient({
            tool: "",
            code: "unavailable",
            detail: "later",
            hint: "",
            traceId: "",
            sideEffect,
            retryAfter: Duration.seconds(90)
          })
        )
      const url = yield* served(
        tool("read_it", { budget: 9 }, later("none")),
        tool("write_it", { access: "write", description: "Writes." }, later("unknown"))
      )
      const read = yield* post(`${url}/tools/read_it`, { q: "a" })
      assert.strictEqual(read.status, 503)
      // with jitter of at most a tenth
      assert.isAtLeast(Number(read.headers.get("retry-after")), 90)
      assert.isAtMost(Number(read.headers.get("retry-after")), 99)
      const write = yield* post(`${url}/tools/write_it`, { q: "a" })
      assert.deepStrictEqual(
        [write.status, write.json.code, write.json.side_effect, write.headers.get("retry-after")],
        [500, "outcome_unknown", "unknown", null]
      )
    })
  )

  it.live("answers a partial result with 200 and its continuation", () =>
    Effect.gen(function* () {
      const checks = { more: () => Verdict.partial({ next: { q: "b" } }) }
      const url = yield* served(tool("page_things", { checks }, { n: 1 }))
      const { json, status } = yield* post(`${url}/tools/page_things`, { q: "a" })
      assert.deepStrictEqual([status, json.status, json.data, json.error.next], [200, "partial", { n: 1 }, { q: "b" }])
    })
  )

  it.live("refuses invalid HTTP requests, each with a specific status and code", () =>
    Effect.gen(function* () {
      const { layers, toolbox } = boxed(tool("count_things", {}, { n: 3 }))
      const url = yield* serving(toolbox, layers, { maxBodyBytes: 200 })
      const to = `${url}/tools/count_things`
      const json = { "content-type": "application/json" }
      const rows: ReadonlyArray<readonly [path: string, init: RequestInit, status: number, code: string]> = [
        [to, { method: "POST", headers: json, body: "{oops" }, 400, "invalid_json"],
        [to, { method: "POST", headers: json, body: '{"q":"a' }, 400, "truncated_arguments"],
        [to, { method: "POST", headers: { "content-type": "text/plain" }, body: "{}" }, 415, "unsupported_media_type"],
        [
          to,
          { method: "POST", headers: { ...json, "content-encoding": "gzip" }, body: "{}" },
          415,
          "unsupported_media_type"
        ],
        [
          to,
          { method: "POST", headers: { "content-type": "application/json; charset=utf-16" }, body: "{}" },
          415,
          "unsupported_media_type"
        ],
        [
          to,
          { method: "POST", headers: json, body: JSON.stringify({ q: "x".repeat(300) }) },
          413,
          "arguments_too_large"
        ],
        [to, { method: "POST", headers: { ...json, "toolguard-turn": "a b" }, body: "{}" }, 400, "invalid_header"],
        [to, { method: "GET" }, 405, "method_not_allowed"],
        [to, { method: "DELETE" }, 405, "method_not_allowed"],
        [`${url}/tools/count_thing`, { method: "POST", headers: json, body: "{}" }, 404, "unknown_tool"],
        [`${url}/tools/nothing`, { method: "GET" }, 404, "unknown_tool"]
      ]
      for (const [path, init, status, code] of rows) {
        const got = yield* send(path, init)
        assert.deepStrictEqual(
          [got.status, got.json?.code, got.json?.status],
          [status, code, status],
          `${init.method} ${path}`
        )
        assert.strictEqual(got.headers.get("content-type"), "application/problem+json")
      }
      assert.include(
        (yield* post(`${url}/tools/count_thing`, {})).json.detail +
          (yield* post(`${url}/tools/count_thing`, {})).json.hint,
        "count_things"
      )
      assert.strictEqual((yield* send(to, {})).headers.get("allow"), "POST")
    })
  )

  it.live("runs an action once per Idempotency-Key, and refuses the key for other arguments", () =>
    Effect.gen(function* () {
      const keyed = tool("pay_bill", { access: "write", description: "Writes.", idempotency: "derived" }, { n: 1 })
      const plain = tool("send_it", { access: "write", description: "Writes." }, { n: 1 })
      const url = yield* served(keyed, plain)
      const key = { "idempotency-key": '"8e03978e-40d5-43dd-bc93-6894a57f9324"' }
      const first = yield* post(`${url}/tools/pay_bill`, { q: "a" }, key)
      const again = yield* post(
        `${url}/tools/pay_bill`,
        { q: "a" },
        { "idempotency-key": "8e03978e-40d5-43dd-bc93-6894a57f9324" }
      )
      const other = yield* post(`${url}/tools/pay_bill`, { q: "b" }, key)
      assert.deepStrictEqual([first.json._idempotent, again.json._idempotent, keyed.runs()], [undefined, true, 1])
      assert.deepStrictEqual([other.status, other.json.code], [422, "key_conflict"])
      yield* post(`${url}/tools/pay_bill`, { q: "a" })
      assert.strictEqual(keyed.runs(), 2)
      const refused = yield* post(`${url}/tools/send_it`, { q: "a" }, key)
      assert.deepStrictEqual([refused.status, refused.json.code, plain.runs()], [400, "key_unsupported", 0])
    })
  )

  it.live("2.11 honours an Idempotency-Key if the policy of the guard gives a write its idempotency", () => {
    const plain = tool("send_it", { access: "write", description: "Writes." }, { n: 1 })
    return Effect.gen(function* () {
      const url = yield* served(plain)
      const key = { "idempotency-key": '"8e03978e-40d5-43dd-bc93-6894a57f9324"' }
      const first = yield* post(`${url}/tools/send_it`, { q: "a" }, key)
      const again = yield* post(`${url}/tools/send_it`, { q: "a" }, key)
      assert.deepStrictEqual([first.json._idempotent, again.json._idempotent, plain.runs()], [undefined, true, 1])
    }).pipe(Effect.provideService(ToolPolicy, { idempotency: "derived" }))
  })

  it.live("shares a turn between the requests that name it", () =>
    Effect.gen(function* () {
      const missing = tool("find_it", {}, { n: "never" })
      const url = yield* served(missing)
      const inTurn = { "toolguard-conversation": "c1", "toolguard-turn": "t1" }
      yield* post(`${url}/tools/find_it`, { q: "a" }, inTurn)
      const again = yield* post(`${url}/tools/find_it`, { q: "a" }, inTurn)
      assert.match(again.json.detail, /already made/)
      assert.strictEqual(missing.runs(), 1)
      yield* post(`${url}/tools/find_it`, { q: "a" })
      assert.strictEqual(missing.runs(), 2)
    })
  )

  it.live("identifies the caller, separates principals, and answers unidentified requests with 401", () =>
    Effect.gen(function* () {
      const keyed = tool("pay_bill", { access: "write", description: "Writes.", idempotency: "derived" }, { n: 1 })
      const { layers, toolbox } = boxed(keyed, tool("find_it", {}, { n: "never" }))
      const url = yield* serving(toolbox, layers, {
        identify: ({ headers }) =>
          Effect.succeed(headers["authorization"] === undefined ? undefined : { principal: headers["authorization"] })
      })
      const key = { "idempotency-key": "the-same-key-for-both" }
      assert.deepStrictEqual((yield* post(`${url}/tools/pay_bill`, { q: "a" }, key)).status, 401)
      for (const authorization of ["Bearer ana", "Bearer ben", "Bearer ana"]) {
        assert.strictEqual((yield* post(`${url}/tools/pay_bill`, { q: "a" }, { ...key, authorization })).status, 200)
      }
      assert.strictEqual(keyed.runs(), 2)
      const one = { "toolguard-conversation": "c", "toolguard-turn": "t" }
      for (const authorization of ["Bearer ana", "Bearer ben"]) {
        const { json } = yield* post(`${url}/tools/find_it`, { q: "a" }, { ...one, authorization })
        assert.notMatch(json.detail, /already made/)
      }
    })
  )

  it.live("interrupts the handler when the client disconnects", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const interrupted = yield* Deferred.make<void>()
      const waiting = Deferred.succeed(started, undefined).pipe(
        Effect.andThen(Effect.never),
        Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
      )
      const url = yield* served(tool("wait_long", {}, waiting))
      const client = nodeRequest(`${url}/tools/wait_long`, {
        method: "POST",
        headers: { "content-type": "application/json" }
      })
      client.on("error", () => {})
      client.end('{"q":"a"}')
      yield* Deferred.await(started)
      client.destroy()
      const end = yield* Effect.timeoutOption(Deferred.await(interrupted), "20 seconds")
      assert.isTrue(Option.isSome(end), "the handler was not interrupted")
    })
  )

  it.live("serves its document with the schemas of the contracts", () =>
    Effect.gen(function* () {
      const find = tool(
        "find_it",
        { parameters: Schema.Struct({ q: Schema.String.check(Schema.isMaxCodePoints(9)) }) },
        { n: 1 }
      )
      const url = yield* served(find)
      const { json, status } = yield* send(`${url}/openapi.json`)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(
        json.paths["/tools/find_it"].post.requestBody.content["application/json"].schema,
        find.tool.jsonSchema
      )
    }).pipe(Effect.provide(Guard.layerMemory))
  )

  const known: ServeOptions = {
    identify: ({ headers }) => Effect.succeed(headers["x-user"] === "ann" ? { principal: "ann" } : undefined)
  }
  it.live("13.7 a client that `identify` refuses gets neither the document nor the names of the tools", () =>
    Effect.gen(function* () {
      const { layer, tool: found } = tool("find_it", {}, { n: 1 })
      const url = yield* serving(box([found]), layer, known)
      const statuses: Array<ReadonlyArray<number>> = []
      for (const headers of [{}, { "x-user": "bob" }, { "x-user": "ann" }]) {
        const get = (path: string) => Effect.map(send(`${url}${path}`, { headers }), ({ status }) => status)
        const head = yield* Effect.promise(() => fetch(`${url}/openapi.json`, { method: "HEAD", headers }))
        statuses.push([
          yield* get("/openapi.json"),
          head.status,
          yield* get("/tools/find_it"),
          yield* get("/tools/lose_it")
        ])
      }
      assert.deepStrictEqual(statuses, [
        [401, 401, 401, 401],
        [401, 401, 401, 401],
        [200, 200, 405, 404]
      ])
      const refused = yield* send(`${url}/openapi.json`)
      assert.strictEqual(refused.headers.get("www-authenticate"), "Bearer")
      assert.notInclude(refused.text, "find_it")
    }).pipe(Effect.provide(Guard.layerMemory))
  )

  it.live("13.7 openDocument serves the document to every client, and the tools only to known clients", () =>
    Effect.gen(function* () {
      const { layer, tool: found } = tool("find_it", {}, { n: 1 })
      const url = yield* serving(box([found]), layer, { ...known, openDocument: true })
      const { json, status } = yield* send(`${url}/openapi.json`)
      assert.deepStrictEqual([status, Object.keys(json.paths)], [200, ["/tools/find_it"]])
      assert.strictEqual((yield* post(`${url}/tools/find_it`, { q: "a" })).status, 401)
    }).pipe(Effect.provide(Guard.layerMemory))
  )

  it.live("is an Effect HttpApi whose client calls the tools", () =>
    Effect.gen(function* () {
      const count = tool("count_things", {}, { n: 3 })
      const { layers, toolbox } = boxed(count)
      const url = yield* serving(toolbox, layers)
      const makeClient = HttpApiClient.make(ToolApi.api(toolbox), { baseUrl: url }) as Effect.Effect<
        any,
        never,
        HttpClient.HttpClient
      >
      const client = yield* makeClient
      const done = yield* client.tools.count_things({ payload: { q: "a" } }) as Effect.Effect<unknown>
      assert.deepStrictEqual(done, { status: "success", data: { n: 3 } })
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )

  it.live("continues the client's trace in the spans of the call, and records no credentials of an upstream", () =>
    Effect.gen(function* () {
      const spans: Array<Tracer.NativeSpan> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      const secret = "s3cret-value-of-a-key"
      const api = yield* upstream(() => ({ body: '{"n":1}' }))
      const schemes = {
        a: { type: "apiKey", in: "query", name: "k" },
        b: { type: "apiKey", in: "header", name: "X-Odd" }
      }
      const document = {
        openapi: "3.1.0",
        security: [{ a: [], b: [] }],
        paths: { "/x": { get: { operationId: "get_x", responses: { 200: { description: "" } } } } },
        components: { securitySchemes: schemes }
      }
      const credentials = { a: Redacted.make(secret), b: Redacted.make(secret) }
      const toolbox = box(Import.toolsUnsafe(document, { baseUrl: api.url, credentials }).tools)
      const url = yield* serving(toolbox, FetchHttpClient.layer).pipe(
        Effect.provideService(Tracer.Tracer, tracer),
        Effect.provideService(HttpClient.TracerHeaderFilter, () => true)
      )
      const traceId = "0af7651916cd43dd8448eb211c80319c"
      const got = yield* post(`${url}/tools/get_x`, {}, { traceparent: `00-${traceId}-b7ad6b7169203331-01` })
      assert.deepStrictEqual(
        [got.status, api.received[0]?.headers["x-odd"], api.received[0]?.url],
        [200, secret, `/x?k=${secret}`]
      )
      assert.isAtLeast(spans.length, 3)
      assert.isTrue(spans.every((span) => span.traceId === traceId))
      assert.notInclude(
        JSON.stringify(spans.map(({ attributes, name }) => [name, [...attributes].map(String)])),
        secret
      )
    })
  )
})
