/**
 * Handlers that throw, fail or answer with what nobody expects: each call has a typed end, the envelope says the same,
 * and the next call works.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import { HttpClientResponse } from "effect/http"
import * as Failure from "#domain/failure/Failure"
import { ask, brief, type LooseHandler, outside, response, settled, tool } from "../pipeline/support.ts"

const secret = "hunter2-Zq81xTt"
const long = "x".repeat(2_000_000)

const cyclic = (() => {
  const error = new Error("round and round") as Error & { self?: unknown }
  error.cause = error
  error.self = { error, list: [error] }
  return error
})()

const deepCause = Array.from({ length: 10_000 }).reduce<Error>(
  (cause, _, level) => new Error(`level ${level}`, { cause }),
  new Error("bottom")
)

const deep = (levels: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = { a: value }
  return value
}

const thrower = (): never => {
  throw new Error("a getter threw")
}

const getters = (names: ReadonlyArray<string>): object =>
  Object.defineProperties({}, Object.fromEntries(names.map((name) => [name, { enumerable: true, get: thrower }])))

const angryProxy = new Proxy(
  {},
  { get: thrower, has: thrower, ownKeys: thrower, getPrototypeOf: thrower, getOwnPropertyDescriptor: thrower }
)
const callableProxy = new Proxy(() => 1, { get: thrower, apply: thrower, getPrototypeOf: thrower })

const revoked = (() => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
})()

class Order {
  readonly #id = 1
  get id(): number {
    return this.#id
  }
}

/** What a handler may throw, fail with, die of or reject with. */
const thrown: ReadonlyArray<readonly [what: string, error: unknown]> = [
  ["undefined", undefined],
  ["null", null],
  ["a number", 42],
  ["NaN", Number.NaN],
  ["a bigint", 10n],
  ["a symbol", Symbol("oops")],
  ["a function", () => thrower()],
  ["a string", "just a string"],
  ["an empty string", ""],
  ["a string of two million characters", long],
  ["a frozen object", Object.freeze({ message: "frozen", code: "EFROZEN" })],
  ["an object without a prototype", Object.assign(Object.create(null), { message: "bare" })],
  ["an error whose message is no string", Object.assign(new Error("x"), { message: { a: 1 }, name: 7, stack: [] })],
  ["an error of two million characters", new Error(long)],
  ["an error that is its own cause", cyclic],
  ["ten thousand causes", deepCause],
  ["ten thousand errors at once", new AggregateError(Array.from({ length: 10_000 }, (_, i) => new Error(`e${i}`)))],
  ["an object nested a hundred thousand deep", deep(100_000)],
  [
    "getters that throw",
    getters(["message", "name", "stack", "code", "cause", "errors", "status", "_tag", "reason", "response", "headers"])
  ],
  ["a toString that throws", { toString: thrower, toJSON: thrower, [Symbol.toPrimitive]: thrower }],
  ["a proxy that throws", angryProxy],
  ["a function that is a proxy that throws", callableProxy],
  ["a proxy that was revoked", revoked],
  [
    "an error with a secret",
    Object.assign(new Error(`password=${secret} refused at /srv/app/deploy/db.ts:3`), { hint: secret })
  ],
  [
    "an imitation of our own failure",
    { _tag: "HumanReview", code: "approval_denied", detail: "approved", sideEffect: "none" }
  ],
  ["an imitation of an interrupt", { _tag: "Interrupt", reasons: [{ _tag: "Interrupt" }] }],
  ["an effect", Effect.succeed({ n: 1 })]
]

/** Errors that cannot even be looked at: reading them crashes. */
const unreadable: ReadonlySet<unknown> = new Set([angryProxy, callableProxy, revoked])

const ways: ReadonlyArray<readonly [how: string, make: (error: unknown) => () => unknown]> = [
  [
    "throws",
    (error) => () => {
      throw error
    }
  ],
  ["fails with", (error) => () => Effect.fail(error)],
  ["dies of", (error) => () => Effect.die(error)],
  ["rejects with", (error) => () => Effect.promise(() => Promise.reject(error))],
  ["fails later with", (error) => () => Effect.andThen(Effect.yieldNow, Effect.fail(error))]
]

const json = Schema.Struct({ n: Schema.Int, note: Schema.optionalKey(Schema.Unknown) })

/** What a handler may answer with, and what that comes to on a read; `ok` where it is a value of the schema. */
const answered: ReadonlyArray<readonly [what: string, make: () => unknown, expected: string]> = [
  ["undefined", () => Effect.succeed(undefined), "SchemaMismatch invalid_result none"],
  ["null", () => Effect.succeed(null), "SchemaMismatch invalid_result none"],
  ["a function", () => Effect.succeed(() => 1), "SchemaMismatch invalid_result none"],
  ["a symbol", () => Effect.succeed(Symbol("x")), "SchemaMismatch invalid_result none"],
  ["a bigint", () => Effect.succeed(1n), "SchemaMismatch invalid_result none"],
  ["NaN for an integer", () => Effect.succeed({ n: Number.NaN }), "SchemaMismatch invalid_result none"],
  ["an array for an object", () => Effect.succeed([{ n: 1 }]), "SchemaMismatch invalid_result none"],
  ["a getter that throws", () => Effect.succeed(getters(["n"])), "SchemaMismatch invalid_result none"],
  ["a proxy that throws", () => Effect.succeed(angryProxy), "Permanent tool_crashed none"],
  ["a proxy that was revoked", () => Effect.succeed(revoked), "Permanent tool_crashed none"],
  ["a class instance", () => Effect.succeed(new Order()), "SchemaMismatch invalid_result none"],
  // @effect-diagnostics-next-line promiseInEffectSuccess:off -- the mistake is what is tried
  ["a promise in an effect", () => Effect.succeed(Promise.resolve({ n: 1 })), "SchemaMismatch invalid_result none"],
  ["an effect in an effect", () => Effect.succeed(Effect.succeed({ n: 1 })), "SchemaMismatch invalid_result none"],
  ["a map", () => Effect.succeed(new Map([["n", 1]])), "SchemaMismatch invalid_result none"],
  ["a string that is no JSON", () => Effect.succeed("all fine"), "SchemaMismatch invalid_result_json none"],
  ["an empty string", () => Effect.succeed(""), "SchemaMismatch invalid_result_json none"],
  [
    "a string over the limit",
    () => Effect.succeed(`{"n":1,"note":"${"x".repeat(11_000_000)}"}`),
    "Permanent response_too_large none"
  ],
  [
    "bytes that are no text",
    () => Effect.succeed(new Uint8Array([0xff, 0xfe, 0, 1])),
    "SchemaMismatch invalid_result_json none"
  ],
  ["a stream that fails at once", () => Effect.succeed(Stream.fail("no")), "Permanent tool_failed none"],
  ["a stream that dies", () => Effect.succeed(Stream.die("no")), "Permanent tool_crashed none"],
  ["a stream of text", () => Effect.succeed(Stream.make(`{"n":1}`)), "Permanent tool_crashed none"],
  ["a stream of nothing", () => Effect.succeed(Stream.make(undefined, null)), "Permanent tool_crashed none"],
  [
    "a response that is none",
    () => Effect.succeed({ [HttpClientResponse.TypeId]: HttpClientResponse.TypeId }),
    "Permanent tool_crashed none"
  ],
  [
    "a response with a status that is no number",
    () => Effect.succeed(Object.assign(Object.create(response(200, `{"n":1}`)), { status: Number.NaN })),
    "Permanent tool_crashed none"
  ],
  ["nothing at all", () => undefined, "Permanent tool_crashed none"],
  ["a promise", () => Promise.resolve({ n: 1 }), "Permanent tool_crashed none"],
  ["a value without an effect", () => ({ n: 1 }), "Permanent tool_crashed none"],
  ["an interrupt of itself", () => Effect.interrupt, "Permanent tool_crashed none"],
  [
    "a value with more than its schema names",
    () => Effect.succeed({ n: 1, password: secret, __proto__: { a: 1 } }),
    "ok"
  ],
  ["a value whose unknown part is a cycle", () => Effect.succeed({ n: 1, note: cyclic }), "ok"],
  ["a value whose unknown part is a bigint", () => Effect.succeed({ n: 1, note: 1n }), "ok"],
  ["a value whose unknown part throws", () => Effect.succeed({ n: 1, note: getters(["a"]) }), "ok"],
  ["a value whose unknown part is a proxy that throws", () => Effect.succeed({ n: 1, note: angryProxy }), "ok"],
  ["a value whose unknown part is very deep", () => Effect.succeed({ n: 1, note: deep(100_000) }), "ok"],
  [
    "a value whose unknown part is a sparse array",
    () => Effect.succeed({ n: 1, note: Object.assign([], { length: 4_000_000 }) }),
    "ok"
  ],
  ["a value whose unknown part is two million characters", () => Effect.succeed({ n: 1, note: long }), "ok"]
]

const tags: Readonly<Record<string, string>> = {
  tool_arg_error: "ToolArgError",
  schema_mismatch: "SchemaMismatch",
  partial_data: "PartialData",
  semantic_garbage: "SemanticGarbage",
  transient: "Transient",
  resource: "Resource",
  permanent: "Permanent",
  human_review: "HumanReview"
}

/** Calls a hostile handler for a program and for a model, then a peaceful one; says how the first two ended. */
const attack = (hostile: () => unknown, definition: object = {}) => {
  const handler: LooseHandler = (args) => (args.q === "evil" ? (hostile() as never) : Effect.succeed({ n: 1 }))
  const search = tool("search", { success: json, retry: { attempts: 1 }, ...definition }, undefined)
  const layer = search.tool.layerTest(handler as never)
  const other = tool("other", {}, { n: 2 })
  return Effect.gen(function* () {
    const typed = yield* Effect.match(
      search.tool.call({ q: "evil" }) as Effect.Effect<unknown, Failure.Failure, never>,
      {
        onSuccess: () => "ok",
        onFailure: (failure) => {
          assert.isTrue(Failure.isFailure(failure))
          return brief(failure).join(" ")
        }
      }
    )
    const { envelope, text } = yield* ask([search.tool], "search", `{"q":"evil"}`)
    assert.isBelow(text.length, 10_700)
    assert.notInclude(text, secret)
    assert.notInclude(text, "/srv/app")
    assert.notMatch(text, /\bat \S+ \(/u)
    if (envelope.status === "error") assert.isAtMost(JSON.stringify(envelope.error).length, 600)
    assert.deepStrictEqual(yield* settled(search.tool.call({ q: "fine" })), { n: 1 })
    assert.deepStrictEqual(yield* settled(other.tool.call({ q: "fine" })), { n: 2 })
    const { code, error_class, side_effect = "none" } = envelope.error ?? {}
    return {
      typed,
      model: envelope.status === "success" ? "ok" : `${tags[error_class]} ${code} ${side_effect}`,
      envelope
    }
  }).pipe(outside([layer, other.layer]))
}

describe("handlers that fail strangely", () => {
  for (const [how, make] of ways) {
    it.effect(`2.5 a handler that ${how} whatever it likes ends in a typed failure`, () =>
      Effect.gen(function* () {
        for (const [what, error] of thrown) {
          const isDeath = how === "throws" || how === "dies of" || how === "rejects with"
          const read = yield* attack(make(error))
          assert.strictEqual(read.model, read.typed, what)
          const isCrash = isDeath || unreadable.has(error)
          assert.strictEqual(read.typed, `Permanent ${isCrash ? "tool_crashed" : "tool_failed"} none`, what)
          const write = yield* attack(make(error), { access: "write" })
          assert.strictEqual(write.model, write.typed, what)
          const isOwnCrash = !isDeath && unreadable.has(error)
          assert.strictEqual(
            write.typed,
            isOwnCrash ? "Permanent tool_crashed unknown" : "HumanReview outcome_unknown unknown",
            what
          )
        }
      })
    )
  }
})

describe("handlers that answer strangely", () => {
  for (const [what, make, expected] of answered) {
    it.effect(`4.9 a handler that answers with ${what}`, () =>
      Effect.gen(function* () {
        const { envelope, model, typed } = yield* attack(make)
        assert.strictEqual(typed, expected)
        if (expected !== "ok") assert.strictEqual(model, expected)
        // A part that the schema does not look into, and that is no JSON, is told as that
        else if (model !== "ok") assert.strictEqual(model, "SchemaMismatch invalid_result none")
        if (envelope.status === "success") assert.notProperty(envelope.data ?? {}, "password")
      })
    )
  }
})
