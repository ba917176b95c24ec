/**
 * Tests exports and replays of the guard's own records: their outcomes are used unchanged, and never classified again.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import { type CallRecord, plain, toJson } from "#domain/call/CallRecord"
import { entityId } from "#domain/schema/EntityId"
import * as Verdict from "#domain/tool/Verdict"
import { explain } from "#kit/explain/Explain"
import * as Sequence from "#kit/golden/Sequence"
import * as InferredContracts from "#kit/replay/InferredContracts"
import * as Replay from "#kit/replay/Replay"
import * as Fold from "#kit/report/Fold"
import type { Conversation } from "#kit/traffic/Conversation"
import * as CallRecords from "#kit/traffic/formats/CallRecords"
import * as CallLogMemory from "#layers/CallLogMemory"
import * as EscalationScripted from "#layers/EscalationScripted"
import { CallLog } from "#services/CallLog"
import { Guard } from "#src/guard/Guard"
import * as Shadow from "#src/guard/Shadow"
import { assertAgreement } from "../report/agreement.ts"
import { visibleTextOf } from "../report/markup.ts"
import { page } from "#kit/report/html/Page"
import { ask, complete, start, tool, turn, within } from "../../pipeline/support.ts"

const once = { retry: { attempts: 1 }, circuit: false } as const
const write = { access: "write", circuit: false } as const
const Text = Schema.Struct({ text: Schema.String })

/** Creates tools whose answers the text classifier would misread, or whose failures it cannot recognise. */
const tools = () => ({
  weather: tool("weather", once, "<!doctype html><html><title>Sign in</title><p>Please log in</p></html>"),
  report: tool("report", { ...once, success: Text }, { text: "Error: 403 Forbidden, access denied" }),
  remove: tool("remove", { ...write, success: Schema.Void }, Effect.void),
  rows: tool(
    "rows",
    { ...once, checks: { page: () => Verdict.partial({ next: { q: "page 2" } }) } },
    { n: 1 },
    { n: 2 }
  ),
  judge: tool(
    "judge",
    { ...once, checks: { sums: () => Verdict.garbage({ code: "sum_is_wrong", detail: "The sum is wrong." }) } },
    { n: 1 }
  ),
  flaky: tool("flaky", { retry: { attempts: 2, base: 1 }, circuit: false }, Effect.fail({ status: 503 }), { n: 1 }),
  crash: tool("crash", once, Effect.die(new TypeError("boom at the handler"))),
  pay: tool("pay", write, Effect.die(new Error("it broke midway"))),
  refund: tool("refund", { ...write, approval: "confirm" }, { n: 1 }),
  order: tool("order", { ...once, parameters: Schema.Struct({ id: Schema.String }) }, Effect.fail({ status: 404 }))
})

/** Makes calls with a live guard, and returns what its log holds. */
const recorded = (made: ReturnType<typeof tools>) =>
  Effect.gen(function* () {
    const all = Object.values(made)
    const box = all.map(({ tool }) => tool)
    const call = (round: number, name: string, args: unknown) =>
      complete(ask(box, name, args, { round, callId: `c${round}` }))
    yield* call(1, "weather", '{ "q": "Bern" }')
    yield* call(2, "weather", '{"q":7}')
    yield* call(3, "weather", '{"q": "Bern"}')
    yield* call(4, "weather", "{broken")
    yield* call(5, "wether", '{"q":"Bern"}')
    yield* call(6, "report", '{"q":"a"}')
    yield* call(7, "report", '{"q":"a"}')
    yield* call(8, "report", '{"q":"a"}')
    yield* call(9, "remove", '{"q":"a"}')
    yield* call(10, "rows", '{"q":"a"}')
    yield* call(11, "judge", '{"q":"a"}')
    yield* call(12, "flaky", '{"q":"a"}')
    yield* call(13, "crash", '{"q":"a"}')
    yield* call(14, "pay", '{"q":"a"}')
    yield* call(15, "refund", '{"q":"a"}')
    yield* call(16, "order", '{"id":"O-1"}')
    yield* call(17, "report", '{"q":"b"}')
    yield* call(18, "weather", `{ "q": "${"x".repeat(1_000_000)}" }`)
    yield* call(19, "weather", { q: 8 })
    return yield* (yield* CallLog).records
  }).pipe(
    within(
      Object.values(made).map(({ layer }) => layer),
      Guard.layerMemoryWith(
        Layer.merge(CallLogMemory.layerWith({ keep: "redacted" }), EscalationScripted.layer(["deny", "deny"]))
      )
    )
  )

const codes = [
  "unexpected_content",
  "invalid_arguments",
  "unexpected_content",
  "invalid_json",
  "unknown_tool",
  "Success",
  "Success",
  "loop_detected",
  "Success",
  "incomplete_result",
  "sum_is_wrong",
  "Success",
  "tool_crashed",
  "outcome_unknown",
  "approval_denied",
  "not_found",
  "Success",
  "arguments_too_large",
  "invalid_arguments"
]

const exported = (records: ReadonlyArray<CallRecord>): Conversation => {
  const reader = CallRecords.reader()
  const place = { file: "calls.jsonl", line: 1 }
  const items = [...records.flatMap((record) => reader.read(JSON.parse(toJson(record)), place)), ...reader.end()]
  const [only] = items
  if (items.length !== 1 || only?._tag !== "Conversation") return assert.fail(JSON.stringify(items))
  return only
}

const replayed = (conversation: Conversation, options: Replay.ReplayOptions = {}) =>
  Effect.scoped(Effect.map(Replay.make(options), (replay) => replay.play(conversation)))

/** Returns the fields of a record that a replay reproduces: all but results and causes. */
const reproducedFields = (record: CallRecord) => {
  const { argumentsText, attempts, crash, decisions, outcome, resultDigest, sideEffect, tool, usedFallback } =
    plain(record)
  const failure = outcome._tag === "Failure" ? { ...outcome.failure, cause: "", data: "", traceId: "" } : "Success"
  return {
    tool,
    argumentsText,
    attempts,
    crash,
    decisions,
    outcome: failure,
    resultDigest,
    sideEffect,
    usedFallback
  }
}

describe("replay of the guard's own records", () => {
  for (const guard of ["shadow", "advise"] as const) {
    it.effect(
      `13.1 records of ${guard} report what was not enforced, which results violate a schema, and when a person would be informed`,
      () => {
        const definition = { ...once, ...(guard === "advise" ? { enforce: "advise" } : {}) }
        const own = tool("read_order", definition, ({ q }: { readonly q: string }) =>
          Effect.succeed(Number(q) % 4 === 0 ? '{"n":null}' : { n: 1 })
        )
        const log = CallLogMemory.layerWith({ keep: "redacted" })
        const layer = guard === "shadow" ? Shadow.layerWith(log) : Guard.layerMemoryWith(log)
        return Effect.gen(function* () {
          const conversation = yield* Effect.gen(function* () {
            for (let q = 0; q < 20; q++) yield* ask([own.tool], "read_order", { q: String(q) }, { callId: `c${q}` })
            return exported(yield* (yield* CallLog).records)
          }).pipe(within([own.layer], layer))
          const fold = Fold.make({ redact: (text) => text })
          const played = yield* replayed(conversation, { tools: new Map([["read_order", own.tool]]) })
          fold.add(conversation, played)
          const report = fold.report()
          const { alarms, failures, rejected, totals } = report
          assertAgreement(report)
          const shown = visibleTextOf(page(report))
          for (const part of ["Not enforced: 5", "4 of the last 13", "n: Schema.NullOr(Schema.Int)"])
            assert.include(shown, part)
          assert.deepStrictEqual([totals.succeeded, totals.failed, totals.notEnforced], [20, 0, 5])
          assert.deepStrictEqual(failures, [])
          assert.deepStrictEqual(
            rejected.map(({ count, part, path, suggestion }) => [part, path, count, suggestion._tag]),
            [["result", "n", 5, "nullable"]]
          )
          assert.deepStrictEqual(
            alarms.shown.map(({ answers, broken, call, proposed, watched }) => [
              call,
              answers,
              broken,
              watched,
              proposed
            ]),
            [[13, 13, 4, 13, "n: Schema.NullOr(Schema.Int)"]]
          )
          const [first] = played.calls
          const context = { name: "c0", arguments: "{}", issues: [], earlier: [], isSuspect: false }
          const explained = explain(first!.record, context)
          assert.deepStrictEqual(
            [explained.verdict, explained.notEnforced],
            [
              "passed",
              [
                "SchemaMismatch invalid_result: The answer of read_order violates its contract: n: expected integer, got null"
              ]
            ]
          )
        })
      }
    )
  }

  for (const withTools of [false, true]) {
    it.effect(`15.2 every call ends as its record says, ${withTools ? "with" : "without"} the tools`, () =>
      Effect.gen(function* () {
        const made = tools()
        const records = yield* recorded(made)
        assert.deepStrictEqual(
          records.map(({ outcome }) => (outcome._tag === "Failure" ? outcome.failure.code : "Success")),
          codes
        )
        const box = new Map(Object.values(made).map(({ tool }) => [tool.toolName, tool]))
        const { calls } = yield* replayed(exported(records), withTools ? { tools: box } : {})
        assert.deepStrictEqual(
          calls.map(({ record }) => reproducedFields(record)),
          records.map(reproducedFields)
        )
        assert.deepStrictEqual(
          calls.filter(({ contradiction }) => contradiction !== undefined),
          []
        )
      })
    )
  }

  it.effect("3.5, 13.1 a declared refusal is reported separately from failures, and explained as a refusal", () =>
    Effect.gen(function* () {
      const OutOfStock = Schema.TaggedStruct("OutOfStock", { sku: Schema.String })
      const order = tool(
        "order",
        { ...write, refusals: [OutOfStock] },
        Effect.fail(OutOfStock.make({ sku: "A-1" })),
        Effect.fail({ status: 404 })
      )
      const records = yield* Effect.gen(function* () {
        yield* complete(ask([order.tool], "order", '{"q":"a"}', { round: 1, callId: "a" }))
        yield* complete(ask([order.tool], "order", '{"q":"b"}', { round: 2, callId: "b" }))
        return yield* (yield* CallLog).records
      }).pipe(within([order.layer], Guard.layerMemoryWith(CallLogMemory.layerWith({ keep: "redacted" }))))
      const conversation = exported(records)
      const played = yield* replayed(conversation)
      const fold = Fold.make({ redact: (text) => text })
      fold.add(conversation, played)
      const { declared, failures, repair, totals } = fold.report()
      assert.deepStrictEqual([totals.failed, totals.declared, totals.succeeded], [1, 1, 0])
      assert.deepStrictEqual(
        declared.map(({ code, count, tool }) => [tool, code, count]),
        [["order", "out_of_stock", 1]]
      )
      assert.deepStrictEqual(
        failures.map(({ code, count }) => [code, count]),
        [["not_found", 1]]
      )
      assert.strictEqual(
        repair.reduce((sum, row) => sum + row.failures, 0),
        1
      )
      const { failure, verdict, why, wouldPass } = explain(played.calls[0]!.record, {
        name: "1",
        arguments: "",
        issues: [],
        earlier: [],
        isSuspect: false
      })
      assert.deepStrictEqual(
        { verdict, why, wouldPass, meaning: failure?.meaning },
        {
          verdict: "declined",
          why: "order was called, but refused the action and did nothing: Out of stock: sku A-1.",
          wouldPass: "other arguments, or a change to the state that made the tool refuse",
          meaning: "A refusal that the tool declares."
        }
      )
    })
  )

  it.effect("15.2 report, repair table and explanation agree with the record, not with the words of the failure", () =>
    Effect.gen(function* () {
      const weather = tool("weather", once, "<!doctype html><title>Sign in</title>", { n: 1 })
      const refund = tool("refund", { ...write, concurrency: 1 }, Effect.never)
      const records = yield* Effect.gen(function* () {
        yield* complete(ask([weather.tool], "weather", '{"q":"Bern"}', { round: 1, callId: "a" }))
        yield* complete(ask([weather.tool], "weather", '{"q":"Basel"}', { round: 2, callId: "b" }))
        const running = yield* start(ask([refund.tool], "refund", '{"q":"a"}', { round: 3, callId: "c" }))
        const waiting = yield* start(ask([refund.tool], "refund", '{"q":"b"}', { round: 3, callId: "d" }))
        for (const fiber of [waiting, running]) yield* Fiber.interrupt(fiber)
        return yield* (yield* CallLog).records
      }).pipe(
        within([weather.layer, refund.layer], Guard.layerMemoryWith(CallLogMemory.layerWith({ keep: "redacted" })))
      )
      const conversation = exported(records)
      for (const options of [
        {},
        { tools: new Map([weather.tool, refund.tool].map((tool) => [tool.toolName, tool])) }
      ]) {
        const played = yield* replayed(conversation, options)
        const fold = Fold.make({ redact: (text) => text })
        fold.add(conversation, played)
        const { failures, refused, repair, totals } = fold.report()
        assert.deepStrictEqual(
          failures.map(({ class: tag, code, tool }) => [tool, tag, code]),
          [
            ["refund", "HumanReview", "outcome_unknown"],
            ["refund", "Transient", "interrupted"],
            ["weather", "SchemaMismatch", "unexpected_content"]
          ]
        )
        assert.deepStrictEqual(
          repair.map(({ class: tag, failures, repaired, tool }) => [tool, tag, failures, repaired]),
          [
            ["refund", "HumanReview", 1, 0],
            ["refund", "Transient", 1, 0],
            ["weather", "SchemaMismatch", 1, 1]
          ]
        )
        assert.deepStrictEqual([totals.succeeded, totals.failed, totals.unanswered, refused], [1, 3, 0, []])
        const context = { name: "", arguments: "", issues: [], earlier: [], isSuspect: false }
        const explained = (record: CallRecord) => {
          const { conversation: _, failure, turn: _turn, ...rest } = explain(record, context)
          return { ...rest, failure }
        }
        assert.deepStrictEqual(
          played.calls.map(({ record }) => explained(record)),
          records.map(explained)
        )
      }
    })
  )

  it.effect("15.2 golden files and inferred contracts take the end of a call from its record", () =>
    Effect.gen(function* () {
      const records = yield* recorded(tools())
      const failed = Sequence.of(exported(records)).flatMap((round) => round.map(({ hasFailed }) => hasFailed))
      assert.deepStrictEqual(
        failed,
        codes.map((code) => code !== "Success" && code !== "incomplete_result")
      )
      const report = records.find(({ tool }) => tool === "report")
      if (report === undefined) return assert.fail("report was not recorded")
      const contracts = InferredContracts.make()
      for (let n = 0; n < 20; n++) contracts.add(exported([{ ...report, conversation: `c${n}` }]))
      assert.deepStrictEqual([...contracts.schemas().keys()], ["report"])
    })
  )

  it.effect("13.1 results that a guard passed on without enforcing `success` are validated by the current tool", () =>
    Effect.gen(function* () {
      const Named = Schema.Struct({ name: Schema.String })
      const answers = [{ name: "A" }, { name: null }, { name: "B" }, { name: null, n: 1 }, "not JSON"]
      const people = tool("people", { ...once, success: Named, enforce: "advise" }, ...answers)
      const records = yield* Effect.gen(function* () {
        for (const [round] of answers.entries()) {
          yield* complete(ask([people.tool], "people", `{"q":"${round}"}`, { round: round + 1, callId: `c${round}` }))
        }
        return yield* (yield* CallLog).records
      }).pipe(within([people.layer], Guard.layerMemoryWith(CallLogMemory.layerWith({ keep: "full" }))))
      const conversation = exported(records)
      const fold = Fold.make({ redact: (text) => text })
      fold.add(conversation, yield* replayed(conversation, { tools: new Map([["people", people.tool]]) }))
      const report = fold.report()
      assertAgreement(report)
      assert.deepStrictEqual(
        report.rejected.map(({ count, path, problem, suggestion }) => [path, problem, count, suggestion._tag]),
        [
          ["name", "expected string, got null", 2, "nullable"],
          ["(whole)", "plain text", 1, "keep"]
        ]
      )
      assert.deepStrictEqual(report.results, [
        { tool: "people", checked: 5, rejected: 3, enforced: 0, failed: 0, passes: 2 }
      ])
      assert.deepInclude(report.totals, { succeeded: 5, failed: 0 })
      assert.deepStrictEqual(
        fold.rejectedTools().map(({ groups, tool: name }) => [name, groups.length]),
        [["people", 2]]
      )
    })
  )

  it.effect("15.2 the contract of the current tool validates the recorded arguments of a refused call", () =>
    Effect.gen(function* () {
      const made = tools()
      const conversation = exported(yield* recorded(made))
      const fold = Fold.make({ redact: (text) => text })
      fold.add(conversation, yield* replayed(conversation, { tools: new Map([["weather", made.weather.tool]]) }))
      assert.deepStrictEqual(
        fold.report().rejected.map(({ examples, path, problem, tool }) => [tool, path, problem, examples[0]?.sent]),
        [
          ["weather", "q", "expected string, got number", "7"],
          ["weather", "(whole)", "recorded without its value", "(nothing)"]
        ]
      )
    })
  )

  it.effect("15.2 refused calls spend no budget, and fallbacks, replayed keys and seen ids stay as recorded", () => {
    const order = Schema.String.pipe(entityId())
    const spare = tool("spare", once, { n: 2 })
    const search = tool(
      "search",
      { ...once, budget: 2, fallbacks: [{ tool: spare.tool, arguments: (args: object) => args }] },
      Effect.die("boom")
    )
    const send = tool("send", { ...write, idempotency: "derived", parameters: Schema.Struct({ q: order }) }, { n: 3 })
    const all = [search, send, spare]
    const box = all.map(({ tool }) => tool)
    return Effect.gen(function* () {
      const call = (round: number, name: string, args: string) =>
        complete(ask(box, name, args, { round, callId: `c${round}` }))
      yield* call(1, "search", '{"q":1}')
      yield* call(2, "search", '{"q":2}')
      yield* call(3, "search", '{"q":"a"}')
      yield* call(4, "send", '{"q":"O-77"}')
      yield* call(5, "send", '{"q":"O-77"}')
      yield* call(6, "send", '{"q":"O-99"}')
      const records = yield* (yield* CallLog).records
      const conversation = exported(records)
      assert.deepStrictEqual(
        records.map(({ outcome, tool }) => [tool, outcome._tag === "Failure" ? outcome.failure.code : outcome._tag]),
        [
          ["search", "invalid_arguments"],
          ["search", "invalid_arguments"],
          ["spare", "Success"],
          ["search", "Success"],
          ["send", "Success"],
          ["send", "Success"],
          ["send", "unseen_id"]
        ]
      )
      for (const options of [{}, { tools: new Map(box.map((tool) => [tool.toolName, tool])) }]) {
        const { calls } = yield* replayed(conversation, options)
        assert.deepStrictEqual(
          calls.map(({ record }) => reproducedFields(record)),
          records.map(reproducedFields)
        )
        assert.isTrue(calls.every(({ contradiction }) => contradiction === undefined))
      }
    }).pipe(
      (made) => Guard.turn(made, { ...turn, texts: ["Send O-77"] }),
      Effect.provide([
        Guard.layerMemoryWith(CallLogMemory.layerWith({ keep: "full" })),
        ...all.map(({ layer }) => layer)
      ])
    ) as Effect.Effect<void>
  })
})
