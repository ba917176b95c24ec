/**
 * Tests handlers that throw, fail or answer with unexpected values: each call has a typed outcome, the envelope reports
 * the same outcome, and the next call works.
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

const throwingProxy = new Proxy(
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

/** An object that states its own code, which its failure keeps. */
const frozen = Object.freeze({ message: "frozen", code: "EFROZEN" })

/** Values that a handler throws, fails with, dies with or rejects with. */
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
  ["a frozen object", frozen],
  ["an object without a prototype", Object.assign(Object.create(null), { message: "bare" })],
  ["an error whose message is not a string", Object.assign(new Error("x"), { message: { a: 1 }, name: 7, stack: [] })],
  ["an error of two million characters", new Error(long)],
  ["an error that is its own cause", cyclic],
  ["an error with ten thousand nested causes", deepCause],
  [
    "an aggregate of ten thousand errors",
    new AggregateError(Array.from({ length: 10_000 }, (_, i) => new Error(`e${i}`)))
  ],
  ["an object nested 100,000 levels deep", deep(100_000)],
  [
    "getters that throw",
    getters(["message", "name", "stack", "code", "cause", "errors", "status", "_tag", "reason", "response", "headers"])
  ],
  ["a toString that throws", { toString: thrower, toJSON: thrower, [Symbol.toPrimitive]: thrower }],
  ["a proxy that throws", throwingProxy],
  ["a function that is a proxy that throws", callableProxy],
  ["a revoked proxy", revoked],
  [
    "an error with a secret",
    Object.assign(new Error(`password=${secret} refused at /srv/app/deploy/db.ts:3`), { hint: secret })
  ],
  [
    "an imitation of a failure of the guard",
    { _tag: "HumanReview", code: "approval_denied", detail: "approved", sideEffect: "none" }
  ],
  ["an imitation of an interrupt", { _tag: "Interrupt", reasons: [{ _tag: "Interrupt" }] }],
  ["an effect", Effect.succeed({ n: 1 })]
]

/** Errors whose prototype cannot be read, so the handler counts as crashed. */
const unreadable: ReadonlySet<unknown> = new Set([throwingProxy, callableProxy, revoked])

const failureModes: ReadonlyArray<readonly [how: string, make: (error: unknown) => () => unknown]> = [
  [
    "throws",
    (error) => () => {
      throw error
    }
  ],
  ["fails with", (error) => () => Effect.fail(error)],
  ["dies with", (error) => () => Effect.die(error)],
  ["rejects with", (error) => () => Effect.promise(() => Promise.reject(error))],
  ["fails asynchronously with", (error) => () => Effect.andThen(Effect.yieldNow, Effect.fail(error))]
]

const json = Schema.Struct({ n: Schema.Int, note: Schema.optionalKey(Schema.Unknown) })

/** Answers of a handler, and the outcome of each on a read. `ok` means that the answer satisfies the schema. */
const answered: ReadonlyArray<readonly [what: string, make: () => unknown, expected: string]> = [
  ["undefined", () => Effect.succeed(undefined), "SchemaMismatch invalid_result none"],
  ["null", () => Effect.succeed(null), "SchemaMismatch invalid_result none"],
  ["a function", () => Effect.succeed(() => 1), "SchemaMismatch invalid_result none"],
  ["a symbol", () => Effect.succeed(Symbol("x")), "SchemaMismatch invalid_result none"],
  ["a bigint", () => Effect.succeed(1n), "SchemaMismatch invalid_result none"],
  ["NaN for an integer", () => Effect.succeed({ n: Number.NaN }), "SchemaMismatch invalid_result none"],
  ["an array for an object", () => Effect.succeed([{ n: 1 }]), "SchemaMismatch invalid_result none"],
  ["a getter that throws", () => Effect.succeed(getters(["n"])), "SchemaMismatch invalid_result none"],
  ["a proxy that throws", () => Effect.succeed(throwingProxy), "Permanent tool_crashed none"],
  ["a revoked proxy", () => Effect.succeed(revoked), "Permanent tool_crashed none"],
  ["a class instance", () => Effect.succeed(new Order()), "SchemaMismatch invalid_result none"],
  // @effect-diagnostics-next-line promiseInEffectSuccess:off -- the test needs this mistake
  ["a promise in an effect", () => Effect.succeed(Promise.resolve({ n: 1 })), "SchemaMismatch invalid_result none"],
  ["an effect in an effect", () => Effect.succeed(Effect.succeed({ n: 1 })), "SchemaMismatch invalid_result none"],
  ["a map", () => Effect.succeed(new Map([["n", 1]])), "SchemaMismatch invalid_result none"],
  ["a string that is not JSON", () => Effect.succeed("all fine"), "SchemaMismatch invalid_result_json none"],
  ["an empty string", () => Effect.succeed(""), "SchemaMismatch invalid_result_json none"],
  [
    "a string over the limit",
    () => Effect.succeed(`{"n":1,"note":"${"x".repeat(11_000_000)}"}`),
    "Permanent response_too_large none"
  ],
  [
    "bytes that are not text",
    () => Effect.succeed(new Uint8Array([0xff, 0xfe, 0, 1])),
    "SchemaMismatch invalid_result_json none"
  ],
  ["a stream that fails immediately", () => Effect.succeed(Stream.fail("no")), "Permanent tool_failed none"],
  ["a stream that dies", () => Effect.succeed(Stream.die("no")), "Permanent tool_crashed none"],
  ["a stream of text", () => Effect.succeed(Stream.make(`{"n":1}`)), "Permanent tool_crashed none"],
  ["a stream of undefined and null", () => Effect.succeed(Stream.make(undefined, null)), "Permanent tool_crashed none"],
  [
    "an object that imitates a response",
    () => Effect.succeed({ [HttpClientResponse.TypeId]: HttpClientResponse.TypeId }),
    "Permanent tool_crashed none"
  ],
  [
    "a response whose status is not a number",
    () => Effect.succeed(Object.assign(Object.create(response(200, `{"n":1}`)), { status: Number.NaN })),
    "Permanent tool_crashed none"
  ],
  ["undefined without an effect", () => undefined, "Permanent tool_crashed none"],
  ["a promise", () => Promise.resolve({ n: 1 }), "Permanent tool_crashed none"],
  ["a value without an effect", () => ({ n: 1 }), "Permanent tool_crashed none"],
  ["an effect that interrupts itself", () => Effect.interrupt, "Permanent tool_crashed none"],
  [
    "a value with fields outside its schema",
    () => Effect.succeed({ n: 1, password: secret, __proto__: { a: 1 } }),
    "ok"
  ],
  ["a value whose unknown part is a cycle", () => Effect.succeed({ n: 1, note: cyclic }), "ok"],
  ["a value whose unknown part is a bigint", () => Effect.succeed({ n: 1, note: 1n }), "ok"],
  ["a value whose unknown part throws", () => Effect.succeed({ n: 1, note: getters(["a"]) }), "ok"],
  ["a value whose unknown part is a proxy that throws", () => Effect.succeed({ n: 1, note: throwingProxy }), "ok"],
  ["a value whose unknown part is very deep", () => Effect.succeed({ n: 1, note: deep(100_000) }), "ok"],
  [
    "a value whose unknown part is a sparse array",
    () => Effect.succeed({ n: 1, note: Object.assign([], { length: 4_000_000 }) }),
    "ok"
  ],
  ["a value whose unknown part has two million characters", () => Effect.succeed({ n: 1, note: long }), "ok"]
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

/** Calls a hostile handler as a program and as a model, then a healthy one. Returns the outcomes of the first two. */
const attack = (hostile: () => unknown, definition: object = {}) => {
  // Hostile handlers answer with values that their declared types exclude: `as never` lets them through.
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

describe("handlers that fail in unusual ways", () => {
  for (const [how, make] of failureModes) {
    it.effect(`2.5 a handler that ${how} any value ends in a typed failure`, () =>
      Effect.gen(function* () {
        for (const [what, error] of thrown) {
          const isDeath = how === "throws" || how === "dies with" || how === "rejects with"
          const read = yield* attack(make(error))
          assert.strictEqual(read.model, read.typed, what)
          const isCrash = isDeath || unreadable.has(error)
          const code = error === frozen ? "wrong_state" : "tool_failed"
          assert.strictEqual(read.typed, `Permanent ${isCrash ? "tool_crashed" : code} none`, what)
          const write = yield* attack(make(error), { access: "write" })
          assert.strictEqual(write.model, write.typed, what)
          const isReadCrash = !isDeath && unreadable.has(error)
          const failed = `Permanent ${isReadCrash ? "tool_crashed" : code} unknown`
          assert.strictEqual(write.typed, isDeath ? "HumanReview outcome_unknown unknown" : failed, what)
        }
      })
    )
  }
})

describe("handlers that answer with unusual values", () => {
  for (const [what, make, expected] of answered) {
    it.effect(`4.9 a handler that answers with ${what} has a typed outcome`, () =>
      Effect.gen(function* () {
        const { envelope, model, typed } = yield* attack(make)
        assert.strictEqual(typed, expected)
        if (expected !== "ok") assert.strictEqual(model, expected)
        // A part that the schema does not constrain and that cannot be written as JSON is reported as an invalid result.
        else if (model !== "ok") assert.strictEqual(model, "SchemaMismatch invalid_result none")
        if (envelope.status === "success") assert.notProperty(envelope.data ?? {}, "password")
      })
    )
  }
})
