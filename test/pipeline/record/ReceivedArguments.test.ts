/** Tests the arguments of a record, and the texts and digests of results. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { createHash } from "node:crypto"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { failed, type Outcome, type Success, success } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import type { Call } from "#pipeline/call/Call"
import { compiledOf } from "#pipeline/call/CompiledTool"
import * as Digests from "#pipeline/record/Digests"
import * as ReceivedArguments from "#pipeline/record/ReceivedArguments"
import * as ResultText from "#pipeline/record/ResultText"
import { callOf, define } from "../support.ts"

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

const limited = define("search", { limits: { argumentBytes: 20_000 } })
const most = compiledOf(limited).definition.argumentLimits.maxBytes

const received = (origin: Call["origin"], input: unknown, argumentsText?: string) =>
  ReceivedArguments.of({ argumentsText, input, origin, tool: compiledOf(limited) })

/** Returns a list whose JSON text has `length` characters. */
const listOf = (length: number) => ["x".repeat(length - 4)]

describe("ReceivedArguments", () => {
  it("15.2 has the text that a model wrote, and the value that a host or a program passed", () => {
    for (const [origin, input, argumentsText, expected] of [
      ["text", '{"a":1}', undefined, { text: '{"a":1}' }],
      ["text", { a: 1 }, '{"a": 1}', { text: '{"a": 1}' }],
      ["text", undefined, undefined, { text: "undefined" }],
      ["parsed", { a: 1 }, '{"a": 1}', { text: '{"a": 1}', value: { a: 1 } }],
      ["parsed", { a: 1 }, undefined, { text: '{"a":1}', value: { a: 1 } }],
      ["program", { a: 1 }, undefined, { value: { a: 1 } }],
      ["program", { a: undefined }, undefined, { value: {} }],
      ["program", undefined, undefined, { value: null }],
      // what JSON cannot hold is written in its canonical form
      ["program", { a: 1n }, undefined, { value: { a: 1 } }],
      ["parsed", { a: 1n }, undefined, { text: '{"a":1}', value: { a: 1 } }]
    ] as const)
      assert.deepStrictEqual(received(origin, input, argumentsText), expected, `${origin} ${String(argumentsText)}`)
  })

  it("15.2 a text within the limit of arguments is whole, and a longer text is cut to 10,240 characters", () => {
    const cut = (text: string) => ({ text: text.slice(0, 10_240) })
    const whole = JSON.stringify(listOf(most))
    const long = JSON.stringify(listOf(most + 1))
    assert.deepStrictEqual([whole.length, long.length], [most, most + 1])
    assert.deepStrictEqual(received("text", whole), { text: whole })
    assert.deepStrictEqual(received("text", long), cut(long))
    assert.deepStrictEqual(received("parsed", listOf(most)), { text: whole, value: listOf(most) })
    assert.deepStrictEqual(received("parsed", listOf(most + 1)), cut(long))
    assert.deepStrictEqual(received("parsed", [1], long), { ...cut(long), value: [1] })
    assert.deepStrictEqual(received("program", listOf(most)), { value: listOf(most) })
    assert.deepStrictEqual(received("program", listOf(most + 1)), cut(long))
  })
})

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
const any = compiledOf(define("search", { success: Schema.Unknown, answers: "json" }))

const written = (value: unknown, more: Partial<Success> = {}) =>
  ResultText.written(any, { ...success(value), ...more }, sha256, "unique")

describe("ResultText", () => {
  it("4.6 the digest of a result is its text up to 512 characters, and otherwise the SHA-256 of its text", () => {
    const [short, long] = ["x".repeat(510), "x".repeat(511)]
    const parts = [{ type: "text", text: "a" }] as const
    for (const [outcome, json, digest] of [
      [written({ a: 1 }), '{"a":1}', '{"a":1}'],
      [written(short), JSON.stringify(short), JSON.stringify(short)],
      [written(long), JSON.stringify(long), sha256(JSON.stringify(long))],
      [written([1], { parts }), "[1]", `[1]${JSON.stringify(parts)}`],
      [written({ a: 1 }, { isRaw: true }), '{"a":1}', '{"a":1}'],
      // a result without JSON equals no other
      [written(undefined), undefined, "unique"],
      [written(1n), undefined, "unique"],
      // a digest that a stage has computed is kept
      [written([1], { digest: "known" }), undefined, "known"]
    ] as const)
      assert.deepStrictEqual([outcome.json, outcome.digest], [json, digest])
  })
})

describe("Digests", () => {
  /** Returns a digest, and whether it was computed before it was read. */
  const computed = (of: (sha: Digests.Sha256) => (() => string) | undefined) => {
    let calls = 0
    const digest = of((text) => {
      calls++
      return sha256(text)
    })
    const before = calls
    const value = digest?.()
    assert.strictEqual(digest?.(), value)
    assert.isAtMost(calls, 1)
    return [value, before > 0] as const
  }
  const large = "y".repeat(20_000)

  it.effect("15.1 the digest of a result is computed when it is read, and immediately for a large result", () =>
    Effect.gen(function* () {
      const call = { ...(yield* callOf(limited)), tool: any }
      const of = (outcome: Outcome) => computed((sha) => Digests.ofResult(call, outcome, sha))
      const fields = { tool: "a", code: "b", detail: "", hint: "", sideEffect: "none", traceId: "" } as const
      const partial = (data: unknown) => failed(new Failure.PartialData({ ...fields, data }))
      const hash = "0123456789abcdef".repeat(4)
      for (const [outcome, digest] of [
        [success([1]), [sha256("[1]"), false]],
        [{ ...success([1]), bytes: 16_384 }, [sha256("[1]"), false]],
        [{ ...success([1]), bytes: 16_385 }, [sha256("[1]"), true]],
        [success([1], [{ type: "text", text: "a" }]), [sha256('[1][{"type":"text","text":"a"}]'), true]],
        [{ ...success(large), digest: hash }, [hash, false]],
        [{ ...success(large), digest: "short" }, [sha256("short"), false]],
        [{ ...success(large), digest: `${hash}0` }, [sha256(`${hash}0`), false]],
        [partial([2]), [sha256("[2]"), false]],
        [failed(new Failure.Permanent(fields)), [undefined, false]]
      ] as const)
        assert.deepStrictEqual<unknown>(of(outcome), digest)
      assert.strictEqual(of(success(large))[1], true)
      assert.strictEqual(of(partial(large))[1], true)
    })
  )

  it.effect("15.1 an unread digest whose text is known does not hold its result", () =>
    Effect.gen(function* () {
      const call = { ...(yield* callOf(limited)), tool: any }
      const unread = ["known", undefined].map((digest) => {
        const result = { text: "a" }
        const outcome = success(result)
        const read = Digests.ofResult(call, digest === undefined ? outcome : { ...outcome, digest }, sha256)
        return { read, held: new WeakRef(result) }
      })
      yield* Effect.promise(() => new Promise(setImmediate)) // a WeakRef holds its target until the end of the task
      collectGarbage()
      assert.deepStrictEqual(
        unread.map(({ held }) => held.deref()),
        [undefined, { text: "a" }]
      )
      assert.strictEqual(unread[1]?.read?.(), sha256('{"text":"a"}'))
    })
  )

  it.effect(
    "15.1 the digest of a key is computed from its text, from the received arguments, or from the trace id",
    () =>
      Effect.gen(function* () {
        const call = yield* callOf(limited)
        const of = (input: unknown, key?: () => string, args?: unknown) =>
          computed((sha) =>
            Digests.ofKey({ ...call, input, trace: { ...call.trace, key, arguments: args } } as Call, sha)
          )
        assert.deepStrictEqual(of({ q: "a" }), [sha256('search {"q":"a"}'), false])
        assert.deepStrictEqual(
          of({ q: "a" }, () => "the key"),
          [sha256("the key"), false]
        )
        assert.deepStrictEqual(
          of(large, () => "the key"),
          [sha256("the key"), false]
        )
        assert.deepStrictEqual(
          of("a", () => "the key", large),
          [sha256("the key"), true]
        )
        assert.strictEqual(of({ q: large })[1], true)
        const broken = (): string => {
          throw new Error("no key")
        }
        assert.deepStrictEqual(of("a", broken), [sha256("trace"), false])
      })
  )
})
