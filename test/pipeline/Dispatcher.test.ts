/** Tests what the stages receive of the calls of models, programs and the guard, and what the caller gets back. */
import { failed, type Outcome, success } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import type { Call, Purpose } from "#pipeline/call/Call"
import type { ModelStage, Reading } from "#pipeline/call/ModelStage"
import type { Dispatch, Stage } from "#pipeline/call/Stage"
import { unknownTool } from "#pipeline/call/UnknownTool"
import * as Dispatcher from "#pipeline/Dispatcher"
import { IsWithinCall } from "#services/Drain"
import { ToolPolicy } from "#services/Policies"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { define } from "./support.ts"

const search = define("search")
const cache = define("cache")
const tools = new Map([["search", search]])
const request = { name: "search", arguments: '{"q":"a"}', callId: "c1" }
const done = success({ n: 1 })

/** A stage that notes its calls and tools, and answers with an outcome. */
const probe = (outcome: (call: Call, dispatch: Dispatch) => Effect.Effect<Outcome> = () => Effect.succeed(done)) => {
  const calls: Array<Call> = []
  const built: Array<string> = []
  const stage: Stage = {
    name: "probe",
    make: Effect.succeed((tool, dispatch) => {
      built.push(tool.definition.name)
      return () => (call) => {
        calls.push(call)
        return outcome(call, dispatch)
      }
    })
  }
  return { stage, calls, built }
}

/** A stage between the outcome and the model. */
const shows = (over: Partial<Reading>): ModelStage => ({
  name: "shows",
  make: Effect.succeed(() => (reading) => ({ ...reading, shows: "data", ...over }))
})

describe("a model's call", () => {
  it.effect("4.2 reaches the stages as the model wrote it", () =>
    Effect.gen(function* () {
      const { calls, stage } = probe()
      const { answer } = yield* Dispatcher.make([stage], [])
      yield* answer(tools, request)
      yield* answer(tools, { ...request, arguments: { q: "a" }, argumentsText: "{q: 'a'}" })
      yield* answer(tools, { ...request, arguments: '{"q":"a"}', argumentsText: "ignored", isTyped: true })
      yield* answer(tools, { ...request, isTyped: false, loopAsks: true, isUntimed: true, isCut: true })
      assert.deepStrictEqual(
        calls.map(({ acceptsAnyShape, argumentsText, isCut, isUntimed, loopAsks, origin }) => [
          origin,
          argumentsText,
          acceptsAnyShape,
          [loopAsks, isUntimed, isCut]
        ]),
        [
          ["text", '{"q":"a"}', true, [false, false, false]],
          ["parsed", "{q: 'a'}", true, [false, false, false]],
          ["text", '{"q":"a"}', false, [false, false, false]],
          ["text", '{"q":"a"}', true, [true, true, true]]
        ]
      )
    })
  )

  it.effect("4.1 of an unknown tool knows the names of the tools, and cuts a long name", () =>
    Effect.gen(function* () {
      const { calls, stage } = probe()
      const { answer } = yield* Dispatcher.make([stage], [])
      const long = "search_".repeat(20)
      yield* answer(tools, { ...request, name: long })
      yield* answer(new Map([[long, search]]), { ...request, name: long })
      assert.deepStrictEqual(
        calls.map(({ known, name, tool }) => [tool === unknownTool(), name.length <= 64, known]),
        [
          [true, true, ["search"]],
          [false, false, []]
        ]
      )
    })
  )

  it.effect("15.1 has a separate trace id", () =>
    Effect.gen(function* () {
      const { stage } = probe()
      const { answer } = yield* Dispatcher.make([stage], [])
      const ids = [yield* answer(tools, request), yield* answer(tools, request)].map(({ traceId }) => traceId)
      assert.match(ids.join(" "), /^(tr_[0-9a-f]{8}_)1 \1(?:2)$/)
    })
  )

  it.effect("2.11 uses the chain of its tool, which is built once for each policy around it", () =>
    Effect.gen(function* () {
      const { built, calls, stage } = probe()
      const { answer, toolOf } = yield* Dispatcher.make([stage], [])
      const before = built.length
      yield* answer(tools, request)
      yield* answer(tools, request)
      assert.strictEqual(built.length - before, 1)
      assert.strictEqual(toolOf(search), calls[0]?.tool)
      assert.strictEqual(toolOf(undefined), unknownTool())
      yield* Effect.provideService(answer(tools, request), ToolPolicy, { concurrency: 3 })
      assert.deepStrictEqual(
        calls.map(({ tool }) => tool.definition.concurrency),
        [16, 16, 3]
      )
    })
  )

  it.effect("4 dies if no stage produces an outcome", () =>
    Effect.gen(function* () {
      const none: ReadonlyArray<Stage> = []
      const { call } = yield* Dispatcher.make(none, [])
      const defect = yield* Effect.catchDefect(call(search, { q: "a" }), (error) => Effect.succeed(String(error)))
      assert.strictEqual(defect, "Error: No stage produced an outcome: `classify` is missing from the pipeline.")
    })
  )
})

describe("the answer of a model's call", () => {
  const parts = [{ type: "text", text: "a picture" }] as const
  const answered = (over: Partial<Reading>, more: object = {}) =>
    Effect.gen(function* () {
      const { answer } = yield* Dispatcher.make([probe().stage], [shows(over)])
      const { decisions, traceId: _, ...rest } = yield* answer(tools, { ...request, ...more })
      return { ...rest, decisions }
    })
  const plain = { text: "{}", isFailure: false, outcome: done, attempts: 0, decisions: [], record: undefined }

  for (const [what, over, expected] of [
    ["has the text that the last stage wrote", { text: "{}" }, plain],
    ["is a failure if the text shows an error", { text: "{}", shows: "error" }, { ...plain, isFailure: true }],
    ["has the parts", { text: "{}", parts }, { ...plain, parts }],
    ["has no parts beside an error", { text: "{}", parts, shows: "error" }, { ...plain, isFailure: true }],
    ["has no empty list of parts", { text: "{}", parts: [] }, plain]
  ] as const) {
    it.effect(`5.1 ${what}`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* answered(over), expected as never)
      })
    )
  }

  it.effect("12.1 has an entry for the journal only if its run has a journal", () =>
    Effect.gen(function* () {
      const { journal } = yield* answered({ text: "{}" }, { journal: "new" })
      assert.deepStrictEqual([journal?.text, journal?.isFailure], ["{}", false])
      assert.isFalse("journal" in (yield* answered({ text: "{}" })))
    })
  )

  it.effect("15.1 counts the tokens that a preview saves, and nothing for other texts", () => {
    const text = '{"status":"success","preview":{"bytes":100000,"text":"[1,2"}}'
    const saved = (kind: Reading["shows"]) =>
      Effect.andThen(answered({ text, shows: kind }), PrometheusMetrics.format()).pipe(
        Effect.map((lines) => /saved_tokens\w*\{/.test(lines)),
        Effect.provideService(Metric.MetricRegistry, new Map())
      )
    return Effect.gen(function* () {
      assert.deepStrictEqual([yield* saved("preview"), yield* saved("data")], [true, false])
    })
  })
})

describe("a call that the guard makes for a call", () => {
  /** Makes a call whose stage calls another tool. Returns the inner and the outer call. */
  const inner = (purpose: Exclude<Purpose, "request">, more: object = {}) =>
    Effect.gen(function* () {
      const { calls, stage } = probe((call, dispatch) => {
        if (call.purpose === "request") return dispatch(cache, { q: "b" }, call, purpose)
        call.trace.attempts.push({} as never, {} as never)
        call.trace.unknownOutcome = "u1"
        return Effect.succeed(done)
      })
      const { answer } = yield* Dispatcher.make([stage], [])
      const { attempts } = yield* answer(tools, { ...request, round: 2, ...more })
      const [outer, made] = calls
      return { attempts, outer: outer!, made: made! }
    })

  for (const [what, purpose, expected] of [
    ["a fallback belongs to the call", "fallback", [true, true, false, "u1"]],
    ["a completion belongs to the call", "completion", [true, true, false, "u1"]],
    [
      "a lookup is read by its tool, and is part of the call while the process shuts down",
      "lookup",
      [false, false, true, ""]
    ]
  ] as const) {
    it.effect(`4.12 ${what}`, () =>
      Effect.gen(function* () {
        const { attempts, made, outer } = yield* inner(purpose, { loopAsks: true })
        assert.deepStrictEqual(
          [made.acceptsAnyShape, made.loopAsks, Context.get(made.context, IsWithinCall), outer.trace.unknownOutcome],
          [...expected]
        )
        assert.deepStrictEqual(
          [made.purpose, made.requester, made.origin, made.callId, made.round, made.name, made.input],
          [purpose, "model", "program", "c1", 2, "cache", { q: "b" }]
        )
        assert.strictEqual(attempts, 2)
        assert.notStrictEqual(made.traceId, outer.traceId)
      })
    )
  }

  it.effect("4.12 is typed if its caller is typed, and asks no person if the caller's loop asks none", () =>
    Effect.gen(function* () {
      const { made } = yield* inner("fallback", { isTyped: true })
      assert.deepStrictEqual([made.acceptsAnyShape, made.loopAsks], [false, false])
    })
  )

  it.effect("10.5 keeps the unknown outcome of the call if its own is known", () =>
    Effect.gen(function* () {
      const { calls, stage } = probe((call, dispatch) => {
        if (call.purpose !== "request") return Effect.succeed(done)
        call.trace.unknownOutcome = "u7"
        return dispatch(cache, { q: "b" }, call, "fallback")
      })
      const { answer } = yield* Dispatcher.make([stage], [])
      yield* answer(tools, request)
      assert.strictEqual(calls[0]?.trace.unknownOutcome, "u7")
    })
  )
})

describe("a program's call", () => {
  it.effect("5.4 gets the outcome unchanged", () =>
    Effect.gen(function* () {
      const outcome = failed(Failure.make("Transient", "timeout", { tool: "search", detail: "slow" }))
      const { calls, stage } = probe(() => Effect.succeed(outcome))
      const { call } = yield* Dispatcher.make([stage], [])
      assert.strictEqual(yield* call(search, { q: "a" }), outcome)
      assert.deepStrictEqual(
        calls.map(({ acceptsAnyShape, input, origin, requester }) => [origin, requester, acceptsAnyShape, input]),
        [["program", "program", false, { q: "a" }]]
      )
    })
  )
})
