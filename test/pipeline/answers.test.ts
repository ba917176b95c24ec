import { classifyResponse } from "#domain/classification/Classification"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, SchemaGetter, Stream } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { ask, brokenBody, complete, define, failureOf, handled, response, settled, tool, within } from "./support.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const single = { retry: { attempts: 1 } }

/** Returns the outcome of a read whose handler returns this answer. */
const reading = (answer: unknown, definition: object = {}) => {
  const search = tool("search", { ...single, ...definition }, answer)
  return complete(settled(search.tool.call({ q: "a" }))).pipe(within([search.layer]))
}

/** Makes a request with Effect's client, which wraps the response. */
const fetched = (status: number, body: string) =>
  HttpClient.make((request) => Effect.succeed(HttpClientResponse.fromWeb(request, new Response(body, { status })))).get(
    "https://api.example/"
  )

const failing = (answer: unknown, definition: object = {}) => {
  const search = tool("search", { ...single, ...definition }, answer)
  return complete(failureOf(search.tool.call({ q: "a" }))).pipe(within([search.layer]))
}

describe("answers: forms", () => {
  for (const [form, answer] of [
    ["a value", { n: 7 }],
    ["text", '{"n":7}'],
    ["bytes", bytes('{"n":7}')],
    ["a byte stream", Stream.fromIterable([bytes('{"n"'), bytes(":7}")])],
    ["an HTTP response", response(200, '{"n":7}')],
    ["an HTTP response of another type", response(200, '{"n":7}', { "content-type": "text/plain" })],
    ["an HTTP response with the status 201", response(201, '{"n":7}')],
    ["an HTTP response with the status 206", response(206, '{"n":7}')],
    ["text with a byte order mark", '\uFEFF{"n":7}'],
    ["bytes with a byte order mark", new Uint8Array([0xef, 0xbb, 0xbf, ...bytes('{"n":7}')])],
    ["text with white space around it", '\n\t {"n":7} \r\n'],
    ["JSON with more properties than `success` names", '{"n":7,"more":{"deep":[1]}}'],
    ["JSON with a duplicate key (its last value counts)", '{"n":6,"n":7}']
  ] as const) {
    it.effect(`4.9 ${form} is the result`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* reading(answer), { n: 7 })
      })
    )
  }

  it.effect("4.9 characters split between chunks are decoded", () => {
    const all = bytes('{"s":"añ€😀"}')
    const chunks = Array.from(all, (byte) => new Uint8Array([byte]))
    return Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* reading(Stream.fromIterable(chunks), { success: Schema.Struct({ s: Schema.String }) }),
        {
          s: "añ€😀"
        }
      )
    })
  })

  it.effect("4.9 invalid UTF-8 is read as replacement characters", () =>
    Effect.gen(function* () {
      const answer = new Uint8Array([...bytes('{"s":"'), 0xff, 0xfe, ...bytes('"}')])
      assert.deepStrictEqual(yield* reading(answer, { success: Schema.Struct({ s: Schema.String }) }), {
        s: "\uFFFD\uFFFD"
      })
    })
  )
})

describe("answers: tools whose result is text", () => {
  const text = { success: Schema.String }

  it.effect("4.9 a string is the value, even if it is JSON", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* reading('{"n":7}', text), '{"n":7}')
      assert.strictEqual(yield* reading("plain", text), "plain")
      assert.strictEqual(yield* reading("", text), "")
      assert.strictEqual(yield* reading(bytes("plain"), text), "plain")
      assert.strictEqual(yield* reading(Stream.make(bytes("pl"), bytes("ain")), text), "plain")
      assert.strictEqual(yield* reading(response(200, "plain"), text), "plain")
      assert.strictEqual(yield* reading(response(204), text), "")
    })
  )

  it.effect("4.9 a string must be JSON if the tool declares JSON answers", () =>
    Effect.gen(function* () {
      const json = { ...text, answers: "json" }
      assert.strictEqual(yield* reading('"plain"', json), "plain")
      assert.strictEqual(yield* reading(response(200, '"plain"'), json), "plain")
      assert.deepStrictEqual(yield* reading("plain", json), ["SchemaMismatch", "invalid_result_json", "none"])
    })
  )

  it.effect("4.9 a string that violates the schema's checks is a mismatch", () =>
    Effect.gen(function* () {
      const short = { success: Schema.String.check(Schema.isMaxLength(3)) }
      assert.strictEqual(yield* reading("abc", short), "abc")
      assert.deepStrictEqual(yield* reading("abcd", short), ["SchemaMismatch", "invalid_result", "none"])
    })
  )

  it.effect("4.9 bytes are the value unchanged", () =>
    Effect.gen(function* () {
      const picture = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0xff, 0x00, 0xfe])
      const raw = { success: Schema.Uint8Array }
      assert.deepStrictEqual(yield* reading(picture, raw), picture)
      assert.deepStrictEqual(yield* reading(response(200, picture), raw), picture)
      assert.deepStrictEqual(yield* reading(Stream.make(picture.slice(0, 3), picture.slice(3)), raw), picture)
      assert.deepStrictEqual(yield* reading("text", raw), bytes("text"))
    })
  )

  it.effect("4.9 bytes are read from base64 in JSON if the tool declares JSON answers", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* reading('"aGk="', { success: Schema.Uint8Array, answers: "json" }), bytes("hi"))
    })
  )

  it.effect("4.9 the text of a failing status is read even if the result is bytes", () =>
    Effect.gen(function* () {
      const failure = yield* failing(response(422, '{"message":"size is too small"}'), { success: Schema.Uint8Array })
      assert.deepStrictEqual([failure._tag, failure.detail], ["ToolArgError", "size is too small"])
    })
  )
})

describe("answers: decoding", () => {
  it.effect("4.9 a value must conform to the schema's Type, and a text to its Encoded form", () =>
    Effect.gen(function* () {
      const dated = { success: Schema.Struct({ at: Schema.Date }) }
      const at = new Date("2026-01-02T03:04:05.000Z")
      assert.deepStrictEqual(yield* reading({ at }, dated), { at })
      assert.deepStrictEqual(yield* reading('{"at":"2026-01-02T03:04:05.000Z"}', dated), { at })
      assert.deepStrictEqual(yield* reading({ at: "2026-01-02T03:04:05.000Z" }, dated), [
        "SchemaMismatch",
        "invalid_result",
        "none"
      ])
    })
  )

  it.effect("4.9 the model reads the encoded result", () => {
    const dated = tool("search", { success: Schema.Struct({ at: Schema.Date }) }, { at: new Date(0) })
    return Effect.gen(function* () {
      const { envelope } = yield* ask([dated.tool], "search", '{"q":"a"}')
      assert.deepStrictEqual(envelope, { status: "success", data: { at: "1970-01-01T00:00:00.000Z" } })
    }).pipe(within([dated.layer]))
  })

  it.effect("4.9 a mismatch names the path, the expected and the actual type", () =>
    Effect.gen(function* () {
      const success = Schema.Struct({
        orders: Schema.Array(Schema.Struct({ id: Schema.String, status: Schema.Literals(["placed", "shipped"]) }))
      })
      const failure = yield* failing('{"orders":[{"id":"a","status":"placed"},{"id":7,"status":"lost"}]}', { success })
      assert.strictEqual(
        failure.detail,
        'The answer of search violates its contract: orders[1].id: expected string, got number; orders[1].status: expected one of placed, shipped, got "lost"'
      )
      assert.deepStrictEqual(failure.fields, ["orders[1].id", "orders[1].status"])
    })
  )

  it.effect("4.9 a value of each JSON type is a result of Schema.Json", () =>
    Effect.gen(function* () {
      for (const text of ["null", "true", "1", '"x"', "[]", '{"a":[{"b":null}]}']) {
        assert.deepStrictEqual(yield* reading(text, { success: Schema.Json }), JSON.parse(text))
      }
    })
  )

  it.effect("4.9 a decoder that throws fails the call, not the program", () =>
    Effect.gen(function* () {
      const success = Schema.Struct({
        n: Schema.String.pipe(
          Schema.decodeTo(Schema.Int, {
            decode: SchemaGetter.transform((): number => {
              throw new Error("boom")
            }),
            encode: SchemaGetter.transform(String)
          })
        )
      })
      assert.deepStrictEqual(yield* reading('{"n":"1"}', { success }), ["SchemaMismatch", "invalid_result", "none"])
    })
  )
})

describe("answers: text that is not the declared JSON", () => {
  for (const [what, answer, code] of [
    ["prose", "I could not find it", "invalid_result_json"],
    ["an empty text", "", "invalid_result_json"],
    [
      "a page of HTML with 200",
      response(200, "<!DOCTYPE html><html></html>", { "content-type": "text/html" }),
      "unexpected_content"
    ],
    ["XML", '<?xml version="1.0"?><a/>', "unexpected_content"],
    ["truncated JSON", '{"n":', "truncated_response"],
    ["JSON with trailing text", '{"n":1} trailing', "invalid_result_json"],
    ["two JSON values", '{"n":1}{"n":2}', "invalid_result_json"],
    ["NaN", '{"n":NaN}', "invalid_result_json"],
    ["another type", "[1]", "invalid_result"],
    ["null", "null", "invalid_result"]
  ] as const) {
    it.effect(`4.9 ${what} instead of the declared JSON is a SchemaMismatch`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* reading(answer), ["SchemaMismatch", code, "none"])
      })
    )
  }

  it.effect("4.9 a dangerous key is refused if the schema would keep it, and dropped if not", () =>
    Effect.gen(function* () {
      const texts = ['{"n":1,"__proto__":{"admin":true}}', '{"n":1,"a":[{"constructor":{"prototype":{"admin":true}}}]}']
      const open = [
        Schema.Json,
        Schema.Unknown,
        Schema.Record(Schema.String, Schema.Json),
        Schema.StructWithRest(Schema.Struct({ n: Schema.Int }), [Schema.Record(Schema.String, Schema.Json)])
      ]
      for (const text of texts) {
        for (const success of open) {
          assert.deepStrictEqual(yield* reading(text, { success }), ["SchemaMismatch", "invalid_result", "none"])
        }
        const closed = yield* reading(text)
        assert.deepStrictEqual(
          [closed, Object.getPrototypeOf(closed), Object.keys(closed as object)],
          [{ n: 1 }, Object.prototype, ["n"]]
        )
      }
    })
  )

  it.effect("4.9 JSON with a hundred thousand levels is refused before it is parsed", () =>
    Effect.gen(function* () {
      const deep = "[".repeat(100_000) + "]".repeat(100_000)
      const outcome = (yield* reading(deep, { success: Schema.Json })) as ReadonlyArray<string>
      assert.deepStrictEqual([outcome[0], outcome[2]], ["SchemaMismatch", "none"])
    })
  )

  it.effect("4.9 truncated JSON is reported with its length and last complete field", () =>
    Effect.gen(function* () {
      const failure = yield* failing('{"n":1,"rows":[{"id":"a","name":"x"},{"id":"b","na')
      assert.strictEqual(
        failure.detail,
        "The answer of search ends in the middle of its JSON, after 50 bytes; last complete field: rows[1].id."
      )
      assert.deepStrictEqual([failure.code, failure.fields], ["truncated_response", ["rows[1].id"]])
    })
  )

  it.effect("4.9 invalid JSON is reported with its position", () =>
    Effect.gen(function* () {
      const failure = yield* failing('{"n": oops}')
      assert.include(failure.detail, "position 6")
    })
  )
})

describe("answers: transport and limits", () => {
  it.effect("4.9 a read whose body is truncated by its transport fails as Transient", () =>
    Effect.gen(function* () {
      for (const answer of [
        response(200, brokenBody('{"n":1}')),
        Stream.concat(Stream.make(bytes('{"n":1}')), Stream.fail(new Error("reset")))
      ]) {
        assert.deepStrictEqual(yield* reading(answer), ["Transient", "body_cut", "none"])
      }
    })
  )

  it.effect("4.9 a retry requests a truncated body again", () => {
    const search = tool("search", {}, () => Effect.succeed(response(200, brokenBody('{"n":'))), { n: 2 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete(settled(search.tool.call({ q: "a" }))), { n: 2 })
    }).pipe(within([search.layer]))
  })

  it.effect("4.9 a stream that fails before its first byte is classified by its error", () =>
    Effect.gen(function* () {
      const refused = Object.assign(new Error("refused"), { code: "ECONNREFUSED" })
      assert.deepStrictEqual(yield* reading(Stream.fail(refused)), ["Transient", "connection_failed", "none"])
    })
  )

  it.effect("4.9 an answer over ten megabytes is refused, and its rest is not read", () => {
    let chunks = 0
    const chunk = new Uint8Array(1_000_000)
    const endless = Stream.forever(Stream.succeed(chunk)).pipe(Stream.tap(() => Effect.sync(() => void chunks++)))
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* reading(endless), ["Permanent", "response_too_large", "none"])
      assert.strictEqual(chunks, 11)
      assert.deepStrictEqual(yield* reading("x".repeat(10_000_001)), ["Permanent", "response_too_large", "none"])
      assert.deepStrictEqual(yield* reading(new Uint8Array(10_000_001)), ["Permanent", "response_too_large", "none"])
    })
  })

  it.effect("4.9 an answer of exactly ten megabytes is read", () =>
    Effect.gen(function* () {
      const text = `"${"x".repeat(9_999_998)}"`
      const outcome = yield* reading(response(200, text), { success: Schema.String, answers: "json" })
      assert.strictEqual((outcome as string).length, 9_999_998)
    })
  )

  it.effect("4.9 reading a body counts as part of the attempt", () =>
    Effect.gen(function* () {
      const trickle = Stream.concat(Stream.make(bytes('{"n"')), Stream.never)
      assert.deepStrictEqual(yield* reading(trickle), ["Transient", "timeout", "none"])
    })
  )
})

describe("answers: HTTP statuses", () => {
  const classes: Record<number, string> = {
    400: "ToolArgError",
    401: "Permanent",
    403: "Permanent",
    408: "Transient",
    422: "ToolArgError",
    425: "Transient",
    429: "Transient",
    500: "Transient",
    502: "Transient",
    503: "Transient",
    504: "Transient"
  }
  for (const [status, expected] of Object.entries(classes)) {
    it.effect(`3 a read with the status ${status} fails with ${expected}`, () =>
      Effect.gen(function* () {
        const [tag] = (yield* reading(response(Number(status), "{}"))) as ReadonlyArray<string>
        assert.strictEqual(tag, expected)
      })
    )
  }

  it.effect("4.9 every status from 300 to 599 is a failure, even with a body that conforms to the contract", () =>
    Effect.gen(function* () {
      for (let status = 200; status <= 599; status++) {
        const empty = status === 204 || status === 205 || status === 304
        const outcome = yield* reading(response(status, empty ? null : '{"n":7}'))
        const expected = classifyResponse(
          { status, headers: {}, body: '{"n":7}' },
          { access: "read", arguments: { q: "a" } }
        )
        if (status < 300)
          assert.deepStrictEqual(outcome, empty ? ["SchemaMismatch", "invalid_result_json", "none"] : { n: 7 })
        else {
          assert.isDefined(expected, String(status))
          assert.deepStrictEqual((outcome as ReadonlyArray<string>)[0], expected?.tag, String(status))
        }
      }
    })
  )

  it.effect("3 a 404 is the model's mistake if its arguments name the missing thing", () => {
    const search = tool("search", single, response(404, '{"message":"customer C-1 not found"}'))
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(search.tool.call({ q: "C-1" })), [
        "ToolArgError",
        "unknown_reference",
        "none"
      ])
      assert.strictEqual((yield* failureOf(search.tool.call({ q: "Z-9" })))._tag, "Permanent")
    }).pipe(within([search.layer]))
  })

  it.effect("4.9 Retry-After is read from the headers", () =>
    Effect.gen(function* () {
      const search = tool("search", { retry: { jitter: "none" } }, response(429, "", { "retry-after": "3" }), { n: 1 })
      yield* complete(settled(search.tool.call({ q: "a" }))).pipe(within([search.layer]))
      assert.deepStrictEqual(
        search.calls.map(({ at }) => at),
        [0, 3_000]
      )
    })
  )

  it.effect("4.9 if a handler returns the Response of fetch, status, headers and body are read", () =>
    Effect.gen(function* () {
      const web = (status: number, body: ConstructorParameters<typeof Response>[0], headers = {}) =>
        new Response(body, { status, headers })
      assert.deepStrictEqual(yield* reading(web(200, '{"n":1}')), { n: 1 })
      assert.strictEqual(yield* reading(web(204, null), { success: Schema.String }), "")
      assert.strictEqual(
        yield* reading(web(200, new Uint8Array([0xe4]), { "content-type": "text/plain; charset=iso-8859-1" }), {
          success: Schema.String
        }),
        "ä"
      )
      const busy = yield* failing(web(429, "slow down", { "retry-after": "7" }))
      assert.deepStrictEqual([busy._tag, busy.code], ["Transient", "rate_limited"])
      assert.deepStrictEqual(yield* reading(web(200, brokenBody('{"n":'))), ["Transient", "body_cut", "none"])
    })
  )

  it.effect(
    "4.9 if a Response of fetch has an endless body, reading stops at the limit, and the body is cancelled",
    () => {
      let cancelled = 0
      const endless = new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
        cancel: () => void (cancelled += 1)
      })
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* reading(new Response(endless)), ["Permanent", "response_too_large", "none"])
        assert.strictEqual(cancelled, 1)
      })
    }
  )

  it.effect(
    "4.9 if the handler has read the body of the Response of fetch that it returns, the failure says so",
    () => {
      const used = (status: number) => {
        const response = new Response('{"n":1}', { status })
        return Effect.as(
          Effect.promise(() => response.text()),
          response
        )
      }
      return Effect.gen(function* () {
        const failure = yield* failing(used(200))
        assert.strictEqual(
          failure.detail,
          "The handler returned a response whose body was already read: return the text that was read, or the response unread."
        )
        for (const success of [Schema.Void, Schema.String, Schema.Struct({ n: Schema.Int })])
          assert.deepStrictEqual(yield* reading(used(200), { access: "write", success }), [
            "Permanent",
            "tool_crashed",
            "unknown"
          ])
      })
    }
  )

  for (const [status, outcome] of [
    [200, ["Permanent", "tool_crashed", "unknown"]],
    [202, ["Permanent", "tool_crashed", "unknown"]],
    [404, ["Permanent", "not_found", "none"]],
    [422, ["ToolArgError", "invalid_request", "none"]],
    [500, ["HumanReview", "outcome_unknown", "unknown"]],
    [503, ["HumanReview", "outcome_unknown", "unknown"]]
  ] as const) {
    it.effect(
      `3.3 a response with ${status} that the handler returns after it has read the stream is reported as ${outcome[1]}`,
      () => {
        const write = { access: "write", success: Schema.Void }
        const web = () => new Response('{"n":1}', { status })
        return Effect.gen(function* () {
          const used: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
            Effect.sync(web).pipe(Effect.tap((used) => Effect.promise(() => used.text()))),
            Effect.sync(() => response(status, '{"n":1}')).pipe(Effect.tap(({ stream }) => Stream.runDrain(stream))),
            Effect.sync(() => response(status, '{"n":1}')).pipe(Effect.tap(({ formData }) => Effect.ignore(formData))),
            fetched(status, '{"n":1}').pipe(Effect.tap(({ stream }) => Stream.runDrain(stream))),
            Effect.sync(() => response(status, "", { "content-length": "7" }))
          ]
          for (const answer of used) assert.deepStrictEqual(yield* reading(answer, write), outcome)
        })
      }
    )
  }

  it.effect("4.9 if a client has kept the body that the handler has read, the kept body is the answer", () => {
    const read = (status: number, text: string) =>
      Effect.sync(() => response(status, text)).pipe(Effect.tap((kept) => kept.text))
    const write = { access: "write", success: Schema.Void }
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* reading(read(200, '{"n":1}')), { n: 1 })
      assert.deepStrictEqual(yield* reading(Effect.tap(fetched(200, '{"n":2}'), ({ json }) => json)), { n: 2 })
      assert.deepStrictEqual(yield* reading(read(200, '{"ok":false}'), write), ["Permanent", "tool_failed", "unknown"])
      assert.deepStrictEqual(yield* reading(read(200, "x".repeat(99)), { limits: { resultBytes: 98 } }), [
        "Permanent",
        "response_too_large",
        "none"
      ])
      const failure = yield* failing(read(400, '{"message":"q is too long"}'))
      assert.deepStrictEqual([failure._tag, failure.detail], ["ToolArgError", "q is too long"])
      assert.strictEqual(
        yield* reading(
          Effect.tap(
            Effect.sync(() => response(204)),
            (kept) => kept.text
          ),
          write
        ),
        undefined
      )
    })
  })

  for (const [client, source] of [
    ["Node", { readableDidRead: true }],
    ["undici", { body: { readableDidRead: true } }],
    ["a reader that holds the stream", { body: { locked: true } }]
  ] as const) {
    it.effect(`3.3 if the body of a response was read (${client}), a 2xx proves nothing`, () => {
      const used = Object.create(response(200), {
        status: { value: 200 },
        headers: { value: {} },
        source: { value: source },
        stream: { value: Stream.empty },
        arrayBuffer: { value: Effect.never }
      })
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* reading(Effect.succeed(used), { access: "write", success: Schema.Void }), [
          "Permanent",
          "tool_crashed",
          "unknown"
        ])
      })
    })
  }

  for (const [code, cause] of [
    ["Z_DATA_ERROR", new Error("terminated", { cause: { code: "Z_DATA_ERROR" } })],
    ["ERR__ERROR_FORMAT_PADDING_2", Object.assign(new Error("x"), { code: "ERR__ERROR_FORMAT_PADDING_2" })],
    ["ZSTD_error_prefix_unknown", new Error("terminated", { cause: { code: "ZSTD_error_prefix_unknown" } })]
  ] as const) {
    it.effect(`4.9 if a body cannot be decompressed (${code}), unexpected content is reported, without a retry`, () => {
      const damaged = (sent: string) =>
        new ReadableStream({
          start: (controller) => {
            if (sent !== "") controller.enqueue(bytes(sent))
          },
          pull: (controller) => controller.error(cause)
        })
      return Effect.gen(function* () {
        for (const sent of ["", '{"n":']) {
          const {
            runs,
            tool: search,
            layer
          } = tool("search", {}, () => Effect.sync(() => response(200, damaged(sent))))
          const failure = yield* failureOf(search.call({ q: "a" })).pipe(within([layer]))
          assert.deepStrictEqual(
            [failure._tag, failure.code, failure.sideEffect, runs()],
            ["SchemaMismatch", "unexpected_content", "none", 1]
          )
          assert.strictEqual(
            failure.detail,
            `The answer of search cannot be decompressed as its content-encoding says (${code}).`
          )
        }
        const write = { access: "write", idempotency: "none" }
        assert.deepStrictEqual(yield* reading(response(200, damaged("")), write), [
          "SchemaMismatch",
          "unexpected_content",
          "unknown"
        ])
      })
    })
  }

  it.effect("4.9 a failing status decides even if its body breaks", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* reading(response(401, brokenBody(""))), ["Permanent", "unauthorized", "none"])
      assert.deepStrictEqual(yield* reading(response(401, brokenBody("par"))), ["Permanent", "unauthorized", "none"])
    })
  )

  it.effect("4.9 a failing status decides even if its body is endless", () =>
    Effect.gen(function* () {
      let pulls = 0
      const endless = () =>
        new ReadableStream<Uint8Array>({
          pull: (controller) => {
            pulls += 1
            controller.enqueue(new Uint8Array(32_768))
          }
        })
      assert.deepStrictEqual(yield* reading(response(401, endless())), ["Permanent", "unauthorized", "none"])
      assert.isAtMost(pulls, 6)
      assert.deepStrictEqual(yield* reading(response(200, endless())), ["Permanent", "response_too_large", "none"])
    })
  )
})

describe("answers: values that JSON cannot represent", () => {
  const loose = { success: Schema.Unknown }

  it.effect("5.3 the program receives the value, and the model reads a mismatch", () => {
    const cyclic: Record<string, unknown> = { n: 1 }
    cyclic["self"] = cyclic
    const search = tool("search", { ...loose, budget: 9 }, 10n, cyclic, {
      toJSON: () => {
        throw new Error("boom")
      }
    })
    return Effect.gen(function* () {
      assert.strictEqual(yield* search.tool.call({ q: "a" }), 10n)
      const { envelope } = yield* ask([search.tool], "search", '{"q":"b"}')
      assert.deepStrictEqual([envelope.status, envelope.error.code], ["error", "invalid_result"])
      const thrown = yield* ask([search.tool], "search", '{"q":"c"}')
      assert.strictEqual(thrown.envelope.error.code, "invalid_result")
    }).pipe(within([search.layer]))
  })

  it.effect("5.3 the model reads undefined as null", () => {
    const nothing = define("search", { success: Schema.Void })
    return Effect.gen(function* () {
      const { text } = yield* ask([nothing], "search", '{"q":"a"}')
      assert.strictEqual(text, '{"status":"success","data":null,"empty":true}')
    }).pipe(within([handled(nothing, () => Effect.void)]))
  })
})
