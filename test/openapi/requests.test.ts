/** Tests the requests of imported tools with a real server. The tests are `it.live`, because they use real sockets. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { answer, documentOf, imported, live, named } from "./importing.ts"
import { type ReceivedRequest, upstream } from "./support.ts"

const ok = { 200: { description: "ok" } }

/** Calls an operation, and returns the request that the upstream received and the envelope. */
const sent = (
  method: string,
  path: string,
  operation: object,
  args: unknown,
  more: object = {},
  options: object = {}
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { received, url } = yield* upstream(() => ({ body: "{}" }))
      const document = documentOf({ [path]: { [method]: { operationId: "do_it", responses: ok, ...operation } } }, more)
      const envelope = yield* answer(named(imported(document, { baseUrl: `${url}/v1/`, ...options }), "do_it"), args)
      return { envelope, received: received[0], count: received.length }
    })
  ).pipe(Effect.provide(live))

const query = (name: string, schema: object, more: object = {}) => ({ name, in: "query", schema, ...more })
const strings = { type: "array", items: { type: "string" } }
const object = { type: "object", properties: { R: { type: "integer" }, G: { type: "integer" } } }

describe("the request of an imported tool", () => {
  it.live("encodes parameters by style, as in the table of the specification", () =>
    Effect.gen(function* () {
      const colour = { R: 100, G: 200 }
      const list = ["blue", "black"]
      const rows: ReadonlyArray<readonly [parameter: object, value: unknown, url: string]> = [
        [query("color", strings), list, "?color=blue&color=black"],
        [query("color", strings, { explode: false }), list, "?color=blue,black"],
        [query("color", strings, { style: "spaceDelimited" }), list, "?color=blue%20black"],
        [query("color", strings, { style: "pipeDelimited", explode: false }), list, "?color=blue%7Cblack"],
        [query("color", object), colour, "?R=100&G=200"],
        [query("color", object, { explode: false }), colour, "?color=R,100,G,200"],
        [query("color", object, { style: "deepObject" }), colour, "?color%5BR%5D=100&color%5BG%5D=200"],
        [query("color", { type: "string" }, { allowReserved: true }), "a/b?c=d&e#f", "?color=a/b?c%3Dd%26e%23f"],
        [query("color", { type: "string" }), "a/b&c=d é", "?color=a%2Fb%26c%3Dd%20%C3%A9"],
        [
          { name: "color", in: "query", content: { "application/json": { schema: object } } },
          colour,
          "?color=%7B%22R%22%3A100%2C%22G%22%3A200%7D"
        ]
      ]
      for (const [parameter, value, url] of rows) {
        const { received } = yield* sent("get", "/x", { parameters: [parameter] }, { color: value })
        assert.strictEqual(received?.url, `/v1/x${url}`)
      }
      const paths: ReadonlyArray<readonly [style: object, value: unknown, url: string]> = [
        [{}, "blue", "blue"],
        [{}, list, "blue,black"],
        [{}, colour, "R,100,G,200"],
        [{ explode: true }, colour, "R=100,G=200"],
        [{ style: "label" }, list, ".blue,black"],
        [{ style: "label", explode: true }, list, ".blue.black"],
        [{ style: "label", explode: true }, colour, ".R=100.G=200"],
        [{ style: "matrix" }, "blue", ";color=blue"],
        [{ style: "matrix" }, list, ";color=blue,black"],
        [{ style: "matrix", explode: true }, list, ";color=blue;color=black"],
        [{ style: "matrix" }, colour, ";color=R,100,G,200"],
        [{ style: "matrix", explode: true }, colour, ";R=100;G=200"]
      ]
      for (const [style, value, url] of paths) {
        const parameter = { name: "color", in: "path", required: true, schema: {}, ...style }
        const { received } = yield* sent("get", "/a/{color}/b", { parameters: [parameter] }, { color: value })
        assert.strictEqual(received?.url, `/v1/a/${url}/b`)
      }
    })
  )

  it.live("keeps the segments of a path whatever a value contains", () =>
    Effect.gen(function* () {
      const parameters = [{ name: "id", in: "path", required: true, schema: { type: "string" } }]
      for (const [id, path] of [
        ["../../admin", "..%2F..%2Fadmin"],
        ["a/b?c#d", "a%2Fb%3Fc%23d"],
        ["..\\x", "..%5Cx"],
        ["%2e%2e", "%252e%252e"],
        ["a\nb\ud800", "a%0Ab%EF%BF%BD"]
      ]) {
        const { received } = yield* sent("get", "/things/{id}/parts", { parameters }, { id })
        assert.strictEqual(received?.url, `/v1/things/${path}/parts`)
      }
      for (const id of ["", ".", ".."]) {
        const { count, envelope } = yield* sent("get", "/things/{id}/parts", { parameters }, { id })
        assert.deepStrictEqual([count, envelope.error.code, envelope.error.fields], [0, "invalid_arguments", ["id"]])
      }
    })
  )

  it.live("contains headers and cookies, and refuses values that would inject a header", () =>
    Effect.gen(function* () {
      const parameters = [
        { name: "X-Trace", in: "header", schema: { type: "string" } },
        { name: "X-List", in: "header", schema: strings },
        { name: "Authorization", in: "header", schema: { type: "string" } },
        { name: "Host", in: "header", schema: { type: "string" } },
        { name: "session", in: "cookie", schema: { type: "string" } }
      ]
      const { received } = yield* sent(
        "get",
        "/x",
        { parameters },
        { "X-Trace": "a", "X-List": ["b", "c"], session: "d;e" }
      )
      assert.deepInclude(received?.headers, { "x-trace": "a", "x-list": "b,c", cookie: "session=d%3Be" })
      const { count, envelope } = yield* sent("get", "/x", { parameters }, { "X-Trace": "a\r\nX-Admin: 1" })
      assert.deepStrictEqual([count, envelope.error.code], [0, "invalid_arguments"])
      const refused = yield* sent("get", "/x", { parameters }, { Host: "evil" })
      assert.deepStrictEqual([refused.count, refused.envelope.error.fields], [0, ["Host"]])
    })
  )

  it.live("encodes bodies as JSON with parameters, forms, multipart with files, text and bytes", () =>
    Effect.gen(function* () {
      const body = (media: string, schema: object, more: object = {}) => ({
        requestBody: { required: true, content: { [media]: { schema, ...more } } }
      })
      const fields = { type: "object", properties: { name: { type: "string" }, tags: strings }, required: ["name"] }
      const json = yield* sent(
        "post",
        "/x",
        { parameters: [query("name", { type: "string" })], ...body("application/json", fields) },
        { name: "q", body_name: "b", tags: ["t"], extra: 1 }
      )
      assert.strictEqual(json.received?.url, "/v1/x?name=q")
      assert.deepStrictEqual(JSON.parse(String(json.received?.body)), { name: "b", tags: ["t"], extra: 1 })
      const form = yield* sent("post", "/x", body("application/x-www-form-urlencoded", fields), {
        name: "a b&c",
        tags: ["t", "u"]
      })
      assert.strictEqual(String(form.received?.body), "name=a%20b%26c&tags=t&tags=u")
      assert.include(form.received?.headers["content-type"], "application/x-www-form-urlencoded")
      const text = yield* sent("post", "/x", body("text/plain", { type: "string" }), { body: "hello" })
      assert.strictEqual(String(text.received?.body), "hello")
      const bytes = yield* sent("put", "/x", body("application/octet-stream", {}), { body: { base64: "AQID" } })
      assert.deepStrictEqual([...(bytes.received?.body ?? [])], [1, 2, 3])
      const upload = {
        type: "object",
        properties: { note: { type: "string" }, file: { type: "string", format: "binary" } }
      }
      const multipart = yield* sent("post", "/x", body("multipart/form-data", upload), {
        note: "n",
        file: { text: "content", file_name: 'a"b.txt', media_type: "text/csv" }
      })
      const parts = yield* formDataOf(multipart.received)
      const file = parts.get("file") as File
      assert.deepStrictEqual(
        [parts.get("note"), file.name, file.type, yield* Effect.promise(() => file.text())],
        ["n", "a_b.txt", "text/csv", "content"]
      )
      const emptyFile = yield* sent("post", "/x", body("multipart/form-data", upload), { file: {} })
      assert.deepStrictEqual([emptyFile.count, emptyFile.envelope.error.fields], [0, ["file"]])
    })
  )

  it.live("has an array as its body, and omits an optional body", () =>
    Effect.gen(function* () {
      const required = { requestBody: { required: true, content: { "application/json": { schema: strings } } } }
      const { received } = yield* sent("post", "/x", required, { body: ["a"] })
      assert.strictEqual(String(received?.body), '["a"]')
      const optional = {
        requestBody: { content: { "application/json": { schema: { type: "object", properties: {} } } } }
      }
      const none = yield* sent("post", "/x", optional, {})
      assert.deepStrictEqual([String(none.received?.body), none.received?.headers["content-type"]], ["", undefined])
    })
  )

  it.live("12.3 adds its query to the query of the path, and sends no fragment", () =>
    Effect.gen(function* () {
      const x = query("x", { type: "string" })
      for (const [path, url] of [
        ["/a#Target=T", "/v1/a?x=1"],
        ["/a?Action=Do", "/v1/a?Action=Do&x=1"],
        ["/a?Action=Do#Target", "/v1/a?Action=Do&x=1"]
      ] as const) {
        const { received } = yield* sent("get", path, { parameters: [x] }, { x: "1" })
        assert.strictEqual(received?.url, url)
      }
    })
  )

  it.live("12.3 an argument cannot set the parameter of a credential", () =>
    Effect.gen(function* () {
      for (const where of ["query", "header", "cookie"] as const) {
        const more = {
          components: { securitySchemes: { key: { type: "apiKey", in: where, name: "key" } } },
          security: [{ key: [] }]
        }
        const credentials = { credentials: { key: Redacted.make("secret") } }
        const own = { name: "key", in: where, required: true, schema: { type: "string" } }
        const { received } = yield* sent("get", "/x", { parameters: [own] }, {}, more, credentials)
        const place = { query: received?.url, header: received?.headers["key"], cookie: received?.headers["cookie"] }
        assert.strictEqual(place[where], { query: "/v1/x?key=secret", header: "secret", cookie: "key=secret" }[where])
        const refused = yield* sent("get", "/x", { parameters: [own] }, { key: "mine" }, more, credentials)
        assert.deepStrictEqual([refused.count, refused.envelope.status], [0, "error"])
        if (where === "header") continue
        const free = { name: "free", in: where, schema: { type: "object" }, explode: true }
        const args = { free: { key: "mine", other: "o" } }
        const found = yield* sent("get", "/x", { parameters: [free] }, args, more, credentials)
        assert.strictEqual(
          where === "query" ? found.received?.url : found.received?.headers["cookie"],
          where === "query" ? "/v1/x?other=o&key=secret" : "other=o; key=secret"
        )
      }
    })
  )

  it("12.3 a credential that is not Redacted is refused at import with the remedy and without its text", () => {
    for (const [place, credential] of [
      ["key", "hunter22"],
      ["key\\.password", { username: "ann", password: "hunter22" }]
    ] as const) {
      assert.throws(
        () => imported(documentOf({}), { credentials: { key: credential as never } }), // plain JavaScript may pass any value
        new RegExp(`^\`credentials\\.${place}\` is not a Redacted text: pass \`Redacted\\.make\\(text\\)\`\\.$`)
      )
    }
  })

  it.live("authenticates with API keys, bearer tokens and basic credentials, without showing them to the model", () =>
    Effect.gen(function* () {
      const secret = Redacted.make("s3cret-value-of-a-key")
      const schemes: ReadonlyArray<readonly [object, object, (received: ReceivedRequest) => unknown, unknown]> = [
        [
          { type: "apiKey", in: "header", name: "X-Key" },
          secret,
          ({ headers }) => headers["x-key"],
          "s3cret-value-of-a-key"
        ],
        [{ type: "apiKey", in: "query", name: "key" }, secret, ({ url }) => url, "/v1/x?key=s3cret-value-of-a-key"],
        [
          { type: "apiKey", in: "cookie", name: "sid" },
          secret,
          ({ headers }) => headers.cookie,
          "sid=s3cret-value-of-a-key"
        ],
        [
          { type: "http", scheme: "bearer" },
          secret,
          ({ headers }) => headers.authorization,
          "Bearer s3cret-value-of-a-key"
        ],
        [
          { type: "oauth2", flows: {} },
          Effect.succeed(secret),
          ({ headers }) => headers.authorization,
          "Bearer s3cret-value-of-a-key"
        ],
        [
          { type: "http", scheme: "basic" },
          { username: "ana", password: secret },
          ({ headers }) => headers.authorization,
          `Basic ${btoa("ana:s3cret-value-of-a-key")}`
        ]
      ]
      for (const [scheme, credential, read, expected] of schemes) {
        const more = { components: { securitySchemes: { it: scheme } }, security: [{ it: [] }] }
        const { envelope, received } = yield* sent("get", "/x", {}, {}, more, { credentials: { it: credential } })
        assert.strictEqual(received === undefined ? undefined : read(received), expected)
        assert.notInclude(JSON.stringify(envelope), "s3cret")
      }
    })
  )

  it.live("contains the same idempotency key on each attempt, in the header that the document declares", () =>
    Effect.scoped(
      Effect.gen(function* () {
        let calls = 0
        const { received, url } = yield* upstream(({ headers }) =>
          headers["idempotency-key"] === undefined || ++calls < 2
            ? { status: 503, headers: { "retry-after": "0" } }
            : { status: 201, body: '{"id":1}' }
        )
        const post = {
          operationId: "pay",
          parameters: [{ name: "Idempotency-Key", in: "header", required: true, schema: { type: "string" } }],
          requestBody: {
            content: { "application/json": { schema: { type: "object", properties: { cents: { type: "integer" } } } } }
          },
          responses: { 201: { description: "made", content: { "application/json": { schema: { type: "object" } } } } }
        }
        const pay = named(imported(documentOf({ "/pay": { post } }), { baseUrl: url }), "pay")
        // the cast is needed because a JSON Schema is untyped
        assert.notProperty((pay.jsonSchema as any).properties, "Idempotency-Key")
        assert.strictEqual((yield* answer(pay, { cents: 5 })).status, "success")
        const keys = received.map(({ headers }) => headers["idempotency-key"])
        assert.lengthOf(keys, 2)
        assert.match(keys[0] as string, /^idem_[0-9a-f]{32}$/)
        assert.strictEqual(keys[0], keys[1])
      })
    ).pipe(Effect.provide(live))
  )
})

const formDataOf = (received: ReceivedRequest | undefined): Effect.Effect<FormData> =>
  Effect.promise(() =>
    new Response(new Uint8Array(received?.body ?? []), {
      headers: { "content-type": received?.headers["content-type"] ?? "" }
    }).formData()
  )
