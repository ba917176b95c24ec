/** Tests what the classifier collects from the fields and texts of an error. */
import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import { collect } from "#domain/classification/Collector"
import type { Evidence } from "#domain/classification/Evidence"
import { QuotedError } from "#domain/classification/QuotedError"
import { nothingDone } from "#domain/failure/StatedEffect"

const of = (error: unknown): Evidence => collect(error, { access: "read" })
const long = (length: number): string => "x".repeat(length)
const named = (name: string): Error => Object.assign(new Error("x"), { name })
const nested = (depth: number, inner: unknown): unknown => (depth === 0 ? inner : { cause: nested(depth - 1, inner) })
const stringified = (times: number, value: unknown): string =>
  times === 0 ? JSON.stringify(value) : JSON.stringify(stringified(times - 1, value))

/** The codes that an error yields, in order. */
const codes: ReadonlyArray<readonly [error: unknown, codes: ReadonlyArray<string>]> = [
  [{ code: "X_1" }, ["X_1"]],
  [{ code: " X_1 " }, ["X_1"]],
  [{ code: "com.aws#OddCode" }, ["OddCode"]],
  [nested(12, { code: "X_1" }), ["X_1"]],
  [nested(13, { code: "X_1" }), []],
  [{ code: "x" }, []],
  [{ code: "x1" }, ["x1"]],
  [{ code: long(100) }, [long(100)]],
  [{ code: long(101) }, []],
  [{ code: "a=b" }, []],
  [{ code: "=ab" }, []],
  [{ code: "17" }, ["17"]],
  [{ code: "1234" }, ["1234"]],
  [{ code: "-17" }, ["-17"]],
  [{ code: "-32602" }, ["jsonrpc:-32602"]],
  [{ code: "-32602x" }, ["-32602x"]],
  [{ code: 17 }, ["17"]],
  [{ code: 17, details: "x" }, ["grpc:17"]],
  [{ code: 17, details: 3 }, ["17"]],
  [{ code: -31_999 }, ["-31999"]],
  [{ code: -32_000 }, ["jsonrpc:-32000"]],
  [{ code: -32_999 }, ["jsonrpc:-32999"]],
  [{ code: -33_000 }, ["-33000"]],
  [{ code: -32_602, details: "x" }, ["jsonrpc:-32602"]],
  [{ code: "40001", severity: "ERROR" }, ["sqlstate:40001"]],
  [{ type: "a_type", errorCode: "a_code" }, ["a_code", "a_type"]],
  [{ status: "NOT_FOUND" }, ["NOT_FOUND"]],
  [{ status: "not found!" }, []],
  [{ errno: -111 }, ["errno:111"]],
  [{ errno: 111 }, []],
  [{ errno: 0 }, []],
  [{ errno: 111, syscall: "connect" }, ["errno:111"]],
  [{ errno: 111, syscall: 7 }, []],
  [{ errno: "-111" }, []],
  [{ errno: 1062, sqlMessage: "x" }, ["mysql:1062"]],
  [{ errno: -111, sqlMessage: 7 }, ["errno:111"]],
  [{ message: "order_not_found" }, ["order_not_found"]],
  [{ message: "ORDER_NOT_FOUND" }, ["ORDER_NOT_FOUND"]],
  [{ message: "the order_not_found" }, []],
  [{ message: "order_not_found it is" }, []],
  [{ message: "order" }, []],
  [{ message: "a_bc" }, []],
  [{ message: "ab_c" }, []],
  [{ message: "ab_cd_ef_gh_ij_kl" }, ["ab_cd_ef_gh_ij_kl"]],
  [{ message: "ab_cd_ef_gh_ij_kl_mn" }, []],
  [{ message: "ab_12" }, []],
  [{ error: "invalid_grant" }, ["invalid_grant"]],
  [{ error: "It failed." }, []],
  [{ reason: "noRoom" }, ["noRoom"]],
  [{ body: "noRoom" }, []],
  [{ detail: "noRoom" }, []]
]

/** The statuses that an error yields, in order. */
const statuses: ReadonlyArray<readonly [error: unknown, statuses: ReadonlyArray<number>]> = [
  [{ status: 299 }, []],
  [{ status: 300 }, [300]],
  [{ status: 599 }, [599]],
  [{ status: 600 }, []],
  [{ status: 404.5 }, []],
  [{ status: "404" }, [404]],
  [{ status: "4040" }, []],
  [{ status: "x404" }, []],
  [{ status: true }, []],
  [{ code: "404" }, [404]],
  [{ code: "704" }, []],
  [{ code: "x404" }, []],
  [{ code: 404 }, [404]],
  [{ code: 404, cmd: "x" }, [404]],
  [{ code: "bad_response_status_code", param: "520", status: 400 }, [520, 400]],
  [{ code: "bad_response_status_code", param: 520 }, [520]],
  [{ code: "bad_response_status_code", param: ["520"] }, []],
  [{ code: "bad_response_status_code", param: "5" }, []],
  [{ code: "another", param: "520" }, []]
]

/** The text that an error yields. */
const texts: ReadonlyArray<readonly [error: unknown, text: string]> = [
  ["  It failed. ", "It failed."],
  [{ message: "a", detail: "b", cause: { message: "c" } }, "a\nb\nc"],
  [{ message: "a", cause: { message: "a" } }, "a"],
  [{ message: 'Bad: {"message":"It failed."} Stop.' }, "Bad\nIt failed.\nStop."],
  [{ message: 'Bad => {"message":"It failed."}' }, "Bad =\nIt failed."],
  [{ message: 'Bad -> - : {"message":"It failed."}' }, "Bad\nIt failed."],
  [{ message: 'Bad: {"odd":1}' }, 'Bad: {"odd":1}'],
  [{ message: 'Bad: {"odd":1}', detail: "Bad" }, 'Bad: {"odd":1}\nBad'],
  [{ message: "a", detail: 'a: {"odd":1}' }, 'a\na: {"odd":1}'],
  [{ message: "not one of ['red', 'green']" }, "not one of ['red', 'green']"],
  [{ message: "Bad: [{'message': 'It failed.'}]" }, "Bad\nIt failed."],
  [{ message: "Bad: []" }, "Bad: []"],
  [`"${'{"message":"a"}'.replaceAll('"', String.raw`\"`)}"`, "a"],
  ['Say "{no}" now', 'Say "{no}" now'],
  ['"Quoted" words', '"Quoted" words'],
  [stringified(1, { message: "a" }), "a"],
  [stringified(2, { message: "a" }), "a"],
  ["meta=None content=[TextContent(type='text', text='a')] isError=True", "a"],
  ["meta=None content=[TextContent(type='text', text='a')]  isError=True", "a"],
  ["meta=None content=[TextContent(type='text', text='a')]isError=True", "a"],
  ["meta=None content=[TextContent(type='text', text='a')] isError=True now", "a\nisError=True now"],
  ["meta=None content=[TextContent(type='text', text='a')] or isError=True", "a\nor isError=True"],
  ["so meta=None content=[TextContent(type='text', text='a')]", "so meta=None content=\na"],
  [[1, { message: "a" }, "b"], "a\nb"],
  [["a", "b", "c", "d", "e", "f", "g"], "a\nb\nc\nd\ne\nf"],
  [nested(12, { message: "a" }), ""],
  [nested(11, { message: "a" }), "a"],
  [nested(11, ["a"]), "a"],
  [nested(12, ["a"]), ""],
  [{ message: long(8192), detail: "a" }, long(8192)],
  [{ message: long(8191), detail: "ab" }, `${long(8191)}\n`],
  [{ message: long(9000) }, long(8192)],
  [{ data: new TextEncoder().encode("a") }, ""],
  [Object.assign(new Uint8Array(1), { message: "a" }), ""],
  [nothingDone({ message: "a" }), "a"],
  [{ unknown: "a", cause: null, error: undefined }, ""],
  [new QuotedError("words", { message: "a" }), "a"],
  [
    {
      errors: Array.from({ length: 6 }, (_, n) => ({
        errors: Array.from({ length: 6 }, (_, m) => ({ message: `${n}${m}` }))
      }))
    },
    // at most 48 objects: the error, its list, and the lists and their errors in order
    "00 01 02 03 04 05 10 11 12 13 14 15 20 21 22 23 24 25 30 31 32 33 34 35 40 41 42 43 44 45 50 51 52 53".replaceAll(
      " ",
      "\n"
    )
  ]
]

describe("the evidence of an error", () => {
  for (const [error, expected] of codes)
    it(`3.1 ${JSON.stringify(error).slice(0, 80)} has the codes ${JSON.stringify(expected).slice(0, 60)}`, () =>
      assert.deepStrictEqual(
        // a code in a text is found twice: as the field and as a token of the text
        of(error).codes.filter((code, index, all) => all.indexOf(code) === index),
        expected
      ))

  for (const [error, expected] of statuses)
    it(`3.1 ${JSON.stringify(error)} has the statuses [${expected.join(", ")}]`, () =>
      assert.deepStrictEqual(of(error).statuses, expected))

  texts.forEach(([error, expected], index) =>
    it(`3.1 text ${index}: ${JSON.stringify(error).slice(0, 80)} is read as ${JSON.stringify(expected).slice(0, 60)}`, () =>
      assert.strictEqual(of(error).text, expected))
  )

  it("3.1 the tag of an error precedes the tag of its reason", () => {
    const tagsOf = (error: unknown) => of(error).tags
    assert.deepStrictEqual(tagsOf({ _tag: "A", reason: { _tag: "B" } }), ["A", "A/B", "B"])
    assert.deepStrictEqual(tagsOf({ reason: { _tag: "B" } }), ["B"])
    assert.deepStrictEqual(tagsOf({ _tag: 7, reason: { _tag: "B" } }), ["B"])
    assert.deepStrictEqual(tagsOf({ _tag: "A", reason: "noRoom" }), ["A", "A/noRoom"])
    assert.deepStrictEqual(tagsOf({ _tag: "A", reason: "no room" }), ["A"])
    assert.deepStrictEqual(tagsOf({ _tag: "A", error: "noRoom" }), ["A"])
    assert.deepStrictEqual(tagsOf({ reason: "noRoom" }), [])
  })

  it("3.1 the name and the constructor of an error are its names, each once", () => {
    class OddError extends Error {}
    const namesOf = (error: unknown) => of(error).names
    assert.deepStrictEqual(namesOf(new OddError("x")), ["OddError"])
    assert.deepStrictEqual(namesOf(named("Other")), ["Other"])
    assert.deepStrictEqual(namesOf(Object.assign(new OddError("x"), { name: "OddError" })), ["OddError"])
    assert.deepStrictEqual(namesOf(Object.assign(new OddError("x"), { name: "not a name" })), ["OddError"])
    assert.deepStrictEqual(namesOf(Object.assign(new OddError("x"), { name: 7 })), ["OddError"])
    assert.deepStrictEqual(namesOf({ name: "Error", constructor: undefined }), [])
  })

  it("3.1 a numeric code is the exit code if the error names a command", () => {
    assert.strictEqual(of({ code: 127, cmd: "x" }).exitCode, 127)
    assert.isUndefined(of({ code: 127, cmd: 7 }).exitCode)
    assert.strictEqual(of({ returncode: 3 }).exitCode, 3)
    assert.notProperty(of({ exitCode: "3" }), "exitCode")
  })

  it("3.1 addresses and paths are the places of an error, at most 500 characters of each", () => {
    const placesOf = (error: unknown) => of(error).places
    assert.deepStrictEqual(placesOf({ path: "/a", url: "b", hostname: 7 }), ["b", "/a"])
    assert.deepStrictEqual(placesOf({ path: long(501) }), [long(500)])
    assert.deepStrictEqual(placesOf({ code: "ERR_INVALID_URL", input: long(501) }), [long(500)])
    assert.deepStrictEqual(placesOf({ code: "ERR_INVALID_URL", input: 7 }), [])
    assert.deepStrictEqual(placesOf({ code: "ENOENT", input: "a" }), [])
    assert.deepStrictEqual(placesOf({ request: { url: long(501) }, config: { url: "b" } }), [long(500), "b"])
    assert.deepStrictEqual(placesOf({ request: null, config: "x" }), [])
    assert.deepStrictEqual(placesOf({ request: { url: 7 } }), [])
  })

  it("3.3 a failed look-up or connection to another host than the first requested one is a redirect", () => {
    const request = { url: "https://a.example/" }
    const lookup = { syscall: "getaddrinfo", hostname: "b.example" }
    assert.isTrue(of({ request, ...lookup }).wasRedirected)
    assert.isFalse(of({ request, ...lookup, hostname: "a.example" }).wasRedirected)
    assert.isFalse(of({ request, ...lookup, syscall: "read" }).wasRedirected)
    assert.isFalse(of({ ...lookup }).wasRedirected)
    assert.isTrue(of({ request, config: { url: "https://b.example/" }, ...lookup }).wasRedirected)
    assert.isTrue(of({ request, syscall: "connect", port: 80 }).wasRedirected)
    assert.isFalse(of({ request, syscall: "connect", port: 443 }).wasRedirected)
    assert.isFalse(of({ request, syscall: "write", port: 80 }).wasRedirected)
    assert.isTrue(of({ request, ...lookup, cause: { syscall: "connect", port: 443 } }).wasRedirected)
    assert.isFalse(of({ request, syscall: "connect", port: 443, cause: lookup }).wasRedirected)
  })

  it("3.1 the names of headers are in lower case, and the first value of a header counts", () => {
    const headersOf = (headers: unknown) => of({ headers }).headers
    assert.deepStrictEqual(headersOf({ "X-A": "1", "x-a": "2", "X-B": ["3", "4"], "X-C": 5 }), {
      "x-a": "1",
      "x-b": "3"
    })
    assert.deepStrictEqual(headersOf(new Headers({ "X-A": "1" })), { "x-a": "1" })
    assert.deepStrictEqual(headersOf(null), {})
    assert.deepStrictEqual(headersOf("x-a: 1"), {})
    assert.deepStrictEqual(
      headersOf({
        entries: () => [
          [7, "1"],
          ["x-a", "1"]
        ]
      }),
      { "x-a": "1" }
    )
    const many = Array.from({ length: 101 }, (_, n) => [`x-${n}`, "1"] as const)
    assert.strictEqual(Object.keys(headersOf(Object.fromEntries(many))).length, 100)
    const read: Array<number> = []
    const entries = function* () {
      for (let n = 0; n < 200; n++) {
        read.push(n)
        yield [`x-${n}`, "1"]
      }
    }
    assert.strictEqual(Object.keys(headersOf({ entries })).length, 100)
    assert.strictEqual(read.length, 100)
    const broken = function* () {
      yield ["x-a", "1"]
      throw new Error("no")
    }
    assert.deepStrictEqual(headersOf({ entries: broken }), { "x-a": "1" })
  })

  it("4.11 headers state a wait before fields, the outer field before the inner, and fields before texts", () => {
    const waitOf = (error: unknown) => {
      const { isWaitStated, retryAfter } = of(error)
      return [isWaitStated, retryAfter && Duration.toMillis(retryAfter)]
    }
    const text = { message: "Please try again in 9s." }
    assert.deepStrictEqual(waitOf({ ...text }), [false, 9_000])
    assert.deepStrictEqual(waitOf({ ...text, retry_after: 3 }), [true, 3_000])
    assert.deepStrictEqual(waitOf({ retry_after: 3, cause: { retry_after: 5 } }), [true, 3_000])
    assert.deepStrictEqual(waitOf({ retry_after: 3, headers: { "retry-after": "7" } }), [true, 7_000])
    assert.deepStrictEqual(waitOf({ message: "x" }), [false, undefined])
    assert.notProperty(of("x"), "retryAfter")
  })

  it("3.3 only a quoted error with words has a quote, and unknown arguments are absent", () => {
    assert.strictEqual(of(new QuotedError("words", {})).quote, "words")
    assert.notProperty(of(new QuotedError("", {})), "quote")
    assert.notProperty(of(new Error("words")), "quote")
    assert.notProperty(of("x"), "arguments")
    assert.deepStrictEqual(collect("x", { access: "read", arguments: { a: 1 } }).arguments, { a: 1 })
    assert.strictEqual(of("It can\u2019t BE").lower, "it can't be")
  })
})
