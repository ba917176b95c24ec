/** Tests the import of documents: names, schemas, unsupported parts and hostile documents. */
import { assert, describe, it } from "@effect/vitest"
import { InboxApi } from "#layers/EscalationHttp"
import { Effect, Redacted } from "effect"
import { OpenApi } from "effect/http-api"
import { answer, documentOf, imported, live, named, refusal } from "./importing.ts"

const ok = { responses: { 200: { description: "ok" } } }
const schemaOf = (document: unknown, name: string): any => named(imported(document), name).jsonSchema
const body = (schema: unknown, more: object = {}) => ({
  ...ok,
  requestBody: { required: true, content: { "application/json": { schema } }, ...more }
})

describe("an imported document", () => {
  it("is refused with a reason and a remedy if it cannot be imported", () => {
    const rows: ReadonlyArray<readonly [document: unknown, pointer: string, detail: RegExp]> = [
      [null, "", /not an object/],
      [[], "", /not an object/],
      [{ swagger: "2.0" }, "/swagger", /Swagger 2\.0/],
      [{ openapi: "4.0.0" }, "/openapi", /version/],
      [{}, "/openapi", /version/],
      [{ openapi: "3.1.0", paths: [] }, "/paths", /not an object/]
    ]
    for (const [document, pointer, detail] of rows) {
      const error = refusal(document)
      assert.strictEqual(error?.pointer, pointer)
      assert.match(error?.detail ?? "", detail)
      assert.isNotEmpty(error?.remedy)
    }
  })

  it("uses the URL of its first server with its variables, and refuses invalid URLs", () => {
    const server = (url: string, variables: object = {}) => documentOf({}, { servers: [{ url, variables }] })
    // the type allows the option to be omitted, but not to be undefined, which this test needs
    const none = { baseUrl: undefined as never }
    for (const url of [
      "/v1",
      "file:///etc/passwd",
      "javascript:alert(1)",
      "https://user:pass@x.example",
      "https://x.example/?a=b",
      "https://{host}.example"
    ]) {
      assert.strictEqual(refusal(server(url), none)?._tag, "UnusableDocument", url)
    }
    const region = { region: { default: "eu", enum: ["eu", "us"] } }
    assert.isUndefined(refusal(server("https://{region}.x.example", region), none))
    assert.match(
      refusal(server("https://{region}.x.example", region), { ...none, serverVariables: { region: "evil.example/" } })
        ?.detail ?? "",
      /no allowed value/
    )
    assert.match(refusal(server("https://x.example"), { baseUrl: "ftp://x" })?.detail ?? "", /not an http\(s\) URL/)
  })

  it("refuses operations with another host unless the user allows it", () => {
    const document = documentOf({
      "/x": { get: { ...ok, operationId: "a", servers: [{ url: "http://169.254.169.254" }] } }
    })
    const { refused, tools } = imported(document)
    assert.deepStrictEqual([tools.length, refused[0]?.operation.path], [0, "/x"])
    assert.lengthOf(imported(document, { origins: ["http://169.254.169.254"] }).tools, 1)
  })

  it("gives its tools unique names in snake_case, whatever the operation ids contain", () => {
    const operation = (operationId?: string) => ({ ...ok, ...(operationId === undefined ? {} : { operationId }) })
    const { tools } = imported(
      documentOf({
        "/a": { get: operation("getPetById"), post: operation("get_pet_by_id"), put: operation("repos/get-content") },
        "/b/{id}/c": { get: { ...operation(), parameters: [{ name: "id", in: "path", required: true, schema: {} }] } },
        "/c": {
          get: operation("\u0000\u001b[31mevil\n"),
          post: operation("日本"),
          put: operation("x".repeat(300)),
          delete: operation("x".repeat(300))
        },
        "/d": { get: operation("__proto__"), post: operation("123go") }
      })
    )
    const names = tools.map(({ toolName }) => toolName)
    assert.deepStrictEqual(
      names,
      [
        "get_pet_by_id",
        "repos_get_content",
        "get_pet_by_id_2",
        "get_b_id_c",
        "31mevil",
        "x".repeat(64),
        "post_c",
        `${"x".repeat(62)}_2`,
        "proto",
        "post_123go"
      ].map((name) => (name === "31mevil" ? "get_31mevil" : name))
    )
    for (const name of names) assert.match(name, /^[a-z][a-z0-9_]{0,63}$/)
  })

  it("derives access from the method, the extension and the options, but lowers DELETE only by the options", () => {
    const document = documentOf({
      "/x": {
        get: { ...ok, operationId: "a" },
        head: { ...ok, operationId: "b" },
        post: { ...ok, operationId: "c", "x-toolguard": { access: "read" } },
        put: { ...ok, operationId: "d" },
        patch: { ...ok, operationId: "e" },
        delete: { ...ok, operationId: "f", "x-toolguard": { access: "read" } }
      }
    })
    const accesses = (options: object = {}) =>
      Object.fromEntries(imported(document, options).tools.map((tool) => [tool.toolName, tool.access]))
    assert.deepStrictEqual(accesses(), { a: "read", b: "read", c: "read", d: "write", e: "write", f: "destructive" })
    assert.strictEqual(
      accesses({ access: ({ method }: any) => (method === "DELETE" ? "write" : undefined) })["f"],
      "write"
    )
  })

  it("describes its tools by summary and description", () => {
    const { tools } = imported(
      documentOf({
        "/x": {
          get: { ...ok, operationId: "a", summary: "Lists.", description: "All of them." },
          put: { ...ok, operationId: "b", summary: "Puts", description: "Puts it.", deprecated: true },
          post: { ...ok, operationId: "c" }
        }
      })
    )
    assert.deepStrictEqual(
      tools.map(({ description }) => description),
      ["Lists.\n\nAll of them.", "Deprecated. Puts it.", "POST /x"]
    )
  })

  it("reports missing credentials, and shortens descriptions that providers would refuse", () => {
    const document = documentOf(
      { "/x": { get: { ...ok, operationId: "a", description: "word ".repeat(500) } } },
      { components: { securitySchemes: { key: { type: "http", scheme: "bearer" } } }, security: [{ key: [] }] }
    )
    const needed = (options: object = {}) => imported(document, options).imported.map((each) => each.needs)
    assert.deepStrictEqual([needed(), needed({ credentials: { key: Redacted.make("k") } })], [[["key"]], [[]]])
    const [tool] = imported(document).tools
    assert.match(tool?.description ?? "", /^(?:word )+word…$/)
    assert.isAtMost(tool?.description.length ?? Infinity, 1_024)
  })

  it("resolves references to parameters, bodies, responses and recursive schemas, and converts schemas of 3.0", () => {
    const document = {
      openapi: "3.0.3",
      info: {},
      paths: {
        "/tree": {
          parameters: [
            { $ref: "#/components/parameters/Depth" },
            { name: "kind", in: "query", schema: { type: "string" } }
          ],
          post: {
            operationId: "plant",
            parameters: [{ name: "kind", in: "query", schema: { type: "string", enum: ["oak"] } }],
            requestBody: { $ref: "#/components/requestBodies/Tree" },
            responses: { 200: { $ref: "#/components/responses/Tree" } }
          }
        }
      },
      components: {
        parameters: {
          Depth: {
            name: "depth",
            in: "query",
            description: "How deep.",
            schema: { type: "integer", minimum: 0, exclusiveMinimum: true, nullable: true }
          }
        },
        requestBodies: {
          Tree: { required: true, content: { "application/json": { schema: { $ref: "#/components/schemas/Tree" } } } }
        },
        responses: {
          Tree: { description: "", content: { "application/json": { schema: { $ref: "#/components/schemas/Tree" } } } }
        },
        schemas: {
          Tree: {
            type: "object",
            required: ["id", "name"],
            properties: {
              id: { type: "string", readOnly: true },
              name: { type: "string", example: "root" },
              children: { type: "array", items: { $ref: "#/components/schemas/Tree" } }
            }
          }
        }
      }
    }
    const tree = {
      type: "object",
      required: ["name"],
      properties: {
        name: { type: "string", examples: ["root"] },
        children: { type: "array", items: { $ref: "#/$defs/Tree" } }
      }
    }
    assert.deepStrictEqual(schemaOf(document, "plant"), {
      type: "object",
      properties: {
        depth: { type: ["integer", "null"], exclusiveMinimum: 0, description: "How deep." },
        kind: { type: "string", enum: ["oak"] },
        body: { $ref: "#/$defs/Tree" }
      },
      required: ["body"],
      additionalProperties: false,
      $defs: { Tree: tree }
    })
    assert.deepStrictEqual(imported(document).unsupported, [])
  })

  it("reports unsupported parts with a pointer, and refuses operations that require them", () => {
    const document = documentOf(
      {
        "/a": {
          get: {
            operationId: "a",
            parameters: [
              { name: "Cookie", in: "header", schema: {} },
              { name: "m", in: "query", content: { "application/xml": {} } },
              { name: "deep", in: "query", style: "deepObject", schema: { properties: { a: { type: "array" } } } }
            ],
            callbacks: {},
            responses: {
              200: {
                description: "",
                links: {},
                content: { "application/json": { schema: { $ref: "https://other.example/s.json" } } }
              }
            }
          },
          options: ok
        },
        "/b": {
          post: { ...ok, operationId: "b", requestBody: { required: true, content: { "application/xml": {} } } }
        },
        "/c/{id}": { get: { ...ok, operationId: "c" } },
        "/d": {
          get: { $ref: "#/paths/~1missing/get" },
          post: { ...ok, operationId: "d", parameters: [{ $ref: "#/missing" }] }
        },
        "/e": { $ref: "other.json#/e" }
      },
      {
        webhooks: { happened: {} },
        components: {
          securitySchemes: { cert: { type: "mutualTLS" }, digest: { type: "http", scheme: "digest" } },
          schemas: {}
        }
      }
    )
    const { refused, unsupported } = imported(document)
    assert.deepStrictEqual(unsupported.map(({ pointer }) => pointer).sort(), [
      "/components/securitySchemes/cert",
      "/components/securitySchemes/digest",
      "/paths/~1a/get/callbacks",
      "/paths/~1a/get/parameters/0",
      "/paths/~1a/get/parameters/1",
      "/paths/~1a/get/parameters/2/schema",
      "/paths/~1a/get/responses/200/content/application~1json/schema/$ref",
      "/paths/~1a/get/responses/200/links",
      "/paths/~1a/options",
      "/paths/~1b/post/requestBody/content",
      "/paths/~1c~1{id}/get",
      "/paths/~1d/post/parameters/0",
      "/paths/~1e",
      "/webhooks/happened"
    ])
    assert.deepStrictEqual(
      refused.map(({ operation }) => operation.operationId),
      ["b", "c"]
    )
  })

  it("renames arguments whose names are taken or refused by providers, and reports them", () => {
    const parameters = [
      { name: "id", in: "path", required: true, schema: {} },
      { name: "id", in: "query", schema: {} },
      { name: "filter[status]", in: "query", schema: {} },
      { name: "__proto__", in: "query", schema: {} }
    ]
    const document = documentOf({
      "/x/{id}": { post: { operationId: "a", parameters, ...body({ type: "object", properties: { id: {}, ok: {} } }) } }
    })
    const {
      imported: [operation]
    } = imported(document)
    assert.deepStrictEqual(operation?.renamed, [
      { argument: "query_id", name: "id", in: "query" },
      { argument: "filter_status", name: "filter[status]", in: "query" },
      { argument: "proto", name: "__proto__", in: "query" },
      { argument: "body_id", name: "id", in: "body" }
    ])
  })

  it("gives a tool closed parameters without a body, and open parameters if the body is open", () => {
    const document = documentOf({
      "/x": {
        get: { ...ok, operationId: "a" },
        post: { operationId: "b", ...body({ type: "object", properties: { n: {} }, additionalProperties: false }) },
        put: { operationId: "c", ...body({ type: "object", properties: { n: {} } }) }
      }
    })
    assert.deepStrictEqual(schemaOf(document, "a"), {
      type: "object",
      properties: {},
      required: [],
      additionalProperties: false
    })
    assert.deepStrictEqual(schemaOf(document, "b"), {
      type: "object",
      properties: { n: {} },
      additionalProperties: false
    })
    assert.notProperty(schemaOf(document, "c"), "additionalProperties")
  })

  it("can come from an HttpApi of Effect, such as the approvals inbox", () => {
    const { refused, tools, unsupported } = imported(OpenApi.fromApi(InboxApi))
    assert.deepStrictEqual(
      tools.map(({ access, toolName }) => [toolName, access]),
      [
        ["approvals_list", "read"],
        ["approvals_get", "read"],
        ["approvals_reveal", "write"],
        ["approvals_approve", "write"],
        ["approvals_deny", "write"],
        ["approvals_answer", "write"],
        ["outcomes_list", "read"],
        ["outcomes_get", "read"],
        ["outcomes_settle", "write"]
      ]
    )
    assert.deepStrictEqual([refused, unsupported], [[], []])
  })

  it.effect(
    "is imported safely if it is hostile",
    () =>
      Effect.gen(function* () {
        const chain = Object.fromEntries(
          Array.from({ length: 20_000 }, (_, n) => [
            `S${n}`,
            n === 19_999 ? { type: "string" } : { properties: { next: { $ref: `#/components/schemas/S${n + 1}` } } }
          ])
        )
        const cycle = { A: { $ref: "#/components/schemas/B" }, B: { $ref: "#/components/schemas/A" } }
        let deep: object = { type: "string" }
        for (let n = 0; n < 200; n++) deep = { type: "object", properties: { a: deep } }
        const wide = {
          type: "object",
          properties: Object.fromEntries(
            Array.from({ length: 100_000 }, (_, n) => [`field_${n}`, { type: "string", description: "x".repeat(60) }])
          )
        }
        const named = (schema: object, schemas: object = {}) =>
          documentOf({ "/x": { post: { operationId: "a", ...body(schema) } } }, { components: { schemas } })
        const polluting = JSON.parse(
          '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}},"required":["__proto__"],"__proto__":{"polluted":true}}'
        )
        const documents: ReadonlyArray<readonly [string, unknown]> = [
          ["a long chain", named({ $ref: "#/components/schemas/S0" }, chain)],
          ["a cycle", named({ $ref: "#/components/schemas/A" }, cycle)],
          ["deep nesting", named(deep)],
          ["ten megabytes", named(wide)],
          ["__proto__", named(polluting)],
          ["a path item that references the document", documentOf({ "/x": { $ref: "#" } })],
          ["a path item that references itself", documentOf({ "/x": { $ref: "#/paths/~1x" } })],
          [
            "a pattern with exponential time",
            named({ type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } })
          ],
          // the cast is needed because a text is not a schema
          ["an invalid schema", named("evil" as never)]
        ]
        for (const [name, document] of documents) {
          const { tools } = imported(document)
          for (const tool of tools) {
            const envelope = yield* answer(tool, { a: "a".repeat(40) + "!", constructor: "x", body: {} })
            assert.strictEqual(envelope.status, "error", name)
          }
        }
        assert.notProperty({}, "polluted")
        let tooDeep: object = {}
        for (let n = 0; n < 2_000; n++) tooDeep = { a: tooDeep }
        assert.match(refusal(documentOf({}, { "x-deep": tooDeep }))?.detail ?? "", /nested deeper/)
        const cyclic: Record<string, unknown> = documentOf({})
        cyclic["x-self"] = cyclic
        assert.match(refusal(cyclic)?.detail ?? "", /contains itself/)
      }).pipe(Effect.provide(live)),
    60_000
  )

  it("limits the total size of schemas that reference each other, and reports the limit", () => {
    const count = 5_000
    const at = (n: number) => ({ $ref: `#/components/schemas/S${n % count}` })
    const schemas = Object.fromEntries(
      Array.from({ length: count }, (_, n) => [`S${n}`, { type: "object", properties: { next: at(n + 1) } }])
    )
    const operationOf = (n: number) => ({
      get: { responses: { 200: { description: "", content: { "application/json": { schema: at(n) } } } } }
    })
    const paths = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`/p${n}`, operationOf(n)]))
    const found = imported({ ...documentOf(paths), components: { schemas } })
    assert.lengthOf(found.tools, 21)
    assert.deepStrictEqual(found.imported[0]?.unchecked, [
      { pointer: "", reason: "cannot be compiled: any value is accepted", of: "result" }
    ])
    assert.deepStrictEqual(
      found.unsupported.map(({ reason }) => reason),
      ["The schemas of the document are too large in total: the remaining schemas accept any value."]
    )
  }, 60_000)
})
