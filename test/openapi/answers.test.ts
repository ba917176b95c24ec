/** Tests how imported tools read the responses of a server. The tests are `it.live`, because they use real sockets. */
import { assert, describe, it } from "@effect/vitest"
import * as ScriptedModel from "#layers/ScriptedModel"
import * as Agent from "#src/agent/Agent"
import { Guard } from "#src/guard/Guard"
import * as Toolbox from "#src/tool/Toolbox"
import { Effect } from "effect"
import { freePort } from "../inbox/support.ts"
import { answer, documentOf, imported, live, named } from "./importing.ts"
import { type ReceivedRequest, type Reply, upstream } from "./support.ts"

/** Calls an operation of a server that answers with `reply`. */
const callWith = (operation: object, reply: (received: ReceivedRequest) => Reply, args: unknown = {}, method = "get") =>
  Effect.scoped(
    Effect.gen(function* () {
      const { received, url } = yield* upstream(reply)
      const document = documentOf({ "/x": { [method]: { operationId: "do_it", ...operation } } })
      const envelope = yield* answer(named(imported(document, { baseUrl: url }), "do_it"), args)
      return { envelope, received }
    })
  ).pipe(Effect.provide(live))

const json = (schema: object, status = 200) => ({
  responses: { [status]: { description: "", content: { "application/json": { schema } } } }
})
const row = { type: "object", properties: { id: { type: "string" } }, required: ["id"] }
const rows = (...ids: ReadonlyArray<string>) => ids.map((id) => ({ id }))
const query = (...parameters: ReadonlyArray<readonly [name: string, type: string]>) => ({
  parameters: parameters.map(([name, type]) => ({ name, in: "query", schema: { type } }))
})

describe("the result of an imported tool", () => {
  it.live("2.2 is passed to a model if it violates the document's schema and the policy only advises", () =>
    Effect.gen(function* () {
      const { url } = yield* upstream(() => ({ body: '[{"id":7}]', headers: { "content-type": "application/json" } }))
      const document = documentOf({ "/x": { get: { operationId: "do_it", ...json({ type: "array", items: row }) } } })
      const answerWith = (options: object) =>
        answer(named(imported(document, { baseUrl: url, ...options }), "do_it"), {})
      assert.strictEqual((yield* answerWith({})).error.code, "invalid_result")
      assert.deepStrictEqual((yield* answerWith({ policy: () => ({ enforce: "advise" }) })).data, [{ id: 7 }])
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.live("is classified by status, with the detail of a problem", () =>
    Effect.gen(function* () {
      const problem = (status: number): Reply => ({
        status,
        headers: { "content-type": "application/problem+json" },
        body: JSON.stringify({ type: "about:blank", title: "Nope", status, detail: `why it is ${status}` })
      })
      for (const [status, errorClass, code] of [
        [400, "tool_arg_error", "invalid_request"],
        [403, "permanent", "unauthorized"],
        [404, "permanent", "not_found"],
        [422, "tool_arg_error", "invalid_request"],
        [507, "resource", "disk_full"]
      ] as const) {
        const { envelope } = yield* callWith(json({}), () => problem(status))
        assert.deepStrictEqual([envelope.error.error_class, envelope.error.code], [errorClass, code])
        assert.include(envelope.error.message, `why it is ${status}`)
      }
      const limited = yield* callWith(json({}), () => ({
        status: 429,
        headers: { "retry-after": "3600" },
        body: "{}"
      }))
      assert.deepStrictEqual(
        [limited.envelope.error.error_class, limited.envelope.error.retryable, limited.received.length],
        ["transient", true, 1]
      )
      // with jitter of at most 20 seconds
      assert.isAtLeast(limited.envelope.error.retry_after_ms, 3_600_000)
      assert.isAtMost(limited.envelope.error.retry_after_ms, 3_620_000)
    })
  )

  it.live("3.3 does not end the run if the server reports an exhausted resource", () =>
    Effect.gen(function* () {
      const { url } = yield* upstream(() => ({ status: 402, body: '{"message":"The plan is used up."}' }))
      for (const method of ["get", "post"]) {
        const document = documentOf({ "/x": { [method]: { operationId: "do_it", ...json({}) } } })
        const tools = Toolbox.make(named(imported(document, { baseUrl: url }), "do_it"))
        const model = ScriptedModel.layer([ScriptedModel.call("do_it", {}), "It failed."])
        const end = yield* Effect.provide(Agent.run({ prompt: "Act.", tools }), model)
        assert.deepInclude(end, { _tag: "Answered", text: "It failed." })
      }
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.live("3.3 is quoted in the server's own words if it is an error", () =>
    Effect.gen(function* () {
      const problem = {
        title: "Invalid order",
        detail: "2 fields are wrong.",
        errors: [
          { pointer: "#/qty", detail: "must be at most 5" },
          { pointer: "#/sku", detail: "is unknown" }
        ]
      }
      const page = "<!doctype html><html><head><title>Maintenance</title></head><body>Back at noon.</body></html>"
      for (const [status, body, words, side_effect] of [
        [
          422,
          JSON.stringify(problem),
          "Invalid order; 2 fields are wrong. #/qty: must be at most 5; #/sku: is unknown",
          undefined
        ],
        [409, '{"message":"Version 3 is newer."}', "Version 3 is newer.", undefined],
        [500, "Error: no disk\n    at save (db.js:3:4)\nTry later", "Error: no disk Try later", "unknown"],
        [503, page, "Maintenance Back at noon.", "unknown"]
      ] as const) {
        const { envelope } = yield* callWith(json({}), () => ({ status, body }), {}, "post")
        assert.include(envelope.error.message, words)
        assert.strictEqual(envelope.error.side_effect, side_effect)
        assert.isAtMost(JSON.stringify(envelope.error).length, 600)
      }
    })
  )

  it.live("3.3 is a failure of unknown effect, with its message and retry delay, if a 2xx body states a failure", () =>
    Effect.gen(function* () {
      for (const schema of [row, undefined]) {
        const operation = schema === undefined ? { responses: { 200: { description: "" } } } : json(schema)
        for (const [body, headers, wait] of [
          ['{"ok":false,"error":"slow down, please","retry_after":40}', {}, 40_000],
          ['{"ok":false,"error":"slow down, please","retryAfterMs":700}', {}, 700],
          ['{"ok":false,"error":"slow down, please"}', { "retry-after": "40" }, 40_000]
        ] as const) {
          const { envelope, received } = yield* callWith(operation, () => ({ body, headers }), {}, "post")
          assert.deepInclude(envelope.error, {
            error_class: "transient",
            message: "slow down, please",
            side_effect: "unknown",
            retry_after_ms: wait,
            retryable: false,
            next_step: "ask_user"
          })
          assert.strictEqual(received.length, 1)
        }
        const { envelope } = yield* callWith(operation, () => ({ body: '{"ok":false,"error":"no such channel"}' }))
        assert.include(envelope.error.message, "no such channel")
      }
    })
  )

  it.live("is not recalled if another call has changed the state since", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { received, url } = yield* upstream(() => ({ body: '{"ok":true}' }))
        const ok = json({ type: "object" })
        const document = documentOf({
          "/lock": { put: { operationId: "lock", ...ok } },
          "/unlock": { put: { operationId: "unlock", ...ok } }
        })
        const { tools } = imported(document, { baseUrl: url })
        const box = Toolbox.make(...tools)
        const call = (name: string) => box.answer({ name, arguments: {}, callId: name })
        yield* Guard.turn(Effect.forEach(["lock", "unlock", "lock"], call))
        assert.deepStrictEqual(
          received.map((request) => request.url),
          ["/lock", "/unlock", "/lock"]
        )
      })
    ).pipe(Effect.provide(live))
  )

  it.live("has an unknown side effect if a write is redirected, and the redirect is not followed", () =>
    Effect.gen(function* () {
      const { envelope, received } = yield* callWith(
        json({}),
        ({ url }) => (url === "/x" ? { status: 302, headers: { location: "/other" } } : { body: "{}" }),
        {},
        "post"
      )
      assert.deepStrictEqual([received.length, envelope.error.side_effect], [1, "unknown"])
    })
  )

  it.live("is validated with the document's schema, even for several statuses and empty bodies", () =>
    Effect.gen(function* () {
      const bad = yield* callWith(json(row), () => ({ body: '{"id":7}' }))
      assert.deepStrictEqual([bad.envelope.error.error_class, bad.envelope.error.fields], ["schema_mismatch", ["id"]])
      const both = {
        responses: { ...json(row, 200).responses, 202: { description: "later" }, 204: { description: "done" } }
      }
      assert.deepStrictEqual((yield* callWith(both, () => ({ status: 204 }))).envelope, {
        status: "success",
        data: null,
        empty: true
      })
      assert.deepStrictEqual((yield* callWith(both, () => ({ body: '{"id":"a"}' }))).envelope.data, { id: "a" })
      const ranged = { responses: { "2XX": json(row).responses[200], default: { description: "error" } } }
      assert.strictEqual(
        (yield* callWith(ranged, () => ({ status: 207, body: '{"id":1}' }))).envelope.error.error_class,
        "schema_mismatch"
      )
      const text = json({ type: "string" })
      assert.strictEqual((yield* callWith(text, () => ({ body: '"quoted"' }))).envelope.data, "quoted")
      const page = yield* callWith(json(row), () => ({
        headers: { "content-type": "text/html" },
        body: "<html>login</html>"
      }))
      assert.strictEqual(page.envelope.error.code, "unexpected_content")
    })
  )

  it.live("is the text of a text response, and a file for bytes", () =>
    Effect.gen(function* () {
      const media = (name: string) => ({ responses: { 200: { description: "", content: { [name]: {} } } } })
      const text = yield* callWith(media("text/csv"), () => ({ headers: { "content-type": "text/csv" }, body: "a,b" }))
      assert.strictEqual(text.envelope.data, "a,b")
      assert.strictEqual(text.received[0]?.headers.accept, "text/csv")
      const image = yield* callWith(media("image/png"), () => ({
        headers: { "content-type": "image/png" },
        body: new Uint8Array([137, 80, 78, 71])
      }))
      assert.deepStrictEqual(image.envelope.data, { media_type: "image/png", bytes: 4 })
    })
  )

  it.live("is refused if it is a file that is too large", () =>
    Effect.gen(function* () {
      const media = { responses: { 200: { description: "", content: { "image/png": {} } } } }
      const body = new Uint8Array(10_000_001)
      const { envelope } = yield* callWith(media, () => ({ headers: { "content-type": "image/png" }, body }))
      assert.strictEqual(envelope.error.code, "response_too_large")
    })
  )

  it.live("is the location of a redirect that the document declares as a success, and null for HEAD", () =>
    Effect.gen(function* () {
      const found = { responses: { 302: { description: "the archive" } } }
      const redirected = yield* callWith(found, () => ({
        status: 302,
        headers: { location: "https://cdn.example/a.zip" }
      }))
      assert.deepStrictEqual(redirected.envelope.data, { location: "https://cdn.example/a.zip" })
      const head = yield* callWith(json(row), () => ({}), {}, "head")
      assert.deepStrictEqual(
        [head.envelope.status, head.envelope.data, head.received[0]?.method],
        ["success", null, "HEAD"]
      )
    })
  )

  it.live("is partial if the response says in a common way that there are more pages", () =>
    Effect.gen(function* () {
      const list = { type: "array", items: row }
      const any = json({ type: "object" })
      const cases: ReadonlyArray<
        readonly [name: string, operation: object, args: object, reply: Reply, next: unknown]
      > = [
        [
          "a Link header, numbers as numbers",
          { ...query(["page", "integer"], ["per_page", "integer"]), ...json(list) },
          { per_page: 2 },
          {
            headers: {
              link: '<https://other.example/x?per_page=2&page=1>; rel="prev", <https://other.example/x?per_page=2&page=3>; rel="next"'
            },
            body: JSON.stringify(rows("a", "b"))
          },
          { per_page: 2, page: 3 }
        ],
        [
          "a cursor",
          { ...query(["cursor", "string"]), ...any },
          {},
          { body: '{"items":[{"id":"a"}],"next_cursor":"c2"}' },
          { cursor: "c2" }
        ],
        [
          "a cursor in metadata",
          { ...query(["page_token", "string"]), ...any },
          {},
          { body: '{"data":[],"meta":{"nextPageToken":"t"}}' },
          { page_token: "t" }
        ],
        [
          "OData",
          { ...query(["$skiptoken", "string"]), ...any },
          {},
          { body: '{"value":[],"@odata.nextLink":"https://x.example/y?$skiptoken=s"}' },
          { skiptoken: "s" }
        ],
        [
          "has_more after the last row",
          { ...query(["starting_after", "string"]), ...any },
          {},
          { body: '{"data":[{"id":"a"},{"id":"b"}],"has_more":true}' },
          { starting_after: "b" }
        ],
        [
          "numbered pages",
          { ...query(["page", "integer"]), ...any },
          { page: 2 },
          { body: '{"items":[1],"total_pages":3}' },
          { page: 3 }
        ],
        [
          "an offset",
          { ...query(["offset", "integer"], ["limit", "integer"]), ...any },
          { offset: 10, limit: 2 },
          { body: '{"items":[1,2],"total":15}' },
          { offset: 12, limit: 2 }
        ]
      ]
      for (const [name, operation, args, reply, next] of cases) {
        const { envelope } = yield* callWith(operation, () => reply, args)
        assert.deepStrictEqual([envelope.status, envelope.error?.next], ["partial", next], name)
      }
      const last: typeof cases = [
        [
          "no Link",
          { ...query(["page", "integer"]), ...json(list) },
          {},
          { body: JSON.stringify(rows("a")) },
          undefined
        ],
        [
          "an empty cursor",
          { ...query(["cursor", "string"]), ...any },
          {},
          { body: '{"items":[],"next_cursor":""}' },
          undefined
        ],
        [
          "the same cursor",
          { ...query(["cursor", "string"]), ...any },
          { cursor: "c" },
          { body: '{"items":[],"next_cursor":"c"}' },
          undefined
        ],
        [
          "the last page",
          { ...query(["page", "integer"]), ...any },
          { page: 3 },
          { body: '{"items":[1],"total_pages":3}' },
          undefined
        ],
        [
          "the last rows",
          { ...query(["offset", "integer"]), ...any },
          { offset: 13 },
          { body: '{"items":[1,2],"total":15}' },
          undefined
        ]
      ]
      for (const [name, operation, args, reply] of last) {
        assert.strictEqual((yield* callWith(operation, () => reply, args)).envelope.status, "success", name)
      }
      const unreachable = yield* callWith({ ...query(["filter", "string"]), ...any }, () => ({
        body: '{"value":[1],"@odata.nextLink":"https://x.example/y?$skiptoken=s"}'
      }))
      assert.deepStrictEqual(
        [unreachable.envelope.status, unreachable.envelope.error.next_step],
        ["partial", "fix_arguments"]
      )
    })
  )

  it.live("is a failure without the arguments in its cause if the connection fails", () =>
    Effect.gen(function* () {
      const document = documentOf({ "/x": { get: { operationId: "do_it", ...query(["q", "string"]), ...json({}) } } })
      // a second attempt would wait a real second
      const options = { baseUrl: `http://127.0.0.1:${yield* freePort}`, policy: () => ({ retry: { attempts: 1 } }) }
      const tool = named(imported(document, options), "do_it")
      const failure = yield* Effect.flip(tool.call({ q: "s3cret-argument" }))
      assert.deepStrictEqual(
        [failure._tag, failure.code, failure.sideEffect],
        ["Transient", "connection_failed", "none"]
      )
      assert.notInclude(JSON.stringify(failure.cause), "s3cret-argument")
    }).pipe(Effect.provide(live))
  )
})
