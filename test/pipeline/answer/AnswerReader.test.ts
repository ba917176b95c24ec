/** Tests how whole answers are read from values, texts, bytes, streams and responses, by the kind of the tool's result. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import type { ResultCodec } from "#pipeline/call/CompiledTool"
import * as AnswerReader from "#pipeline/answer/AnswerReader"

type Kind = ResultCodec["text"]

/** Returns the answer, or the error with which reading fails. */
const read = (value: unknown, kind: Kind = "json", limit = 100) =>
  Effect.runPromise(
    Effect.match(AnswerReader.read(value, kind, limit), {
      onSuccess: (answer) => answer,
      onFailure: (error) => ({ error })
    })
  )

const bytes = (text: string) => new TextEncoder().encode(text)
const tooLarge = (limit: number, status?: number) => ({ _tag: "TooLarge", limit, status })
const whole = (text: string) => ({ _tag: "Text", text, bytes: bytes(text).length, cut: false })

/** Creates a stream of chunks that ends with an error. */
const broken = (error: unknown, ...chunks: ReadonlyArray<string>) =>
  Stream.concat(Stream.fromIterable(chunks.map(bytes)), Stream.fail(error))

const headers = { "content-type": "text/plain" }

/** Creates a `Response` of `fetch`. */
const web = (status: number, body: string | null, more: Readonly<Record<string, string>> = {}) =>
  new Response(body, { status, headers: { ...headers, ...more } })

/** Creates a response of Effect's client, whose body is a stream. */
const effectful = (
  status: number,
  stream: Stream.Stream<Uint8Array, unknown>,
  more: Readonly<Record<string, string>> = {},
  method: "GET" | "HEAD" = "GET"
) => {
  const base = HttpClientResponse.fromWeb(HttpClientRequest.make(method)("https://a.example/"), web(200, null, more))
  return Object.create(base, {
    status: { value: status },
    stream: { value: stream }
  }) as HttpClientResponse.HttpClientResponse
}

const responded = (status: number, text: string, more: object = {}) => ({
  _tag: "Response",
  status,
  headers,
  text,
  bytes: bytes(text).length,
  cut: false,
  ...more
})

describe("AnswerReader", () => {
  it("4.9 a value that is neither text, bytes, a stream nor a response is the result", async () => {
    for (const value of [undefined, null, 7, true, { a: 1 }, [1], () => 1, new Map()])
      for (const kind of ["json", "string", "bytes"] as const)
        assert.deepStrictEqual(await read(value, kind, 0), { _tag: "Value", value })
  })

  it("4.9 a text or bytes are read by the kind of the result, JSON up to the limit", async () => {
    for (const [value, kind, limit, answer] of [
      ["abc", "json", 3, whole("abc")],
      ["abc", "json", 2, tooLarge(2)],
      ["é", "json", 1, whole("é")],
      ["abc", "string", 0, { _tag: "Value", value: "abc" }],
      ["abc", "bytes", 0, { _tag: "Value", value: bytes("abc") }],
      [bytes("abc"), "json", 3, whole("abc")],
      [bytes("abc"), "json", 2, tooLarge(2)],
      [bytes("abc"), "string", 3, whole("abc")],
      [bytes("abc"), "string", 2, tooLarge(2)],
      [bytes("abc"), "bytes", 0, { _tag: "Value", value: bytes("abc") }],
      [bytes(""), "json", 0, whole("")],
      [bytes("é").slice(0, 1), "json", 3, { ...whole("\ufffd"), bytes: 1 }]
    ] as const)
      assert.deepStrictEqual<unknown>(await read(value, kind, limit), answer)
  })

  it("4.9 a stream is read up to the limit; if it breaks after its first byte, it is cut", async () => {
    const stream = (...chunks: ReadonlyArray<string>) => Stream.fromIterable(chunks.map(bytes))
    const reset = Object.assign(new Error("reset"), { code: "ECONNRESET" })
    for (const [value, kind, limit, answer] of [
      [stream(), "json", 0, whole("")],
      [stream("ab", "", "c"), "json", 3, whole("abc")],
      [stream("ab", "cd"), "json", 3, tooLarge(3)],
      [stream("ab", "c"), "string", 3, whole("abc")],
      [stream("ab", "c"), "bytes", 3, { ...whole("abc"), text: "", raw: bytes("abc") }],
      [broken(reset), "json", 3, { error: reset }],
      [broken(reset, ""), "json", 3, { error: reset }],
      [broken(reset, "a"), "json", 3, { ...whole("a"), cut: true }],
      [broken(reset, "abcd"), "json", 3, tooLarge(3)]
    ] as const)
      assert.deepStrictEqual<unknown>(await read(value, kind, limit), answer)
  })

  it("4.9 a response has its status, its headers and its body up to the limit", async () => {
    for (const status of [200, 201, 299])
      for (const [body, limit, answer] of [
        ["abc", 3, responded(status, "abc")],
        ["abc", 2, tooLarge(2, status)],
        ["", 0, responded(status, "")]
      ] as const) {
        assert.deepStrictEqual<unknown>(await read(web(status, body), "json", limit), answer)
        assert.deepStrictEqual<unknown>(await read(effectful(status, Stream.make(bytes(body))), "json", limit), answer)
      }
    assert.deepStrictEqual<unknown>(await read(web(204, null)), responded(204, ""))
    const raw = { text: "", raw: bytes("abc") }
    assert.deepStrictEqual<unknown>(await read(web(200, "abc"), "bytes"), responded(200, "abc", raw))
  })

  it("4.9 a response whose status is not a success is read up to 65,536 bytes, whatever the limit", async () => {
    const long = "x".repeat(65_536)
    for (const status of [199, 300, 404, 503]) {
      const answer = (text: string) => read(effectful(status, Stream.make(bytes(text))), "bytes", 2)
      assert.deepStrictEqual<unknown>(await answer("abc"), responded(status, "abc"))
      assert.deepStrictEqual<unknown>(await answer(long), responded(status, long))
      // the chunk that exceeds the limit is left out
      assert.deepStrictEqual<unknown>(await answer(`${long}y`), responded(status, "", { cut: true }))
    }
    const chunks = Stream.make(bytes("abc"), bytes(long))
    assert.deepStrictEqual<unknown>(await read(effectful(500, chunks)), responded(500, "abc", { cut: true }))
  })

  it("4.9 a response whose body breaks is cut, and names the code if the body is damaged", async () => {
    const coded = (code: unknown) => Object.assign(new Error("broken"), { code })
    const inside = (error: unknown, levels: number, name: "cause" | "reason") =>
      Array.from({ length: levels }).reduce<unknown>((inner) => ({ [name]: inner }), error)
    const gzip = coded("Z_DATA_ERROR")
    for (const [error, damage] of [
      [coded("ECONNRESET"), {}],
      [coded("Z_BUF_ERROR"), {}],
      [coded("NOT_Z_DATA_ERROR"), {}],
      [coded("Z_DATA_ERROR_2"), {}],
      [coded(7), {}],
      [undefined, {}],
      [gzip, { damage: "Z_DATA_ERROR" }],
      [coded("ERR__ERROR_FORMAT_PADDING_1"), { damage: "ERR__ERROR_FORMAT_PADDING_1" }],
      [coded("ZSTD_error_prefix_unknown"), { damage: "ZSTD_error_prefix_unknown" }],
      [inside(gzip, 7, "cause"), { damage: "Z_DATA_ERROR" }],
      [inside(gzip, 8, "cause"), {}],
      [inside(gzip, 7, "reason"), { damage: "Z_DATA_ERROR" }],
      [{ cause: coded("ECONNRESET"), reason: gzip }, {}]
    ] as const)
      for (const [chunks, text] of [
        [[], ""],
        [["ab"], "ab"]
      ] as const)
        assert.deepStrictEqual<unknown>(
          await read(effectful(200, broken(error, ...chunks))),
          responded(200, text, { cut: true, ...damage }),
          JSON.stringify(error)
        )
    const response = web(204, null)
    const request = HttpClientRequest.get("https://a.example/")
    const reason = new HttpClientError.EmptyBodyError({
      request,
      response: HttpClientResponse.fromWeb(request, response)
    })
    const none = new HttpClientError.HttpClientError({ reason })
    assert.deepStrictEqual<unknown>(await read(effectful(200, broken(none))), responded(200, ""))
    assert.deepStrictEqual<unknown>(await read(effectful(200, broken(none, "a"))), responded(200, "a", { cut: true }))
  })

  it("4.9 a body is decoded by its byte order mark, then by the charset of the response, then as UTF-8", async () => {
    const latin = Uint8Array.of(0xe9)
    const of = (body: Uint8Array, type: string) =>
      read(
        effectful(200, Stream.fromIterable(Array.from(body, (byte) => Uint8Array.of(byte))), { "content-type": type })
      )
    for (const [body, type, text] of [
      [latin, "a/b;charset=latin1", "é"],
      [latin, 'a/b; x=y ; CHARSET = "latin1"; z', "é"],
      [latin, "a/b", "\ufffd"],
      [latin, "a/b; charset=unknown", "\ufffd"],
      [latin, "charset=latin1", "\ufffd"],
      [Uint8Array.of(0xef, 0xbb, 0xbf, 0x61), "a/b;charset=latin1", "a"],
      [Uint8Array.of(0xfe, 0xff, 0x00, 0x61), "a/b;charset=latin1", "a"],
      [Uint8Array.of(0xff, 0xfe, 0x61, 0x00), "a/b;charset=latin1", "a"],
      [Uint8Array.of(0xff, 0xfe), "a/b;charset=latin1", ""],
      [Uint8Array.of(0xfe, 0xfe, 0x61), "a/b;charset=latin1", "þþa"],
      [Uint8Array.of(0xff, 0xff, 0x61), "a/b;charset=latin1", "ÿÿa"],
      [Uint8Array.of(0xef, 0xbb, 0x61), "a/b;charset=latin1", "ï»a"],
      [Uint8Array.of(0xef, 0x61, 0xbf), "a/b;charset=latin1", "ïa¿"],
      [Uint8Array.of(0x61, 0xbb, 0xbf), "a/b;charset=latin1", "a»¿"],
      [Uint8Array.of(0x61, 0xff, 0xfe), "a/b;charset=latin1", "aÿþ"],
      [Uint8Array.of(0x61, 0x62), "a/b", "ab"],
      [Uint8Array.of(0x61, 0xc3), "a/b", "a\ufffd"],
      [Uint8Array.of(0x61, 0x62, 0x63, 0xc3), "a/b", "abc\ufffd"]
    ] as const) {
      const answer = (await of(body, type)) as { readonly text: string; readonly bytes: number }
      assert.deepStrictEqual([answer.text, answer.bytes], [text, body.length], `${String(body)} ${type}`)
    }
  })

  it("4.9 a response that the handler has read is an answer only if its status failed or its body was kept", async () => {
    const used = async (status: number, body = "abc") => {
      const response = web(status, body)
      await response.text()
      return response
    }
    const { error } = (await read(await used(200))) as { readonly error: Error }
    assert.deepStrictEqual([error instanceof TypeError, error.message.includes("already read")], [true, true])
    assert.deepStrictEqual<unknown>(await read(await used(500)), responded(500, ""))
    const kept = async (status: number, body: string) => {
      const response = HttpClientResponse.fromWeb(HttpClientRequest.get("https://a.example/"), web(status, body))
      await Effect.runPromise(response.text)
      return response
    }
    assert.deepStrictEqual<unknown>(await read(await kept(200, "abc"), "json", 3), responded(200, "abc"))
    assert.deepStrictEqual<unknown>(await read(await kept(200, "abc"), "json", 2), tooLarge(2, 200))
    assert.deepStrictEqual<unknown>(await read(await kept(500, "abc"), "bytes", 2), responded(500, "abc"))
    const long = "x".repeat(65_537)
    assert.deepStrictEqual<unknown>(await read(await kept(500, long)), responded(500, long.slice(1)))
  })

  it("4.9 an empty body of a response that promises content counts as already read", async () => {
    for (const [status, more, method, isRead] of [
      [200, { "content-length": "3" }, "GET", true],
      [200, { "content-length": "030" }, "GET", true],
      [200, { "content-length": "0" }, "GET", false],
      [200, { "content-length": "3x" }, "GET", false],
      [200, { "content-length": "x3" }, "GET", false],
      [200, {}, "GET", false],
      [200, { "content-length": "3" }, "HEAD", false],
      [200, { "content-length": "3", "content-encoding": "gzip" }, "GET", false],
      [204, { "content-length": "3" }, "GET", false],
      [205, { "content-length": "3" }, "GET", false]
    ] as const) {
      const empty = effectful(status, Stream.empty, more, method)
      const unread = Object.create(empty, { arrayBuffer: { value: Effect.fail("not kept") } }) as unknown
      assert.strictEqual("error" in (await read(unread)), isRead, JSON.stringify([status, more, method]))
      const kept = Object.create(empty, { arrayBuffer: { value: Effect.succeed(bytes("abc").buffer) } }) as unknown
      assert.deepStrictEqual<unknown>(
        await read(kept),
        responded(status, isRead ? "abc" : "", { headers: { ...headers, ...more } })
      )
    }
  })

  it("4.9 a body that is not empty is read, whatever its headers promise", async () => {
    const more = { "content-length": "3" }
    const expected = { headers: { ...headers, ...more } }
    const stream = Stream.make(bytes("abc"))
    assert.deepStrictEqual<unknown>(await read(effectful(200, stream, more)), responded(200, "abc", expected))
    assert.deepStrictEqual<unknown>(await read(effectful(200, stream, more), "json", 2), tooLarge(2, 200))
    assert.deepStrictEqual<unknown>(
      await read(effectful(200, broken(new Error("reset")), more)),
      responded(200, "", { ...expected, cut: true })
    )
    assert.deepStrictEqual<unknown>(
      await read(effectful(200, broken(new Error("reset"), "ab"), more)),
      responded(200, "ab", { ...expected, cut: true })
    )
  })
})
