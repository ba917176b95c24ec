/** Tests what the fields of one error prove about the effect of a write. */
import { assert, describe, it } from "@effect/vitest"
import { get, ofLink } from "#domain/classification/LinkEvidence"
import { isOthersDone, read, readCause } from "#domain/classification/SideEffectEvidence"
import * as Failure from "#domain/failure/Failure"
import * as StatedEffect from "#domain/failure/StatedEffect"
import { Cause } from "effect"

const throwing = (key: string): object =>
  Object.defineProperty({}, key, {
    get: () => {
      throw new Error("no")
    }
  })
const long = (length: number): string => "x".repeat(length)
const aborted = (name: string): DOMException => new DOMException("x", name)

/** The ground of the evidence in an object, with its side effect; undefined if it has none. */
const rows: ReadonlyArray<readonly [link: object, evidence: string | undefined]> = [
  [{ status: "404" }, "none HTTP 404"],
  [{ status: "x404" }, undefined],
  [{ status: "4040" }, undefined],
  [{ status: 404.5 }, undefined],
  [{ status: 399 }, undefined],
  [{ status: 400 }, "none HTTP 400"],
  [{ status: 499 }, "unknown HTTP 499"],
  [{ status: 599 }, "unknown HTTP 599"],
  [{ status: 600 }, undefined],
  [{ status: true, statusCode: 404 }, "none HTTP 404"],
  [{ response: { status: 300 } }, undefined],
  [{ response: { status: 399, code: "ECONNRESET" }, code: "ECONNRESET" }, "unknown ECONNRESET"],
  [{ response: null, status: 404 }, "none HTTP 404"],
  [{ response: "gone", status: 404 }, "none HTTP 404"],
  [{ $metadata: null, code: "ECONNRESET" }, "unknown ECONNRESET"],
  [{ $metadata: "gone", code: "ECONNRESET" }, "unknown ECONNRESET"],
  [{ status: 502, headers: { "retry-after": "3" } }, "unknown HTTP 502"],
  [{ status: 503, headers: { "retry-after": 3 } }, "none HTTP 503 with Retry-After"],
  [{ status: 503, headers: { "Retry-After": ["3", "x"] } }, "none HTTP 503 with Retry-After"],
  [{ status: 503, headers: { "retry-after": { seconds: 3 } } }, "unknown HTTP 503"],
  [{ status: 503, headers: null }, "unknown HTTP 503"],
  [{ status: 503, headers: "retry-after: 3" }, "unknown HTTP 503"],
  [{ status: 503, headers: { get: () => null } }, "unknown HTTP 503"],
  [{ status: 503, headers: { get: () => assert.fail("no") } }, "unknown HTTP 503"],
  [{ status: 503, response: { headers: { "retry-after": "3" } } }, "none HTTP 503 with Retry-After"],
  [{ response: { status: 200 } }, "unknown HTTP 200"],
  [{ response: { status: 205 } }, "committed HTTP 205"],
  [{ response: { status: 200, headers: { "content-length": "0" } } }, "committed HTTP 200"],
  [{ response: { status: 200, headers: { "content-length": "1" } } }, "unknown HTTP 200"],
  [{ _tag: "EmptyBodyError", response: { status: 200 } }, "committed HTTP 200"],
  [{ code: "ECONNREFUSED" }, "none ECONNREFUSED"],
  [{ code: "WSAECONNREFUSED" }, "none WSAECONNREFUSED"],
  [{ code: "EAI_AGAIN" }, "none EAI_AGAIN"],
  [{ code: "ESERVFAIL", syscall: "queryA" }, "none ESERVFAIL"],
  [{ code: "ESERVFAIL", syscall: "read" }, "unknown ESERVFAIL"],
  [{ code: "ESERVFAIL" }, "unknown ESERVFAIL"],
  [{ code: "ECONNRESET", syscall: "queryA" }, "unknown ECONNRESET"],
  [{ code: "08006" }, undefined],
  [{ code: "08006", severity: "ERROR" }, "unknown 08006"],
  [{ sqlState: "08006" }, "unknown 08006"],
  [{ sqlState: 8006 }, undefined],
  [{ code: {}, sqlState: "08006" }, "unknown 08006"],
  [{ sqlState: "HYT00" }, "unknown HYT00"],
  [{ sqlState: "HYT01" }, "unknown HYT01"],
  [{ sqlState: "57014" }, undefined],
  [{ sqlState: "23505" }, undefined],
  [{ code: "PROTOCOL_CONNECTION_LOST" }, "unknown PROTOCOL_CONNECTION_LOST"],
  [{ code: "ER_NO_SUCH_CODE" }, undefined],
  [{ errno: 2013, sqlMessage: "Lost connection" }, "unknown mysql:2013"],
  [{ errno: 1062, sqlMessage: "Duplicate entry", code: "ECONNRESET" }, undefined],
  [{ errno: 2013, code: "ECONNREFUSED" }, "none ECONNREFUSED"],
  [{ errno: "2013", sqlMessage: "Lost connection", code: "ECONNRESET" }, "unknown ECONNRESET"],
  [{ code: `ER_${long(80)}` }, undefined],
  [Object.assign(new Error("x"), { code: -32_000 }), "unknown jsonrpc:-32000"],
  [Object.assign(new Error("x"), { code: -32_001 }), "unknown jsonrpc:-32001"],
  [Object.assign(new Error("x"), { code: -32_002 }), undefined],
  [{ code: -32_000 }, undefined],
  [{ code: 14, details: "closing" }, "unknown grpc:14"],
  [{ code: 14 }, undefined],
  [{ code: 6, details: "exists" }, undefined],
  [{ _tag: "DnsError", reason: { _tag: "NotFound" } }, "none DnsError/NotFound"],
  [{ _tag: "DnsError", reason: { _tag: "NoSuchReason" } }, undefined],
  [{ _tag: "SqlError", reason: { _tag: "StatementTimeoutError" } }, undefined],
  [{ _tag: "SqlError", reason: { _tag: "ConnectionError" } }, "unknown SqlError/ConnectionError"],
  [{ _tag: "SqlError", reason: null }, undefined],
  [{ _tag: "SqlError", reason: "ConnectionError" }, undefined],
  [{ _tag: "SqlError", reason: { _tag: 7 } }, undefined],
  [{ _tag: 7, reason: { _tag: "ConnectionError" } }, undefined],
  [aborted("AbortError"), "unknown AbortError"],
  [aborted("TimeoutError"), "unknown TimeoutError"],
  [aborted("NetworkError"), "unknown NetworkError"],
  [aborted("SyntaxError"), undefined],
  [Object.assign(new Error("x"), { name: "AbortError" }), undefined]
]

describe("the evidence in one error", () => {
  for (const [link, expected] of rows)
    it(`3.3 ${link instanceof Error ? `${link.name} ` : ""}${JSON.stringify(link)} proves: ${expected ?? "nothing"}`, () => {
      const evidence = ofLink(link)
      assert.strictEqual(evidence && `${evidence.sideEffect} ${evidence.ground}`, expected)
    })

  it("3.3 only a status below 500, and a 503 with Retry-After, prove that the upstream answered", () => {
    const isAnswered = (link: object) => ofLink(link)?.isAnswered
    assert.deepStrictEqual(
      [{ status: 404 }, { status: 408 }, { status: 500 }, { status: 503, headers: { "retry-after": "3" } }].map(
        isAnswered
      ),
      [true, false, false, true]
    )
    assert.deepStrictEqual([{ code: "ECONNREFUSED" }, { response: { status: 202 } }].map(isAnswered), [false, true])
  })

  it("3.3 an empty answer and an unreadable JSON answer have a code, other answers have none", () => {
    const codeOf = (_tag: string, cause: unknown, type: string) =>
      ofLink({ _tag, cause, response: { status: 200, headers: { "content-type": type } } })?.code
    const broken = new SyntaxError("x")
    assert.strictEqual(codeOf("DecodeError", broken, "application/json; charset=utf-8"), "done_unreadable")
    assert.isUndefined(codeOf("DecodeError", new Error("x"), "application/json"))
    assert.isUndefined(codeOf("StatusCodeError", broken, "application/json"))
    assert.isUndefined(codeOf("DecodeError", broken, "text/application/json"))
    assert.strictEqual(codeOf("EmptyBodyError", undefined, "text/html"), "done_without_result")
  })

  it("3.3 a getter that throws counts as absent", () => {
    assert.isUndefined(get(throwing("code"), "code"))
    assert.isUndefined(ofLink(throwing("code")))
    assert.isUndefined(ofLink(Object.assign(throwing("headers"), { status: 200 })))
  })
})

describe("the evidence of several errors", () => {
  const refused = { status: 404 }
  const reset = { code: "ECONNRESET" }
  const general = { _tag: "HttpClientError", reason: { _tag: "TransportError" } }

  it("3.3 weak evidence yields to evidence elsewhere in the chain, in either order", () => {
    const groundOf = (error: object) => read(error).ground
    assert.strictEqual(groundOf(general), "HttpClientError/TransportError")
    assert.strictEqual(groundOf({ ...general, cause: refused }), "HTTP 404")
    assert.strictEqual(groundOf({ status: 404, cause: general }), "HTTP 404")
    assert.strictEqual(groundOf({ ...general, cause: general }), "HttpClientError/TransportError")
  })

  it("3.3 of equally severe evidence a statement counts, and otherwise evidence without an answer", () => {
    const groundOf = (error: object) => read(error).ground
    assert.strictEqual(groundOf({ status: 404, cause: StatedEffect.nothingDone(1) }), "nothingDone")
    assert.strictEqual(groundOf({ cause: refused, originalError: { status: 409 } }), "HTTP 404")
    assert.strictEqual(groundOf({ cause: refused, reason: { code: "ECONNREFUSED" } }), "ECONNREFUSED")
    assert.strictEqual(groundOf({ cause: reset, reason: StatedEffect.unknown(1) }), "ECONNRESET")
  })

  it("3.3 combined errors are a statement only if each of them is", () => {
    const aggregate = (...errors: ReadonlyArray<unknown>) => Cause.die(new AggregateError(errors))
    const stated = () => StatedEffect.nothingDone(1)
    const sideEffectOf = (cause: Cause.Cause<unknown>) => readCause(cause, "mine").sideEffect
    assert.strictEqual(sideEffectOf(aggregate(stated(), stated())), "none")
    assert.strictEqual(sideEffectOf(aggregate(stated(), { ...refused })), "unknown")
    assert.strictEqual(sideEffectOf(aggregate({ ...refused }, { ...refused })), "unknown")
  })

  it("3.3 a list with one Error is a combination, and a list of messages is not", () => {
    const sideEffectOf = (errors: ReadonlyArray<unknown>) => read({ status: 422, errors }).sideEffect
    assert.strictEqual(sideEffectOf([{ message: "x" }]), "none")
    assert.strictEqual(sideEffectOf([{ message: "x" }, new Error("x")]), "unknown")
  })

  it("3.3 of a chain, thirteen errors are read, and of a list, 48", () => {
    const chain = (length: number): object => (length === 0 ? refused : new Error("x", { cause: chain(length - 1) }))
    assert.strictEqual(read(chain(12)).ground, "HTTP 404")
    assert.strictEqual(read(chain(13)).ground, "too many errors to read")
    const many = (length: number) => new AggregateError(Array.from({ length }, () => ({ status: 404 })))
    assert.strictEqual(read(many(47)).ground, "HTTP 404")
    assert.strictEqual(read(many(48)).ground, "too many errors to read")
    const inCause = (depth: number): unknown =>
      depth === 0
        ? refused
        : { cause: Cause.fail({ errors: [Object.assign(new Error("x"), { cause: inCause(depth - 1) })] }) }
    assert.strictEqual(read(inCause(3)).ground, "HTTP 404")
    assert.strictEqual(read(inCause(4)).ground, "too many errors to read")
  })

  it("3.3 a failure of another tool has no evidence, but says whether an answer arrived", () => {
    const failure = (more: object) =>
      new Failure.Permanent({
        tool: "other",
        code: "refused",
        detail: "",
        hint: "",
        sideEffect: "none",
        traceId: "t",
        ...more
      })
    const of = (more: object) => read(failure(more), { tool: "mine" })
    const nothing = { sideEffect: "unknown", ground: "failure of other", isAnswered: true } as const
    assert.deepStrictEqual(of({}), nothing)
    assert.deepStrictEqual(of({ code: "timeout" }), { ...nothing, isAnswered: false })
    assert.strictEqual(of({ traceId: "" }).ground, "failure refused")
    assert.strictEqual(of({ sideEffect: "unknown" }).ground, "failure refused")
    assert.strictEqual(of({ tool: "mine" }).ground, "failure refused")
  })

  it("3.3 evidence has a code only if an answer has one", () => {
    assert.deepStrictEqual(read(refused), { sideEffect: "none", ground: "HTTP 404", isAnswered: true })
    assert.hasAllKeys(read({ response: { status: 204 } }), ["sideEffect", "ground", "isAnswered", "code"])
    assert.strictEqual(readCause(Cause.fail(Object.assign(new Error("x"), { status: 404 })), "mine").ground, "HTTP 404")
    const foreign = new Failure.Permanent({
      tool: "other",
      code: "refused",
      detail: "",
      hint: "",
      sideEffect: "none",
      traceId: "t"
    })
    assert.strictEqual(readCause(Cause.fail(foreign), "mine").sideEffect, "unknown")
  })

  it("3.3 a failure that says that another tool was done is told apart from the called tool's", () => {
    const isDone = (code: "done_without_result" | "done_unreadable" | "refused", sideEffect: Failure.SideEffect) =>
      isOthersDone(Failure.ofCode(code, { tool: "t", detail: "" }), sideEffect)
    assert.isTrue(isDone("done_without_result", "unknown"))
    assert.isTrue(isDone("done_unreadable", "unknown"))
    assert.isFalse(isDone("done_unreadable", "committed"))
    assert.isFalse(isDone("refused", "unknown"))
  })
})
