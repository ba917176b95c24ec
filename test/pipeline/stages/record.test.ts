import * as Verdict from "#domain/tool/Verdict"
import * as CallRecord from "#domain/call/CallRecord"
import * as CallTally from "#domain/call/CallTally"
import { Guard } from "#src/guard/Guard"
import * as Pipeline from "#pipeline/Pipeline"
import { TurnMemory } from "#services/TurnMemory"
import * as TurnMemoryMemory from "#layers/TurnMemoryMemory"
import { CallLog, type Keep } from "#services/CallLog"
import * as CallLogMemory from "#layers/CallLogMemory"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Layer, Logger, Option, Schema, Tracer } from "effect"
import { TestClock } from "effect/testing"
import { createHash } from "node:crypto"
import { ask, asked, complete, failureOf, outside, response, settled, start, tool, turn, within } from "../support.ts"

const guard = (keep: Keep = "full") => Guard.layerMemoryWith(CallLogMemory.layerWith({ keep }))
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
const records = Effect.flatMap(CallLog, (log) => log.records)
const password = "postgres://admin:hunter2-hunter2@db.internal/orders"

describe("record", () => {
  it.effect("4.17, 15.2 each call has one record with its arguments, decisions, attempts and outcome", () => {
    const search = tool(
      "search",
      { retry: { jitter: "none" } },
      Effect.delay(Effect.fail(Object.assign(new Error("refused"), { code: "ECONNREFUSED" })), "10 millis"),
      { n: 1 }
    )
    return Effect.gen(function* () {
      const { traceId } = yield* complete(ask([search.tool], "search", '{ "q": "a" }', { callId: "c1", round: 3 }))
      assert.deepStrictEqual(yield* records, [
        {
          tenant: turn.tenant,
          conversation: turn.conversation,
          turn: turn.turn,
          round: 3,
          callId: "c1",
          tool: "search",
          argumentsText: '{ "q": "a" }',
          arguments: { q: "a" },
          key: 'search {"q":"a"}',
          keyDigest: sha256('search {"q":"a"}'),
          startedAt: 0,
          durationMillis: 1_010,
          decisions: [],
          attempts: [
            { startedAt: 0, durationMillis: 10, outcome: "Transient", code: "connection_failed" },
            { startedAt: 1_010, durationMillis: 0, outcome: "Success" }
          ],
          outcome: { _tag: "Success", result: { n: 1 } },
          resultDigest: sha256('{"n":1}'),
          sideEffect: "none",
          traceId
        }
      ])
    }).pipe(within([search.layer], guard()))
  })

  it.effect("4.17 each refusal is recorded once", () => {
    const search = tool("search", {}, { n: 1 })
    return Effect.gen(function* () {
      yield* ask([search.tool], "search", "{bad")
      yield* ask([search.tool], "search", '{"q":1}')
      yield* ask([search.tool], "serch", "{}")
      const found = yield* records
      assert.deepStrictEqual(
        found.map(({ attempts, outcome, tool }) => [
          tool,
          outcome._tag === "Failure" ? outcome.failure.code : "success",
          attempts.length
        ]),
        [
          ["search", "invalid_json", 0],
          ["search", "invalid_arguments", 0],
          ["serch", "unknown_tool", 0]
        ]
      )
    }).pipe(within([search.layer], guard()))
  })

  it.effect("4.1 a long unknown name is cut in the record", () => {
    const search = tool("search", {}, { n: 1 })
    return Effect.gen(function* () {
      yield* ask([search.tool], "x".repeat(100_000), "{}")
      const [found] = yield* records
      assert.strictEqual(found?.tool, `${"x".repeat(63)}…`)
    }).pipe(within([search.layer], guard()))
  })

  it.effect("4.17 a turn memory that fails does not fail the call", () => {
    const search = tool("search", {}, { n: 1 })
    const broken = Layer.effect(
      TurnMemory,
      Effect.map(TurnMemory, (memory) => ({
        ...memory,
        modifyLoop: () => {
          throw new Error("no memory")
        }
      }))
    ).pipe(Layer.provide(TurnMemoryMemory.layer))
    const withoutLoop = Guard.layerOf(Pipeline.remove("loop")(Pipeline.stages)).pipe(
      Layer.provideMerge(Layer.mergeAll(broken, CallLogMemory.layer)),
      Layer.provide(Guard.memory)
    )
    return Effect.gen(function* () {
      const { envelope } = yield* ask([search.tool], "search", '{"q":"a"}')
      assert.strictEqual(envelope.status, "success")
      assert.lengthOf(yield* records, 1)
    }).pipe(within([search.layer], withoutLoop as Layer.Layer<any>))
  })

  it.effect("3.2, 15.2 a record is unchanged after encoding and decoding", () => {
    const dated = tool(
      "search",
      { success: Schema.Struct({ at: Schema.Date }), retry: { attempts: 1 } },
      { at: new Date(0) },
      Effect.fail(new TypeError("boom")),
      '{"at":5}'
    )
    return Effect.gen(function* () {
      for (const q of ["a", "b", "c"]) yield* settled(dated.tool.call({ q }))
      const codec = Schema.toCodecJson(CallRecord.CallRecord)
      for (const record of yield* records) {
        const text = JSON.stringify(Schema.encodeSync(codec)(record))
        const back = Schema.decodeSync(codec)(JSON.parse(text))
        assert.strictEqual(JSON.stringify(Schema.encodeSync(codec)(back)), text)
        if (record.outcome._tag === "Failure" && back.outcome._tag === "Failure") {
          assert.strictEqual(back.outcome.failure.constructor, record.outcome.failure.constructor)
        }
      }
      const [first] = yield* records
      assert.deepStrictEqual(first?.outcome, { _tag: "Success", result: { at: "1970-01-01T00:00:00.000Z" } })
    }).pipe(within([dated.layer], guard()))
  })

  it.effect("4.15 the record with the trace id contains the complete cause, without secrets", () => {
    const search = tool(
      "search",
      { retry: { attempts: 1 } },
      Effect.fail(new Error(`cannot connect to ${password}`, { cause: new Error(`inner ${password}`) }))
    )
    return Effect.gen(function* () {
      const failure = yield* failureOf(search.tool.call({ q: "a" }))
      const found = (yield* records).find(({ traceId }) => traceId === failure.traceId)
      if (found?.outcome._tag !== "Failure") return assert.fail("no recorded failure")
      const { cause } = found.outcome.failure
      if (!(cause instanceof Error)) return assert.fail("no recorded cause")
      assert.include(cause.message, "cannot connect to")
      assert.include(String(cause.stack), "record.test.ts")
      const text = JSON.stringify(Schema.encodeSync(CallRecord.CallRecord)(found)) + cause.stack + cause.message
      assert.notInclude(text, "hunter2")
    }).pipe(within([search.layer], guard()))
  })

  it.effect("15.1 `redacted` keeps arguments and results without secrets, and `none` keeps neither", () => {
    const search = tool("search", { success: Schema.Struct({ url: Schema.String }) }, { url: password })
    const text = JSON.stringify({ q: password })
    const held = (keep: Keep) =>
      Effect.gen(function* () {
        yield* ask([search.tool], "search", text)
        return (yield* records)[0]!
      }).pipe(within([search.layer], guard(keep)))
    return Effect.gen(function* () {
      const full = yield* held("full")
      assert.deepStrictEqual(full.arguments, { q: password })
      const redacted = yield* held("redacted")
      assert.notInclude(JSON.stringify([redacted.arguments, redacted.argumentsText, redacted.outcome]), "hunter2")
      assert.notInclude(JSON.stringify(redacted), "hunter2")
      assert.isDefined(redacted.arguments)
      const none = yield* held("none")
      assert.deepStrictEqual(
        ["argumentsText" in none, "arguments" in none, "key" in none, none.outcome],
        [false, false, false, { _tag: "Success" }]
      )
    })
  })

  it.effect("15.2 `keep` applies to the data of a page as to results, and to `next` as to arguments", () => {
    const rows = tool("rows", { checks: { page: () => Verdict.partial({ next: { q: `${password} 2` } }) } }, { n: 1 })
    const held = (keep: Keep) =>
      Effect.gen(function* () {
        yield* ask([rows.tool], "rows", '{"q":"a"}')
        const [record] = yield* records
        const line = JSON.parse(CallRecord.toJson(record!)).outcome.failure
        return { data: line.data, next: line.next, isPage: CallTally.of(record!).isPage }
      }).pipe(within([rows.layer], guard(keep)))
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* held("none"), { data: null, next: null, isPage: true })
      assert.deepStrictEqual(yield* held("full"), { data: { n: 1 }, next: { q: `${password} 2` }, isPage: true })
      const redacted = yield* held("redacted")
      assert.deepStrictEqual([redacted.data, redacted.isPage], [{ n: 1 }, true])
      assert.notInclude(JSON.stringify(redacted), "hunter2")
      assert.isString(redacted.next.q)
    })
  })

  it.effect("15.1 digests of values and texts are kept in every mode, inside and outside a turn", () => {
    const row = { id: "O-1", text: "x".repeat(100) }
    const rows = (count: number) => ({ rows: Array.from({ length: count }, () => row) })
    const success = Schema.Struct({ rows: Schema.Array(Schema.Struct({ id: Schema.String, text: Schema.String })) })
    const digestsOf = (keep: Keep, answer: unknown, around: typeof within) => {
      const search = tool("search", { success }, answer)
      return Effect.gen(function* () {
        yield* search.tool.call({ q: "a" })
        const [record] = yield* records
        return [record?.keyDigest, record?.resultDigest]
      }).pipe(around([search.layer], guard(keep)))
    }
    return Effect.gen(function* () {
      // the digest of a small result is computed when it is read, and the digest of a large result when it arrives
      for (const result of [rows(1), rows(1_000)]) {
        for (const answer of [result, JSON.stringify(result)]) {
          for (const around of [within, outside]) {
            for (const keep of ["none", "redacted", "full"] as const) {
              assert.deepStrictEqual(yield* digestsOf(keep, answer, around), [
                sha256('search {"q":"a"}'),
                sha256(JSON.stringify(result))
              ])
            }
          }
        }
      }
    })
  })

  it.effect("15.1 the digest of a large result is computed when the result arrives", () => {
    const rows = Array.from({ length: 2_000 }, (_, n) => `row ${n}`)
    const search = tool(
      "search",
      { success: Schema.Struct({ rows: Schema.Array(Schema.String) }) },
      { rows: [...rows] }
    )
    return Effect.gen(function* () {
      const result = (yield* search.tool.call({ q: "a" })) as unknown as { rows: Array<string> } // the test changes the result
      result.rows.length = 0
      const [record] = yield* records
      assert.strictEqual(record?.resultDigest, sha256(JSON.stringify({ rows })))
    }).pipe(outside([search.layer], guard("none")))
  })

  it.effect(
    "15.1 a failure has no result digest, and the key digest of invalid arguments is computed from their text",
    () => {
      const search = tool("search", {}, '{"n":"x"}')
      return Effect.gen(function* () {
        yield* ask([search.tool], "search", '{"q":"a"}')
        yield* ask([search.tool], "search", "{bad")
        yield* ask([search.tool], "search", "{worse")
        const [broken, bad, worse] = yield* records
        assert.deepStrictEqual(
          [broken?.keyDigest, bad?.keyDigest],
          [sha256('search {"q":"a"}'), sha256('search "{bad"')]
        )
        assert.notStrictEqual(worse?.keyDigest, bad?.keyDigest)
        assert.deepStrictEqual(
          [broken, bad, worse].map((record) => "resultDigest" in record!),
          [false, false, false]
        )
      }).pipe(within([search.layer], guard("none")))
    }
  )

  it.effect("15.1 a log that encodes records receives the digests", () => {
    const encoded: Array<any> = []
    const encode = Schema.encodeSync(Schema.toCodecJson(CallRecord.CallRecord))
    const search = tool("search", {}, { n: 1 })
    const log = Layer.succeed(CallLog, {
      keep: "none",
      append: (record) => void encoded.push(encode(record)),
      records: Effect.succeed([]),
      recordsOf: () => Effect.succeed([]),
      appendLate: () => {},
      lateOutcomes: Effect.succeed([])
    })
    return Effect.gen(function* () {
      yield* search.tool.call({ q: "a" })
      assert.deepStrictEqual(
        encoded.map(({ keyDigest, resultDigest }) => [keyDigest, resultDigest]),
        [[sha256('search {"q":"a"}'), sha256('{"n":1}')]]
      )
    }).pipe(outside([search.layer], Guard.layerMemoryWith(log)))
  })

  it.effect("15.1 `none` keeps no data of a partial result", () => {
    const search = tool(
      "search",
      { checks: { more: () => ({ _tag: "Partial", next: undefined, narrow: "Ask for less." }) } },
      { n: 1 }
    )
    return Effect.gen(function* () {
      yield* settled(search.tool.call({ q: "a" }))
      const [record] = yield* records
      const failure = record?.outcome._tag === "Failure" ? record.outcome.failure : undefined
      assert.strictEqual(failure?._tag, "PartialData")
      assert.isNull(failure?._tag === "PartialData" ? failure.data : "no partial result")
    }).pipe(within([search.layer], guard("none")))
  })

  it.effect("4.17 the side effect of a write that succeeded is committed", () => {
    const write = tool("write_it", { access: "write" }, { n: 1 })
    return Effect.gen(function* () {
      yield* write.tool.call({ q: "a" })
      assert.deepStrictEqual(
        (yield* records).map(({ sideEffect }) => sideEffect),
        ["committed"]
      )
    }).pipe(within([write.layer], guard()))
  })

  it.effect("4.17 an interrupted read is recorded as interrupted, and a started write as unknown", () => {
    const read = tool("search", {}, Effect.never)
    const write = tool("write_it", { access: "write", concurrency: 1 }, Effect.never)
    return Effect.gen(function* () {
      const reading = yield* start(read.tool.call({ q: "a" }))
      const writing = yield* start(write.tool.call({ q: "a" }))
      const waiting = yield* start(write.tool.call({ q: "b" }))
      for (const fiber of [reading, waiting, writing]) yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(
        (yield* records).map(({ outcome, sideEffect, tool }) => [
          tool,
          outcome._tag === "Failure" ? outcome.failure.code : "",
          sideEffect
        ]),
        [
          ["search", "interrupted", "none"],
          ["write_it", "interrupted", "none"],
          ["write_it", "outcome_unknown", "unknown"]
        ]
      )
    }).pipe(within([read.layer, write.layer], guard()))
  })

  it.effect("4.17 outside a turn each call is a separate conversation", () => {
    const search = tool("search", {}, { n: 1 })
    return Effect.gen(function* () {
      yield* search.tool.call({ q: "a" })
      yield* search.tool.call({ q: "a" })
      const found = yield* records
      assert.deepStrictEqual(
        found.map(({ conversation, traceId }) => conversation === traceId),
        [true, true]
      )
      assert.notStrictEqual(found[0]?.traceId, found[1]?.traceId)
    }).pipe(outside([search.layer], guard()))
  })

  it.effect("4.17 a log that throws does not fail the call", () => {
    const search = tool("search", {}, { n: 1 })
    const broken = Layer.succeed(CallLog, {
      keep: "full",
      append: () => {
        throw new Error("disk full")
      },
      records: Effect.succeed([]),
      recordsOf: () => Effect.succeed([]),
      appendLate: () => {},
      lateOutcomes: Effect.succeed([])
    })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* search.tool.call({ q: "a" }), { n: 1 })
    }).pipe(within([search.layer], Guard.layerMemoryWith(broken)))
  })

  it.effect("4.17 arguments that JSON cannot represent do not fail the record", () => {
    const cyclic: Record<string, unknown> = {}
    cyclic["self"] = cyclic
    const search = tool("search", {}, { n: 1 })
    return Effect.gen(function* () {
      for (const args of [cyclic, { q: 10n }, undefined, null, Symbol("x")]) {
        assert.deepStrictEqual(yield* settled(search.tool.call(args as never /* invalid on purpose */)), [
          "ToolArgError",
          "invalid_arguments",
          "none"
        ])
      }
      assert.strictEqual((yield* records).length, 5)
    }).pipe(within([search.layer], guard()))
  })
})

describe("record: the secrets of arguments", () => {
  const written = [
    '{"q":"a","pass\\u0077ord":"hunter2xyz"}',
    '{"q":"a","password":"pa\\"hunter2xyz"}',
    '{"q":"a","password":"a\\u0022hunter2xyz"}',
    '{"q":"a","password" \n : "hunter2xyz"}',
    '{"q":1,"password":"pa\\"hunter2xyz"}'
  ]
  for (const text of written) {
    it.effect(`15.2 are not in a redacted record: ${text}`, () => {
      const parameters = Schema.Struct({ q: Schema.String, password: Schema.optionalKey(Schema.String) })
      const search = tool("search", { parameters }, { n: 1 })
      return Effect.gen(function* () {
        yield* ask([search.tool], "search", text)
        const [record] = yield* records
        assert.include(record!.argumentsText, "[redacted]")
        assert.notInclude(CallRecord.toJson(record!), "hunter2")
      }).pipe(within([search.layer], guard("redacted")))
    })
  }
})

describe("record: crashes", () => {
  const crash = new TypeError(`cannot read ${password}`)
  const crashes: ReadonlyArray<readonly [name: string, definition: object, answer: unknown]> = [
    ["a handler that fails with a defect", {}, Effect.die(crash)],
    [
      "a handler that throws",
      {},
      () => {
        throw crash
      }
    ],
    ["a write that fails with a defect", { access: "write" }, Effect.die(crash)],
    ["a handler that fails with an error of a defect", {}, Effect.fail(crash)],
    [
      "a write whose promise rejects with an error of a defect",
      { access: "write" },
      Effect.tryPromise({ try: () => Promise.reject(crash), catch: () => crash })
    ],
    [
      "a check that throws",
      {
        checks: {
          judge: () => {
            throw crash
          }
        }
      },
      { n: 1 }
    ]
  ]
  for (const [name, definition, answer] of crashes) {
    it.effect(`2.5 the cause and stack of ${name} are in the log and in the record, redacted`, () => {
      const search = tool("search", definition, answer)
      const logs: Array<readonly [level: string, text: string]> = []
      const logger = Logger.make(({ logLevel, message }) => void logs.push([logLevel, String(message)]))
      return Effect.gen(function* () {
        yield* settled(search.tool.call({ q: "a" }))
        const [record] = yield* records
        assert.match(record!.crash ?? "", /^TypeError: cannot read .*\n {4}at .*record\.test\.ts/s)
        assert.notInclude(record!.crash, "hunter2")
        assert.deepStrictEqual(logs, [["Error", `search crashed (trace ${record!.traceId}): ${record!.crash}`]])
        assert.strictEqual(
          (yield* Effect.fromResult(CallRecord.fromJson(CallRecord.toJson(record!)))).crash,
          record!.crash
        )
      }).pipe(Effect.provide(Logger.layer([logger])), within([search.layer], guard()))
    })
  }

  it.effect("2.5 a defect whose fields throw leaves a record", () => {
    const odd = Object.defineProperty(new Error("odd"), "message", {
      get: () => {
        throw new Error("no message")
      }
    })
    const search = tool("search", {}, Effect.die(odd))
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(search.tool.call({ q: "a" })), ["Permanent", "tool_crashed", "none"])
      const [record] = yield* records
      assert.strictEqual(record?.crash, "a defect that cannot be printed")
    }).pipe(Effect.provide(Logger.layer([])), within([search.layer], guard()))
  })

  it.effect(
    "2.5 an ordinary error is not recorded as a crash, and a recorded crash has at most 4,000 characters",
    () => {
      const search = tool(
        "search",
        { retry: { attempts: 1 } },
        Effect.fail(new Error("no luck")),
        Effect.die(new Error("x".repeat(9_000)))
      )
      return Effect.gen(function* () {
        yield* settled(search.tool.call({ q: "a" }))
        yield* settled(search.tool.call({ q: "b" }))
        const [first, second] = yield* records
        assert.isUndefined(first!.crash)
        assert.strictEqual(second!.crash?.length, 4_000)
      }).pipe(Effect.provide(Logger.layer([])), within([search.layer], guard()))
    }
  )
})

describe("record: spans", () => {
  const tracer = (spans: Array<Tracer.Span>) =>
    Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })

  it.effect("4.17 with a tracer each call is one span, which contains no arguments and no results", () => {
    const search = tool("search", { retry: { attempts: 1 } }, { n: 77 }, response(503, ""))
    const spans: Array<Tracer.Span> = []
    return Effect.gen(function* () {
      const { traceId } = yield* ask([search.tool], "search", '{"q":"secret"}').pipe(
        Effect.provideService(Tracer.Tracer, tracer(spans))
      )
      yield* asked(search.tool, { q: "b" }).pipe(Effect.provideService(Tracer.Tracer, tracer(spans)))
      assert.deepStrictEqual(
        spans.map(({ name }) => name),
        ["execute_tool search", "execute_tool search"]
      )
      assert.deepStrictEqual(Object.fromEntries(spans[0]!.attributes), {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search",
        "gen_ai.tool.call.id": "call",
        "gen_ai.conversation.id": turn.conversation,
        "effect_toolguard.trace_id": traceId,
        "effect_toolguard.attempts": 1
      })
      const failed = Object.fromEntries(spans[1]!.attributes)
      assert.deepStrictEqual([failed["error.type"], failed["effect_toolguard.code"]], ["Transient", "unavailable"])
      assert.strictEqual(failed["effect_toolguard.budget.remaining"], 3)
      yield* ask([search.tool], "search", '{"q":1}').pipe(Effect.provideService(Tracer.Tracer, tracer(spans)))
      const refused = Object.fromEntries(spans[2]!.attributes)
      assert.deepStrictEqual(refused["effect_toolguard.decisions"], ["decodeArguments: refused"])
      assert.strictEqual(spans[0]!.status._tag, "Ended")
    }).pipe(within([search.layer], guard()))
  })

  it.effect("4.17 a handler's span is a child of the call's span", () => {
    const search = tool("search", {}, Effect.withSpan(Effect.succeed({ n: 1 }), "query"))
    const spans: Array<Tracer.Span> = []
    return Effect.gen(function* () {
      yield* search.tool.call({ q: "a" }).pipe(Effect.provideService(Tracer.Tracer, tracer(spans)))
      const [outer, inner] = spans
      assert.deepStrictEqual([outer?.name, inner?.name], ["execute_tool search", "query"])
      assert.strictEqual(inner === undefined ? undefined : Option.getOrUndefined(inner.parent)?.spanId, outer?.spanId)
    }).pipe(within([search.layer], guard()))
  })

  it.effect("15.1 the span of a failed call ends with the redacted failure, and a page is not an error", () => {
    const error = new Error(`no such host in ${password}`)
    const search = tool("search", { checks: { judge: () => Verdict.partial({ next: { q: "b" } }) } }, { n: 1 })
    const write = tool(
      "write",
      { access: "write" },
      () => Effect.fail(error),
      () => Effect.die(error)
    )
    const spans: Array<Tracer.Span> = []
    return Effect.gen(function* () {
      yield* settled(search.tool.call({ q: "a" }))
      yield* settled(write.tool.call({ q: "a" }))
      yield* settled(write.tool.call({ q: "b" }))
      const kept = yield* records
      const ends = spans.map(({ status }) => (status._tag === "Ended" ? status.exit : undefined))
      assert.deepStrictEqual(ends[0], Exit.void)
      assert.isFalse(spans[0]!.attributes.has("error.type"))
      for (const [index, type, code] of [
        [1, "Transient", "(connection_failed)"],
        [2, "HumanReview", "(outcome_unknown)"]
      ] as const) {
        const outcome = kept[index]!.outcome
        assert.deepStrictEqual(ends[index], outcome._tag === "Failure" ? Exit.fail(outcome.failure) : undefined)
        assert.strictEqual(spans[index]!.attributes.get("error.type"), type)
        const shown = Cause.pretty((ends[index] as Exit.Failure<void, unknown>).cause)
        assert.include(shown, code)
        assert.include(shown, "Error: no such host in ")
        assert.include(shown, "record.test.ts") // a line of the stack
        assert.notInclude(shown, "hunter2")
      }
    }).pipe(Effect.provideService(Tracer.Tracer, tracer(spans)), within([search.layer, write.layer], guard()))
  })

  it.effect("15.1 without a tracer there is no span", () => {
    const search = tool(
      "search",
      {},
      Effect.map(Effect.result(Effect.currentSpan), ({ _tag }) => ({ n: _tag === "Failure" ? 0 : 1 }))
    )
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* search.tool.call({ q: "a" }), { n: 0 })
      yield* TestClock.adjust("1 millis")
    }).pipe(within([search.layer], guard()))
  })
})
