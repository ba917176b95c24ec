import { Guard } from "#src/guard/Guard"
import * as CallLogMemory from "#layers/CallLogMemory"
import { CallLog } from "#services/CallLog"
import * as GuardedTool from "#src/tool/GuardedTool"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, type Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { ask, asked, define, failureOf, response, settled, start, tool, type Tool, within } from "./support.ts"

const logged = Guard.layerMemoryWith(CallLogMemory.layer)
const unknown = ["Permanent", "tool_failed", "unknown"]
const data = { id: "o-1", lines: [1, 2] }

/** Creates a dynamic write that returns this answer. */
const dynamic = (answer: unknown): Tool =>
  // the types of a dynamic tool are known only at run time
  GuardedTool.dynamic("post_it", {
    access: "write",
    description: "Posts one message. Writes.",
    handler: () => Effect.succeed(answer)
  }) as unknown as Tool

describe("a write whose answer states a failure alongside data", () => {
  for (const answer of [
    { ok: false, data },
    { success: "false", data },
    { success: 0, data },
    { error: true, data },
    { status: "failed", data },
    { errcode: 40_013, data },
    { data, errors: [{ extensions: {} }] }
  ]) {
    const text = JSON.stringify(answer)
    it.effect(`3.3 ${text} is a failure of unknown effect as a value, a text and a response`, () => {
      const success = Schema.Struct({ data: Schema.Json })
      const texts = tool("text_it", { access: "write", success }, text)
      const responses = tool("send_it", { access: "write", success }, response(200, text))
      const values = tool("return_it", { access: "write", success }, answer)
      return Effect.gen(function* () {
        for (const one of [dynamic(answer), texts.tool, responses.tool, values.tool]) {
          assert.deepStrictEqual(yield* asked(one, { q: "a" }), unknown)
        }
        const records = yield* (yield* CallLog).records
        assert.deepStrictEqual(
          records.map(({ sideEffect }) => sideEffect),
          ["unknown", "unknown", "unknown", "unknown"]
        )
      }).pipe(within([texts.layer, responses.layer, values.layer], logged))
    })
  }

  it.effect("3.3 quotes the message of the answer, and does not classify the failure by the answer's data", () => {
    const answer = { ok: false, message: "Two lines were refused", data: [{ message: "Rate limit exceeded" }] }
    return Effect.gen(function* () {
      const { envelope } = yield* ask([dynamic(answer)], "post_it", "{}")
      assert.strictEqual(envelope.error.message, "Two lines were refused")
      assert.strictEqual(envelope.error.error_class, "permanent")
      assert.strictEqual(envelope.error.side_effect, "unknown")
      assert.strictEqual(envelope.error.next_step, "ask_user")
    }).pipe(within([]))
  })

  it.effect("3.3 also fails a program's call", () => {
    const post = tool("post_it", { access: "write" }, { n: 1, success: false })
    return Effect.gen(function* () {
      const failure = yield* failureOf(post.tool.call({ q: "a" }))
      assert.deepStrictEqual(
        [failure.sideEffect, failure.detail],
        ["unknown", 'The answer says that "success" is false.']
      )
    }).pipe(within([post.layer]))
  })

  it.effect("3.4 a read whose answer states a failure alongside data is a success", () => {
    const success = Schema.Json
    const report = { ok: false, failed: 3, tests: [{ name: "a" }] }
    const read = tool("run_tests", { success }, response(200, JSON.stringify(report)))
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(read.tool.call({ q: "a" })), report)
    }).pipe(within([read.layer]))
  })
})

describe("a write whose contract declares the field", () => {
  const success = Schema.Struct({
    ok: Schema.Boolean,
    failed: Schema.Int,
    tests: Schema.Array(Schema.Struct({ name: Schema.String }))
  })
  const report = { ok: false, failed: 3, tests: [{ name: "a" }] }
  const notice =
    'The answer says that "ok" is false. It is not known what was done. Do not repeat the call; ask the user.'

  for (const [form, answer] of [
    ["a value", report],
    ["a text", JSON.stringify(report)],
    ["a response", () => Effect.succeed(response(200, JSON.stringify(report)))]
  ] as const) {
    it.effect(`3.3 keeps ${form} as its result, and says that nothing is proven`, () => {
      const run = tool("run_tests", { access: "write", success }, answer)
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* settled(run.tool.call({ q: "typed" })), report)
        const first = yield* ask([run.tool], "run_tests", '{"q":"a"}')
        assert.deepStrictEqual(first.envelope, { status: "success", data: report, notice })
        const second = yield* ask([run.tool], "run_tests", '{"q":"a"}')
        assert.deepInclude(second.envelope, {
          status: "success",
          data: report,
          executed: false,
          notice: `run_tests was called before with these arguments in this turn. It was not called again; this is its first result. ${notice}`
        })
        assert.strictEqual(run.runs(), 2)
        const records = yield* (yield* CallLog).records
        assert.deepStrictEqual(
          records.map(({ outcome, sideEffect }) => [outcome._tag, sideEffect]),
          [
            ["Success", "unknown"],
            ["Success", "unknown"],
            ["Success", "none"]
          ]
        )
      }).pipe(within([run.layer], logged))
    })
  }

  it.effect("3.3 a union that declares the field in one of its members declares it", () => {
    const either = Schema.Union([
      Schema.Struct({ ok: Schema.Literal(true), n: Schema.Int }),
      Schema.Struct({ ok: Schema.Literal(false), why: Schema.String })
    ])
    const run = tool("post_it", { access: "write", success: either }, { ok: false, why: "sold out" })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* asked(run.tool, { q: "a" }), { ok: false, why: "sold out" })
    }).pipe(within([run.layer]))
  })

  it.effect("8.2 a replayed result says again that nothing is proven", () => {
    const keyed = define("post_it", { access: "write", success, idempotency: "derived" })
    const layer = keyed.layerTest((() => Effect.succeed(report)) as never) as Layer.Layer<any>
    return Effect.gen(function* () {
      yield* ask([keyed], "post_it", '{"q":"a"}')
      yield* keyed.call({ q: "a" })
      const { envelope } = yield* ask([keyed], "post_it", '{"q":"a"}')
      assert.include(envelope.notice, notice)
    }).pipe(within([layer]))
  })

  it.effect("3.3 a read shows the same result without the notice", () => {
    const run = tool("run_tests", { success }, report)
    return Effect.gen(function* () {
      const { envelope } = yield* ask([run.tool], "run_tests", '{"q":"a"}')
      assert.deepStrictEqual(envelope, { status: "success", data: report })
    }).pipe(within([run.layer]))
  })
})

describe("a write whose result may describe something else", () => {
  it.effect("3.3 the failed state of an entity is a result that proves nothing", () => {
    const payment = { id: "p-1", status: "failed", amount: 5 }
    return Effect.gen(function* () {
      const { envelope } = yield* ask([dynamic(payment)], "post_it", "{}")
      assert.deepStrictEqual(envelope.data, payment)
      assert.include(envelope.notice, 'The answer says that "status" is "failed".')
    }).pipe(within([]))
  })

  it.effect("3.3 the text of a tool whose result is text is kept, with the notice", () => {
    const text = '{"ok":false,"data":[1]}'
    const shell = tool("run_shell", { access: "write", success: Schema.String }, text, "grep: ok: false")
    return Effect.gen(function* () {
      const { envelope } = yield* ask([shell.tool], "run_shell", '{"q":"a"}')
      assert.strictEqual(envelope.data, text)
      assert.include(envelope.notice, "It is not known what was done.")
      const plain = yield* ask([shell.tool], "run_shell", '{"q":"b"}')
      assert.deepStrictEqual(plain.envelope, { status: "success", data: "grep: ok: false" })
    }).pipe(within([shell.layer]))
  })
})

describe("a text that is an error, in place of JSON", () => {
  const error = "Error: 503 Service Unavailable"

  it.effect("3.1 a read is retried by the status in the text, and quotes the text", () => {
    const retry = { attempts: 2, base: "1 millis", jitter: "none" }
    const flaky = tool("flaky", { retry }, error, '{"n":1}')
    const down = tool("down", { retry: { attempts: 1 } }, () => Effect.succeed(response(200, error)))
    return Effect.gen(function* () {
      const fiber = yield* start(flaky.tool.call({ q: "a" }))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(fiber), { n: 1 })
      assert.strictEqual(flaky.runs(), 2)
      const failure = yield* failureOf(down.tool.call({ q: "a" }))
      assert.deepStrictEqual([failure._tag, failure.code], ["Transient", "unavailable"])
      assert.include(failure.detail, error)
    }).pipe(within([flaky.layer, down.layer]))
  })

  it.effect("3.3 a write keeps the class, its effect is unknown, and it is not repeated", () => {
    const write = tool("write_it", { access: "write" }, error)
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(write.tool.call({ q: "a" })), ["Transient", "unavailable", "unknown"])
      assert.strictEqual(write.runs(), 1)
    }).pipe(within([write.layer]))
  })

  it.effect("3.4 a text that only mentions an error breaks the contract", () => {
    const read = tool("read_it", {}, "The log has 3 lines with errors.")
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(read.tool.call({ q: "a" })), [
        "SchemaMismatch",
        "invalid_result_json",
        "none"
      ])
    }).pipe(within([read.layer]))
  })
})
