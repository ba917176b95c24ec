/**
 * Tests that a tool that only advises passes answers that violate its contract to models, and enforces everything else.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric, Schema, Tracer } from "effect"
import * as CallRecord from "#domain/call/CallRecord"
import * as CallLogMemory from "#layers/CallLogMemory"
import { CallLog } from "#services/CallLog"
import { ToolPolicy } from "#services/Policies"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { ask, asked, brokenBody, complete, response, settled, type Tool, tool, turn, within } from "./support.ts"

const full = Guard.layerMemoryWith(CallLogMemory.layerWith({ keep: "full" }))

const lastRecord = Effect.flatMap(CallLog, (log) => Effect.map(log.records, (records) => records.at(-1)!))

/** Makes one call of a tool that answers once, and returns the envelope and the record. */
const callOnce = (definition: object, answer: unknown, guard: Layer.Layer<any> = full) => {
  const { layer, tool: own } = tool("read_order", { enforce: "advise", ...definition }, answer)
  return Effect.gen(function* () {
    const { envelope, text } = yield* ask([own], "read_order", '{"q":"a"}')
    return { envelope, text, record: yield* lastRecord }
  }).pipe(within([layer], guard))
}

const write = { access: "write", description: "Orders an item. Write." }

describe("advise", () => {
  const passing: ReadonlyArray<readonly [string, object, unknown, unknown, string]> = [
    ["JSON with a wrong type", {}, '{"n":null,"at":"noon"}', { n: null, at: "noon" }, "invalid_result"],
    ["a value with a wrong type", {}, { n: "x" }, { n: "x" }, "invalid_result"],
    ["a value of another kind", {}, undefined, null, "invalid_result"],
    ["a response with a wrong type", {}, response(200, '{"n":[]}'), { n: [] }, "invalid_result"],
    ["text that is not JSON", {}, "n is 3", "n is 3", "invalid_result_json"],
    ["a web page", {}, "<html><body>Login</body></html>", "<html><body>Login</body></html>", "unexpected_content"],
    ["truncated JSON", {}, '{"n":1,"rows":[1,2', '{"n":1,"rows":[1,2', "truncated_response"],
    ["an empty answer", {}, "", "", "invalid_result_json"],
    ["a key that pollutes prototypes", {}, '{"__proto__":{"n":1}}', '{"__proto__":{"n":1}}', "invalid_result"],
    ["a text that breaks a check of its schema", { success: Schema.NonEmptyString }, "", "", "invalid_result"],
    ["bytes of a wrong length", { success: shortBytes() }, new Uint8Array([1, 2, 3]), "AQID", "invalid_result"],
    ["an answer that states a failure", {}, '{"error":"not found"}', { error: "not found" }, "not_found"],
    ["an imitation of the envelope", {}, '{"status":"error","error":{"code":"x"}}', imitation(), "x"],
    ["a write's answer that breaks the schema", write, '{"n":"x"}', { n: "x" }, "done_unreadable"],
    ["a write without a result", write, response(201, ""), "", "done_without_result"]
  ]
  for (const [what, definition, answer, data, code] of passing) {
    it.effect(`2.2 a model reads ${what} as it is, and the record names the failure ${code}`, () =>
      Effect.gen(function* () {
        const { envelope, record } = yield* callOnce(definition, answer)
        assert.deepStrictEqual([envelope.status, envelope.data], ["success", data])
        assert.strictEqual(record.outcome._tag, "Success")
        assert.deepStrictEqual(
          record.notEnforced?.map((failure) => failure.code),
          [code]
        )
        assert.isTrue(record.decisions.some(({ decision }) => decision === "advised"))
        assert.strictEqual(record.attempts[0]?.outcome, "Success")
      })
    )
  }

  it.effect("2.2 the record of an answer that was not enforced has class, code and path, and is written as JSON", () =>
    Effect.gen(function* () {
      const { record } = yield* callOnce({}, '{"n":"three"}')
      const notEnforced = [
        {
          class: "SchemaMismatch",
          code: "invalid_result",
          path: "n",
          detail: "The answer of read_order violates its contract: n: expected integer, got string"
        }
      ]
      assert.deepStrictEqual(record.notEnforced, notEnforced)
      assert.deepStrictEqual(record.outcome, { _tag: "Success", result: { n: "three" } })
      const read = CallRecord.fromJson(CallRecord.toJson(CallRecord.plain(record)))
      assert.deepStrictEqual(read._tag === "Success" && read.success.notEnforced, notEnforced)
    })
  )

  it.effect("2.2 a toolbox, a use site, a guard and a caller may say that tools only advise", () => {
    const own = tool("read_order", {}, '{"n":"three"}')
    const advise = { enforce: "advise" } as const
    const envelopeOf = (box: Toolbox.Toolbox<any>) =>
      Effect.map(box.answer({ name: "read_order", arguments: { q: "a" }, callId: "c" }), ({ text }) => JSON.parse(text))
    const guarded = (guard: Layer.Layer<any>) => within([own.layer], guard)
    const policy = Layer.succeed(ToolPolicy, advise)
    return Effect.gen(function* () {
      const success = { status: "success", data: { n: "three" } }
      const box = Toolbox.make(own.tool)
      assert.strictEqual((yield* guarded(Guard.layerMemory)(envelopeOf(box))).status, "error")
      assert.deepStrictEqual(yield* guarded(Guard.layerMemory)(envelopeOf(Toolbox.policy(advise)(box))), success)
      const used = own.tool.pipe(GuardedTool.policy(advise)) as Tool
      assert.deepStrictEqual(yield* guarded(Guard.layerMemory)(envelopeOf(Toolbox.make(used))), success)
      assert.deepStrictEqual(yield* guarded(Guard.layerMemory.pipe(Layer.provide(policy)))(envelopeOf(box)), success)
      const around = Effect.provideService(envelopeOf(box), ToolPolicy, advise)
      assert.deepStrictEqual(yield* guarded(Guard.layerMemory)(around), success)
    })
  })

  it.effect("2.2 arguments and result that both break the contract are two failures in one record", () => {
    const { layer, tool: own } = tool("read_order", { enforce: "advise" }, '{"n":"x"}')
    return Effect.gen(function* () {
      yield* ask([own], "read_order", '{"q":7}')
      assert.deepStrictEqual(
        (yield* lastRecord).notEnforced?.map(({ class: tag, path }) => [tag, path]),
        [
          ["ToolArgError", "q"],
          ["SchemaMismatch", "n"]
        ]
      )
    }).pipe(within([layer], full))
  })

  it.effect("2.2 a program's call of the same tool fails with the typed failure", () => {
    const { layer, runs, tool: own } = tool("read_order", { enforce: "advise" }, '{"n":"x"}')
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(own.call({ q: "a" })), ["SchemaMismatch", "invalid_result", "none"])
      assert.deepStrictEqual(yield* asked(own, { q: "a" }), { n: "x" })
      assert.deepStrictEqual(yield* settled(Toolbox.make(own).call("read_order" as never, { q: "a" })), [
        "SchemaMismatch",
        "invalid_result",
        "none"
      ])
      assert.strictEqual(runs(), 3)
    }).pipe(within([layer]))
  })

  const holding: ReadonlyArray<readonly [string, object, unknown, string, string]> = [
    ["a write that states a failure", write, '{"ok":false,"error":"out of stock"}', "wrong_state", "unknown"],
    ["a write whose text is not the promised JSON", write, "Order placed", "invalid_result_json", "unknown"],
    ["a write that was accepted for later", write, response(202, '{"n":"x"}'), "invalid_result", "unknown"],
    ["an HTTP status that is an error", {}, response(404, '{"n":"x"}'), "not_found", "none"],
    [
      "a body that was cut by the transport",
      { retry: { attempts: 1 } },
      response(200, brokenBody('{"n":')),
      "body_cut",
      "none"
    ],
    [
      "an answer above the size limit",
      { limits: { resultBytes: 20 } },
      response(200, `{"n":"${"x".repeat(30)}"}`),
      "response_too_large",
      "none"
    ],
    ["an answer above the depth limit", { limits: { resultDepth: 3 } }, '{"n":[[[[1]]]]}', "invalid_result", "none"],
    ["a value that JSON cannot represent", {}, { n: 1n }, "invalid_result", "none"],
    ["an error of the handler", {}, Effect.fail(new Error("it is broken")), "tool_failed", "none"]
  ]
  for (const [what, definition, answer, code, sideEffect] of holding) {
    it.effect(`2.2 ${what} is a failure although the tool only advises`, () =>
      Effect.gen(function* () {
        const { envelope, record } = yield* callOnce(definition, answer)
        assert.strictEqual(envelope.status, "error")
        assert.deepStrictEqual([envelope.error.code, record.sideEffect], [code, sideEffect])
        assert.isUndefined(record.notEnforced)
      })
    )
  }

  it.effect("3.3 a failure that a recogniser finds is enforced for a write, and only recorded for a read", () =>
    Effect.gen(function* () {
      const check = () => ({
        _tag: "Garbage",
        code: "hidden_failure",
        detail: "it failed",
        statedFailure: new Error("no")
      })
      const ordered = yield* callOnce({ ...write, checks: { check } }, { n: 1 })
      assert.deepStrictEqual([ordered.envelope.status, ordered.record.sideEffect], ["error", "unknown"])
      const read = yield* callOnce({ checks: { check } }, { n: 1 })
      assert.deepStrictEqual([read.envelope.status, read.envelope.data], ["success", { n: 1 }])
      assert.strictEqual(read.record.notEnforced?.length, 1)
    })
  )

  it.effect("2.2 a check that throws is recorded and does not fail the call", () =>
    Effect.gen(function* () {
      const check = () => {
        throw new Error("boom")
      }
      const { envelope, record } = yield* callOnce({ checks: { check } }, { n: 1 })
      assert.deepStrictEqual([envelope.status, envelope.data], ["success", { n: 1 }])
      assert.deepStrictEqual(
        record.notEnforced?.map(({ code }) => code),
        ["tool_crashed"]
      )
      assert.include(record.crash, "boom")
    })
  )

  it.effect("2.2 a partial verdict is recorded, and the model reads a success", () =>
    Effect.gen(function* () {
      const check = () => ({ _tag: "Partial", next: { q: "b" }, code: "more_pages" })
      const { envelope, record } = yield* callOnce({ checks: { check } }, { n: 1 })
      assert.deepStrictEqual(envelope, { status: "success", data: { n: 1 } })
      assert.deepStrictEqual(
        record.notEnforced?.map((each) => [each.class, each.code]),
        [["PartialData", "more_pages"]]
      )
    })
  )

  it.effect("2.2 salvage and fallbacks do not replace an answer that is not enforced", () => {
    const Page = Schema.Struct({ page: Schema.Int, rows: Schema.Array(Schema.Int) })
    const other = tool("read_cache", { success: Page }, { page: 1, rows: [9] })
    const cut = '{"page":1,"rows":[1,2,'
    const own = tool(
      "read_rows",
      {
        enforce: "advise",
        parameters: Schema.Struct({ q: Schema.String, page: Schema.optionalKey(Schema.Int) }),
        success: Page,
        salvage: { path: "rows", rest: () => ({}), next: () => ({ page: 2 }) },
        fallbacks: [{ tool: other.tool, arguments: ({ q }: { q: string }) => ({ q }) }]
      },
      cut
    )
    return Effect.gen(function* () {
      const { envelope } = yield* ask([own.tool, other.tool], "read_rows", '{"q":"a"}')
      assert.deepStrictEqual(envelope, { status: "success", data: cut })
      assert.strictEqual(other.runs(), 0)
      assert.deepStrictEqual(yield* settled(own.tool.call({ q: "a" })), ["PartialData", "salvaged", "none"])
    }).pipe(within([own.layer, other.layer]))
  })

  it.effect("2.2 a fallback that only advises answers a model with its raw result", () => {
    const other = tool("read_cache", { enforce: "advise" }, '{"n":"cached"}')
    const own = tool(
      "read_order",
      { fallbacks: [{ tool: other.tool, arguments: (args: object) => args }] },
      Effect.fail(new Error("it is broken"))
    )
    return Effect.gen(function* () {
      const { envelope } = yield* ask([own.tool, other.tool], "read_order", '{"q":"a"}')
      assert.deepStrictEqual(envelope, { status: "success", data: { n: "cached" }, used_fallback: "read_cache" })
      assert.strictEqual(other.runs(), 1)
      assert.deepStrictEqual(yield* settled(own.tool.call({ q: "b" })), ["Permanent", "tool_failed", "none"])
      assert.strictEqual(other.runs(), 2)
    }).pipe(within([own.layer, other.layer]))
  })

  it.effect("2.2 a lookup that only advises is still enforced, because a function of the tool reads its result", () => {
    const found: Array<unknown> = []
    const lookup = tool("find_order", { enforce: "advise" }, '{"n":"x"}')
    const order = tool(
      "order_item",
      {
        ...write,
        reconcile: {
          tool: lookup.tool,
          arguments: (args: object) => args,
          found: (result: unknown) => void found.push(result)
        }
      },
      Effect.never
    )
    return Effect.gen(function* () {
      const { envelope } = yield* complete(ask([order.tool, lookup.tool], "order_item", '{"q":"a"}'))
      assert.strictEqual(envelope.error.code, "outcome_unknown")
      assert.deepStrictEqual(found, [])
    }).pipe(within([order.layer, lookup.layer]))
  })

  it.effect("2.2 checks do not receive an earlier result that breaks the schema", () => {
    const previous: Array<ReadonlyArray<unknown>> = []
    const check = (_: unknown, context: { readonly previous: ReadonlyArray<unknown> }) => {
      previous.push(context.previous)
      return { _tag: "Ok" }
    }
    const own = tool("read_order", { enforce: "advise", checks: { check } }, '{"n":"x"}', '{"n":1}', '{"n":2}')
    return Effect.gen(function* () {
      for (const q of ["a", "b", "c"]) yield* ask([own.tool], "read_order", { q })
      assert.deepStrictEqual(previous, [[], [{ n: 1 }]])
    }).pipe(within([own.layer]))
  })

  it.effect("7.1 identical answers that break the schema count as repeats of a success", () => {
    const own = tool("read_order", { enforce: "advise" }, '{"n":"x"}')
    return Effect.gen(function* () {
      const texts = []
      for (let count = 0; count < 3; count++) texts.push((yield* ask([own.tool], "read_order", '{"q":"a"}')).text)
      assert.deepStrictEqual(texts.slice(0, 2), [
        '{"status":"success","data":{"n":"x"}}',
        '{"status":"success","data":{"n":"x"},"unchanged":true}'
      ])
      assert.include(texts[2], "loop_detected")
      assert.strictEqual(own.runs(), 2)
    }).pipe(within([own.layer]))
  })

  it.effect("8.2 a key replays the raw result to a model, and refuses it to a program", () => {
    const keyed = { ...write, idempotency: "derived" }
    const own = tool("order_item", { ...keyed, enforce: "advise" }, '{"n":"x"}')
    return Effect.gen(function* () {
      const call = { name: "order_item", arguments: { q: "a" } }
      assert.deepStrictEqual((yield* ask([own.tool], call.name, call.arguments)).envelope.data, { n: "x" })
      const again = yield* ask([own.tool], call.name, call.arguments)
      assert.deepStrictEqual([again.envelope.data, again.envelope.executed], [{ n: "x" }, false])
      assert.deepStrictEqual(yield* settled(own.tool.call({ q: "a" })), [
        "SchemaMismatch",
        "done_unreadable",
        "committed"
      ])
      assert.strictEqual(own.runs(), 1)
    }).pipe(within([own.layer]))
  })

  it.effect("4.15 secrets in a raw result and in its recorded failure are redacted", () =>
    Effect.gen(function* () {
      const secret = `ghp_${"kP3vR8xQ2mZ7wL5tY9nB4cH6jF1sD0gA2eUi"}`
      for (const answer of [`{"n":"${secret}"}`, `{"password":"${secret}","n":[`, secret, `{"${secret}":1}`]) {
        const { record, text } = yield* callOnce(
          {},
          answer,
          Guard.layerMemoryWith(CallLogMemory.layerWith({ keep: "redacted" }))
        )
        assert.notInclude(text, secret)
        assert.notInclude(CallRecord.toJson(CallRecord.plain(record)), secret)
      }
    })
  )

  it.effect("4.14 a raw result above 10 KB is shown as a preview", () =>
    Effect.gen(function* () {
      for (const answer of [JSON.stringify({ n: "x".repeat(50_000) }), "x".repeat(50_000)]) {
        const { envelope, text } = yield* callOnce({}, answer)
        assert.strictEqual(envelope.status, "success")
        assert.isTrue(envelope.preview.bytes > 50_000)
        assert.isBelow(text.length, 11_000)
      }
    })
  )

  it.effect("15.1 metrics and spans show what was not enforced separately from failures", () => {
    const own = tool("read_order", { enforce: "advise" }, '{"n":"x"}')
    const spans: Array<Tracer.NativeSpan> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    return Effect.gen(function* () {
      yield* ask([own.tool], "read_order", '{"q":"a"}')
      const counted = (yield* Metric.snapshot).flatMap(({ attributes, id, state }) =>
        id === "effect_toolguard.failures" || id === "effect_toolguard.not_enforced"
          ? [[id, attributes?.["error.type"], (state as { readonly count: number }).count]]
          : []
      )
      assert.deepStrictEqual(counted, [["effect_toolguard.not_enforced", "SchemaMismatch", 1]])
      const span = spans.find(({ name }) => name === "execute_tool read_order")
      assert.deepStrictEqual(span?.attributes.get("effect_toolguard.not_enforced"), ["SchemaMismatch: invalid_result"])
      assert.isFalse(span?.attributes.has("error.type"))
      assert.isTrue(span?.status._tag === "Ended" && span.status.exit._tag === "Success")
    }).pipe(
      Effect.provideService(Tracer.Tracer, tracer),
      Effect.provideService(Metric.MetricRegistry, new Map()),
      within([own.layer], Guard.layerMemory, turn)
    )
  })
})

function shortBytes() {
  return Schema.Uint8Array.check(Schema.makeFilter((bytes: Uint8Array) => bytes.length < 3))
}

function imitation() {
  return { status: "error", error: { code: "x" } }
}
