/** [3.5] Tests what the guard does with the refusals that a tool declares. */
import * as CallLogMemory from "#layers/CallLogMemory"
import * as EscalationScripted from "#layers/EscalationScripted"
import * as CallTally from "#domain/call/CallTally"
import * as Shadow from "#src/guard/Shadow"
import * as CallRecord from "#domain/call/CallRecord"
import * as Pipeline from "#pipeline/Pipeline"
import { CallLog, type Keep } from "#services/CallLog"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Metric, Result, Schema, Tracer } from "effect"
import { PrometheusMetrics } from "effect/observability"
import * as Failure from "#domain/failure/Failure"
import { done, nothingDone, unknown } from "#domain/failure/StatedEffect"
import { ask, complete, outside, response, settled, tool, within } from "./support.ts"

class OutOfStock extends Schema.TaggedError<OutOfStock>()("OutOfStock", {
  sku: Schema.String,
  available: Schema.Int,
  back_on: Schema.optionalKey(Schema.DateTimeUtc)
}) {}
class TicketClosed extends Schema.TaggedError<TicketClosed>("app/TicketClosed")("TicketClosed", {
  id: Schema.String
}) {
  override get message() {
    return `Ticket ${this.id} is already closed.`
  }
}

const refusals = [OutOfStock, TicketClosed]
const stock = (available = 2) => new OutOfStock({ sku: "A-1", available })
const closed = new TicketClosed({ id: "T-7" })

/** Creates a write that declares both refusals, with a scripted handler. */
const order = (definition: object, ...answers: ReadonlyArray<unknown>) =>
  tool("order_item", { access: "write", refusals, ...definition }, ...answers)

/** An ordinary permanent failure of the handler, without a side effect. */
const broken = Failure.ofCode("tool_failed", { tool: "order_item", detail: "Broken." })

describe("declared refusals of a typed call", () => {
  it.effect("3.5 a program catches the error itself by its own tag; Permanent does not catch it", () => {
    const error = stock()
    const { layer, tool } = order({}, Effect.fail(error))
    return Effect.gen(function* () {
      const call = tool.call({ q: "a" }) as Effect.Effect<unknown, OutOfStock | Failure.Permanent, any>
      assert.strictEqual(yield* Effect.flip(call), error)
      assert.strictEqual(
        yield* call.pipe(
          Effect.catchTag("Permanent", () => Effect.succeed("permanent")),
          Effect.catchTag("OutOfStock", ({ available }) => Effect.succeed(available))
        ),
        2
      )
    }).pipe(within([layer]))
  })

  it.effect("3.5 a refusal whose message or field throws when it is read is a refusal: nothing was done", () => {
    class Hostile extends Schema.TaggedError<Hostile>()("Hostile", { id: Schema.String }) {
      override get message(): string {
        throw new Error("no message")
      }
    }
    const broken = Object.defineProperty(new OutOfStock({ sku: "A-1", available: 0 }), "sku", {
      get: () => {
        throw new Error("no sku")
      }
    })
    return Effect.forEach([new Hostile({ id: "7" }), broken], (error) => {
      const { layer, tool } = order({ refusals: [Hostile, OutOfStock] }, Effect.fail(error))
      return Effect.map(ask([tool], "order_item", { q: "a" }), ({ envelope }) => envelope.error).pipe(within([layer]))
    }).pipe(
      Effect.map((errors) =>
        assert.deepStrictEqual(
          errors.map(({ code, message, side_effect }) => [code, message, side_effect]),
          [
            ["hostile", "Hostile: id 7.", "none"],
            ["out_of_stock", "Out of stock.", "none"]
          ]
        )
      )
    )
  })

  it.effect("3.5 hidden characters in the message of a refusal are shown by their number, once", () => {
    class Shown extends Schema.TaggedError<Shown>()("Shown", { message: Schema.String }) {}
    const { layer, tool } = order(
      { refusals: [Shown] },
      Effect.fail(new Shown({ message: "Closed \u202e by Ann\n and Ben" }))
    )
    return Effect.gen(function* () {
      const { envelope } = yield* ask([tool], "order_item", { q: "a" })
      assert.strictEqual(envelope.error.message, "Closed [U+202E] by Ann and Ben")
      assert.isFalse(JSON.stringify(envelope).includes("\u202e"))
    }).pipe(within([layer]))
  })

  it.effect(
    "3.5 a refusal is recognised as a failure, as a thrown error, in a rejected promise, and as decoded JSON",
    () => {
      const encoded = { _tag: "OutOfStock", sku: "A-1", available: 2, back_on: "2026-01-01T00:00:00.000Z" }
      const ways: ReadonlyArray<unknown> = [
        Effect.fail(closed),
        Effect.die(closed),
        () => {
          throw closed
        },
        Effect.map(Effect.void, () => {
          throw closed
        }),
        Effect.tryPromise(() => Promise.reject(closed)),
        Effect.fail(nothingDone(closed)),
        Effect.fail(encoded)
      ]
      return Effect.forEach(ways, (way) => {
        const { layer, tool } = order({}, way)
        return Effect.flip(tool.call({ q: "a" })).pipe(within([layer]))
      }).pipe(
        Effect.map((errors) => {
          assert.deepStrictEqual(
            errors.slice(0, 6),
            Array.from({ length: 6 }, () => closed)
          )
          assert.instanceOf(errors[6], OutOfStock)
          assert.strictEqual(String((errors[6] as OutOfStock).back_on), "DateTime.Utc(2026-01-01T00:00:00.000Z)")
        })
      )
    }
  )

  it.effect(
    "3.5 another error, a value without the fields, and a refusal alongside a crash are classified as usual",
    () => {
      class Undeclared extends Schema.TaggedError<Undeclared>()("Undeclared", {}) {}
      const both = Cause.fromReasons([
        ...(Cause.fail(closed) as Cause.Cause<unknown>).reasons,
        ...Cause.die(new TypeError("x is undefined")).reasons
      ])
      const ways: ReadonlyArray<unknown> = [
        Effect.fail(new Undeclared()),
        Effect.fail({ _tag: "OutOfStock", sku: "A-1" }),
        Effect.die({ _tag: "OutOfStock", sku: "A-1", available: 2 }),
        Effect.failCause(both),
        Effect.failCause(Cause.fromReasons([...Cause.fail(closed).reasons, ...Cause.interrupt(1).reasons])),
        Effect.fail(done(closed)),
        Effect.fail(unknown(closed))
      ]
      return Effect.forEach(ways, (way) => {
        const { layer, tool } = order({}, way)
        return settled(tool.call({ q: "a" })).pipe(within([layer]))
      }).pipe(
        Effect.map((outcomes) => {
          assert.deepStrictEqual(outcomes, [
            ["Permanent", "tool_failed", "unknown"],
            ["Permanent", "tool_failed", "unknown"],
            ["HumanReview", "outcome_unknown", "unknown"],
            ["HumanReview", "outcome_unknown", "unknown"],
            ["HumanReview", "outcome_unknown", "unknown"],
            ["Permanent", "wrong_state", "committed"],
            ["Permanent", "wrong_state", "unknown"]
          ])
        })
      )
    }
  )

  it.effect(
    "3.3 an error that a declared refusal caused, two causes deep, is an error of a handler that did nothing",
    () => {
      const enclosed = (error: unknown) => new Error("x", { cause: new Error("y", { cause: error }) })
      const ways = [enclosed(closed), enclosed(new Error("z")), enclosed(done(closed))]
      return Effect.forEach(ways, (way) => {
        const { layer, tool } = order({}, Effect.fail(way))
        return settled(tool.call({ q: "a" })).pipe(within([layer]))
      }).pipe(
        Effect.map((outcomes) => {
          assert.deepStrictEqual(outcomes, [
            ["Permanent", "wrong_state", "none"],
            ["Permanent", "tool_failed", "unknown"],
            ["Permanent", "wrong_state", "committed"]
          ])
        })
      )
    }
  )

  it("3.5 the failure schema of the tool encodes and decodes refusals and failures", () => {
    const { tool } = order({})
    const encode = Schema.encodeUnknownSync(tool.failureSchema)
    const decode = Schema.decodeUnknownSync(tool.failureSchema)
    const failure = Failure.ofCode("not_found", { tool: "order_item", detail: "No such item." })
    assert.deepStrictEqual(encode(closed), { _tag: "TicketClosed", id: "T-7" })
    for (const error of [stock(), closed, failure]) {
      assert.deepStrictEqual(decode(JSON.parse(JSON.stringify(encode(error)))), error)
    }
  })
})

describe("declared refusals that a model reads", () => {
  it.effect("3.5 a model reads the code, the message, the fields, and that nothing was done", () => {
    const { layer, tool } = order({}, Effect.fail(closed), Effect.fail(stock()))
    return Effect.gen(function* () {
      const first = yield* ask([tool], "order_item", '{"q":"a"}')
      assert.deepStrictEqual(
        { ...first.envelope.error, trace_id: "" },
        {
          error_class: "permanent",
          code: "ticket_closed",
          message: "Ticket T-7 is already closed.",
          hint: "Nothing was done. Choose another way, or tell the user why it was refused.",
          next_step: "use_other_tool",
          details: { id: "T-7" },
          side_effect: "none",
          retryable: false,
          trace_id: ""
        }
      )
      const { code, details, message } = (yield* ask([tool], "order_item", '{"q":"b"}')).envelope.error
      assert.deepStrictEqual(
        { code, message, details },
        {
          code: "out_of_stock",
          message: "Out of stock: sku A-1, available 2.",
          details: { sku: "A-1", available: 2 }
        }
      )
    }).pipe(within([layer]))
  })

  it.effect("3.5 a refusal that is declared as ToolArgError asks for other arguments, with its own hint", () => {
    const { layer, tool } = order(
      { refusals: [{ error: TicketClosed, as: "ToolArgError", hint: "Name an open ticket." }] },
      Effect.fail(closed)
    )
    return Effect.gen(function* () {
      const { envelope } = yield* ask([tool], "order_item", '{"q":"a"}')
      const { code, error_class, hint, next_step } = envelope.error
      assert.deepStrictEqual(
        [error_class, code, hint, next_step],
        ["tool_arg_error", "ticket_closed", "Name an open ticket.", "fix_arguments"]
      )
    }).pipe(within([layer]))
  })

  it.effect("5.5 an error with large fields has at most 600 characters, and says how much was left out", () => {
    const Large = Schema.TaggedStruct("TooMany", {
      text: Schema.String,
      items: Schema.Array(Schema.String),
      count: Schema.Int
    })
    const items = Array.from({ length: 400 }, (_, i) => `item ${i}`)
    const { layer, tool } = order(
      { refusals: [Large] },
      Effect.fail(Large.make({ text: "long ".repeat(300), items, count: 400 }))
    )
    return Effect.gen(function* () {
      const { envelope } = yield* ask([tool], "order_item", '{"q":"a"}')
      assert.isAtMost(JSON.stringify(envelope.error).length, 600)
      const { count, items, text } = envelope.error.details
      assert.deepStrictEqual([count, items], [400, "array of 400"])
      assert.match(text, /^long long .*…$/)
    }).pipe(within([layer]))
  })

  it.effect("4.15 secrets and host paths in the fields of a refusal reach neither the model nor the record", () => {
    const Locked = Schema.TaggedStruct("Locked", { by: Schema.String, password: Schema.String, file: Schema.String })
    const password = "hunter2-correct-horse"
    const { layer, tool } = order(
      { refusals: [Locked] },
      Effect.fail(Locked.make({ by: "ghp_0123456789abcdefghijABCDEFGHIJ012345", password, file: "/home/app/src/lock" }))
    )
    return Effect.gen(function* () {
      const { text } = yield* ask([tool], "order_item", '{"q":"a"}')
      for (const secret of ["ghp_0123", password, "/home/app"]) assert.notInclude(text, secret)
      const [record] = yield* Effect.flatMap(CallLog, (log) => log.records)
      for (const secret of ["ghp_0123", password]) assert.notInclude(JSON.stringify(record?.outcome), secret)
    }).pipe(within([layer], Guard.layerMemoryWith(CallLogMemory.layer)))
  })

  it.effect("4.6 the identical call is answered from memory until another write makes progress", () => {
    const { layer, runs, tool: own } = order({}, Effect.fail(closed))
    const other = tool("open_ticket", { access: "write" }, { n: 1 })
    return Effect.gen(function* () {
      yield* ask([own, other.tool], "order_item", '{"q":"a"}', { callId: "1" })
      const again = yield* ask([own, other.tool], "order_item", '{"q":"a"}', { callId: "2" })
      assert.deepStrictEqual(
        [runs(), again.envelope.error.message],
        [
          1,
          "You already made this identical call; it was refused and will be refused again. Ticket T-7 is already closed."
        ]
      )
      yield* ask([own, other.tool], "open_ticket", '{"q":"a"}', { callId: "3" })
      yield* ask([own, other.tool], "order_item", '{"q":"a"}', { callId: "4" })
      assert.strictEqual(runs(), 2)
    }).pipe(within([layer, other.layer]))
  })
})

describe("declared refusals as outcomes", () => {
  it.effect("3.5 a critical tool's refusal notifies no person, and no fallback is tried", () => {
    const backup = tool("backup", { access: "write" }, { n: 2 })
    const { layer, tool: own } = order(
      { critical: true, fallbacks: [{ tool: backup.tool, arguments: (args: unknown) => args }] },
      Effect.fail(stock()),
      Effect.fail(broken)
    )
    return Effect.gen(function* () {
      const { informed } = yield* EscalationScripted.EscalationTranscript
      assert.instanceOf(yield* Effect.flip(own.call({ q: "a" })), OutOfStock)
      assert.deepStrictEqual([backup.runs(), informed.length], [0, 0])
      // an ordinary permanent failure of the same tool has both
      assert.deepStrictEqual(yield* own.call({ q: "b" }), { n: 2 })
      assert.strictEqual(backup.runs(), 1)
    }).pipe(within([layer, backup.layer], Guard.layerMemoryWith(EscalationScripted.layer([]))))
  })

  it.effect("3.5 a critical tool's ordinary permanent failure notifies a person, and its refusal does not", () => {
    const { layer, tool: own } = order({ critical: true }, Effect.fail(stock()), Effect.fail(broken))
    return Effect.gen(function* () {
      const { informed } = yield* EscalationScripted.EscalationTranscript
      yield* settled(own.call({ q: "a" }))
      assert.strictEqual(informed.length, 0)
      yield* settled(own.call({ q: "b" }))
      assert.strictEqual(informed.length, 1)
    }).pipe(within([layer], Guard.layerMemoryWith(EscalationScripted.layer([]))))
  })

  it.effect("4.12 the refusal of a fallback ends the call, and is caught by its own tag", () => {
    const second = order({}, Effect.fail(closed))
    const third = tool("third", { access: "write" }, { n: 3 })
    const first = tool(
      "first",
      {
        access: "write",
        fallbacks: [second.tool, third.tool].map((tool) => ({ tool, arguments: (args: unknown) => args }))
      },
      Effect.fail(broken)
    )
    return Effect.gen(function* () {
      assert.strictEqual(yield* Effect.flip(first.tool.call({ q: "a" })), closed)
      assert.strictEqual(third.runs(), 0)
      assert.deepStrictEqual(Schema.encodeUnknownSync(first.tool.failureSchema)(closed), {
        _tag: "TicketClosed",
        id: "T-7"
      })
    }).pipe(within([first.layer, second.layer, third.layer]))
  })

  it.effect("4.11 refusals neither open the circuit nor are retried", () => {
    const {
      layer,
      runs,
      tool: own
    } = order({ access: "read", circuit: { minimum: 2 }, retry: { attempts: 3 } }, Effect.fail(stock()))
    return Effect.gen(function* () {
      for (const q of ["a", "b", "c", "d", "e"]) assert.instanceOf(yield* Effect.flip(own.call({ q })), OutOfStock)
      assert.strictEqual(runs(), 5)
    }).pipe(outside([layer]))
  })

  it.effect(
    "3.3 a refusal after an attempt without an answer proves nothing, because that attempt may have done the action",
    () => {
      const keyed = { mode: "derived", upstreamHonoursKey: true }
      const {
        layer,
        runs,
        tool: own
      } = order({ idempotency: keyed, retry: { attempts: 2, base: "1 millis" } }, response(503), Effect.fail(closed))
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* complete(settled(own.call({ q: "a" }))), [
          "HumanReview",
          "outcome_unknown",
          "unknown"
        ])
        assert.strictEqual(runs(), 2)
      }).pipe(within([layer]))
    }
  )

  it.effect("13.1 the shadow guard passes a refusal on, and records that it would not change the refusal", () => {
    const { layer, tool: own } = order({ critical: true }, Effect.fail(closed))
    return Effect.gen(function* () {
      assert.strictEqual(yield* Effect.flip(own.call({ q: "a" })), closed)
      const { envelope } = yield* ask([own], "order_item", '{"q":"b"}')
      assert.deepStrictEqual([envelope.error.code, envelope.error.details], ["ticket_closed", { id: "T-7" }])
      const records = yield* Effect.flatMap(CallLog, (log) => log.records)
      assert.deepStrictEqual(
        records.map((record) => [
          CallTally.of(record).declared,
          record.decisions.some(({ decision }) => decision === "not enforced")
        ]),
        [
          ["ticket_closed", false],
          ["ticket_closed", false]
        ]
      )
    }).pipe(within([layer], Shadow.layerWith(CallLogMemory.layer)))
  })

  it.effect("4.7 a refused attempt spends no budget", () => {
    const { layer, runs, tool: own } = order({ budget: 1 }, Effect.fail(stock()), { n: 1 })
    const withoutRecall = Guard.layerOf(Pipeline.remove("recall")(Pipeline.stages)).pipe(Layer.provide(Guard.memory))
    return Effect.gen(function* () {
      assert.instanceOf(yield* Effect.flip(own.call({ q: "a" })), OutOfStock)
      assert.deepStrictEqual(yield* own.call({ q: "a" }), { n: 1 })
      assert.strictEqual(runs(), 2)
    }).pipe(within([layer], withoutRecall))
  })

  it.effect("8.2 the key of a refused action is released, so that the action can be made later", () => {
    const keyed = { idempotency: "derived" }
    const { layer, runs, tool: own } = order(keyed, Effect.fail(stock()), { n: 1 })
    const withoutRecall = Guard.layerOf(Pipeline.remove("recall")(Pipeline.stages)).pipe(Layer.provide(Guard.memory))
    return Effect.gen(function* () {
      assert.instanceOf(yield* Effect.flip(own.call({ q: "a" })), OutOfStock)
      assert.deepStrictEqual(yield* own.call({ q: "a" }), { n: 1 })
      assert.strictEqual(runs(), 2)
    }).pipe(within([layer], withoutRecall))
  })

  it.effect("8.2 a call that joins a refused action fails with the same refusal, decoded", () => {
    const {
      layer,
      runs,
      tool: own
    } = order({ idempotency: "derived" }, Effect.andThen(Effect.sleep("1 second"), Effect.fail(stock(7))))
    return Effect.gen(function* () {
      const both = yield* complete(
        Effect.all([Effect.flip(own.call({ q: "a" })), Effect.flip(own.call({ q: "a" }))], { concurrency: 2 })
      )
      assert.deepStrictEqual(both, [stock(7), stock(7)])
      assert.instanceOf(both[1], OutOfStock)
      assert.strictEqual(runs(), 1)
    }).pipe(within([layer]))
  })

  it.effect("7.1 refusals with different fields do not count as a repeated failure, and four equal refusals do", () => {
    const different = order({}, ({ q }: { readonly q: string }) =>
      Effect.fail(new OutOfStock({ sku: q, available: 0 }))
    )
    const equal = tool("close_ticket", { access: "write", refusals }, Effect.fail(closed))
    return Effect.gen(function* () {
      const hints: Array<ReadonlyArray<string>> = []
      for (const q of ["a", "b", "c", "d"]) {
        const one = yield* ask([different.tool, equal.tool], "order_item", { q }, { round: 1 })
        const other = yield* ask([different.tool, equal.tool], "close_ticket", { q }, { round: 1 })
        hints.push([one.envelope.error.hint, other.envelope.error.hint])
      }
      const usual = "Nothing was done. Choose another way, or tell the user why it was refused."
      assert.deepStrictEqual(
        hints.map(([one]) => one),
        [usual, usual, usual, usual]
      )
      assert.notStrictEqual(hints[3]?.[1], usual)
    }).pipe(within([different.layer, equal.layer]))
  })
})

describe("declared refusals in records", () => {
  it.effect(
    "15.1 declared refusals are counted by tool and code, separately from failures and from the guard's refusals",
    () => {
      const { layer, tool: own } = order({}, Effect.fail(stock()), Effect.fail(closed))
      return Effect.gen(function* () {
        const lines = (yield* Effect.andThen(
          Effect.all([settled(own.call({ q: "a" })), settled(own.call({ q: "b" }))]),
          PrometheusMetrics.format()
        ))
          .split("\n")
          .filter((line) => /^effect_toolguard_(declared_refusals|failures|refusals|calls)\{/.test(line))
        const of = (code: string) => `{gen_ai_tool_name="order_item",effect_toolguard_code="${code}"}`
        assert.deepStrictEqual(lines.toSorted(), [
          'effect_toolguard_calls{gen_ai_tool_name="order_item"} 2',
          `effect_toolguard_declared_refusals${of("out_of_stock")} 1`,
          `effect_toolguard_declared_refusals${of("ticket_closed")} 1`
        ])
      }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()), within([layer]))
    }
  )

  it.effect("15.1 the span of a refused call has no error, and has the code of the refusal", () => {
    const { layer, tool: own } = order({}, Effect.fail(closed))
    const spans: Array<Tracer.Span> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    return Effect.gen(function* () {
      yield* settled(own.call({ q: "a" })).pipe(Effect.provideService(Tracer.Tracer, tracer))
      const [span] = spans
      const attributes = Object.fromEntries(span?.attributes ?? [])
      assert.deepStrictEqual(
        [attributes["error.type"], attributes["effect_toolguard.code"]],
        [undefined, "ticket_closed"]
      )
      assert.isTrue(span?.status._tag === "Ended" && Exit.isSuccess(span.status.exit))
    }).pipe(within([layer]))
  })

  it.effect("15.2 the record has the fields, or only the tag if the log keeps no data", () => {
    const fixture = order({}, Effect.fail(closed))
    const kept = (keep: Keep) =>
      Effect.gen(function* () {
        yield* settled(fixture.tool.call({ q: "a" }))
        const [record] = yield* Effect.flatMap(CallLog, (log) => log.records)
        const text = CallRecord.toJson(record!)
        const read = Result.getOrThrow(CallRecord.fromJson(text))
        assert.deepStrictEqual(read.decisions, [
          { stage: "classify", decision: "refused", reason: "the tool declares TicketClosed" }
        ])
        return read.outcome._tag === "Failure" ? Failure.refusalOf(read.outcome.failure) : undefined
      }).pipe(within([fixture.layer], Guard.layerMemoryWith(CallLogMemory.layerWith({ keep }))))
    return Effect.gen(function* () {
      assert.deepStrictEqual(
        [yield* kept("full"), yield* kept("redacted"), yield* kept("none")],
        [{ _tag: "TicketClosed", id: "T-7" }, { _tag: "TicketClosed", id: "T-7" }, { _tag: "TicketClosed" }]
      )
    })
  })
})
