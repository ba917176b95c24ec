import { Guard } from "#src/guard/Guard"
import * as CallLogMemory from "#layers/CallLogMemory"
import { CallLog } from "#services/CallLog"
import { failed, type Outcome, success } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import type { Call } from "#pipeline/call/Call"
import * as Trace from "#pipeline/call/Trace"
import { reconcile } from "#pipeline/stages/reconcile"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import { alone, ask, complete, define, handled, response, scripted, settled, tool, within } from "../support.ts"

const unknown = ["HumanReview", "outcome_unknown", "unknown"]
const coded = (code: string) => Effect.fail(Object.assign(new Error(code), { code }))

describe("reconcile", () => {
  /** Creates a write and the lookup that reports whether the action was done. */
  const pair = (answers: ReadonlyArray<unknown>, lookups: ReadonlyArray<unknown>, over: object = {}) => {
    const find = tool(
      "find_it",
      { success: Schema.Struct({ found: Schema.Array(Schema.Int) }), retry: { attempts: 1 } },
      ...lookups
    )
    const write = tool(
      "write_it",
      {
        access: "write",
        retry: { attempts: 3, jitter: "none" },
        reconcile: {
          tool: find.tool,
          arguments: (args: { q: string }, key: string) => ({ q: `${args.q}/${key}` }),
          found: (result: { found: ReadonlyArray<number> }) =>
            Option.map(Option.fromUndefinedOr(result.found[0]), (n) => ({ n }))
        },
        ...over
      },
      ...answers
    )
    return { find, write, run: within([find.layer, write.layer]) }
  }
  const absent = { found: [] }

  it.effect("3.3 if the lookup finds the action, it is done, and the lookup's answer is its result", () => {
    const { find, run, write } = pair([coded("ECONNRESET")], [{ found: [7] }])
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete(settled(write.tool.call({ q: "a" }))), { n: 7 })
      assert.deepStrictEqual([write.runs(), find.runs()], [1, 1])
    }).pipe(run)
  })

  it.effect("3.3 if the lookup does not find the action, a transient failure is retried", () => {
    const { find, run, write } = pair([coded("ECONNRESET"), Effect.never, { n: 3 }], [absent])
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete(settled(write.tool.call({ q: "a" }))), { n: 3 })
      assert.deepStrictEqual([write.runs(), find.runs()], [3, 2])
    }).pipe(run)
  })

  it.effect("3.3, 11.1 lookups count as attempts of their call", () => {
    const { find, run, write } = pair([coded("ECONNRESET"), { n: 3 }], [absent])
    return Effect.gen(function* () {
      const { attempts } = yield* complete(ask([write.tool], "write_it", '{"q":"a"}'))
      assert.deepStrictEqual([write.runs(), find.runs(), attempts], [2, 1, 3])
    }).pipe(run)
  })

  it.effect("3.3 if the lookup does not find the action after the last attempt, the failure has no side effect", () => {
    const { run, write } = pair([coded("ECONNRESET")], [absent])
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete(settled(write.tool.call({ q: "a" }))), [
        "Transient",
        "connection_lost",
        "none"
      ])
      assert.strictEqual(write.runs(), 3)
    }).pipe(run)
  })

  it.effect(
    "3.3 if the lookup does not find the action, a failure that is not transient keeps its class and is not retried",
    () => {
      const crash = pair([Effect.die(new Error("boom"))], [absent])
      const page = pair([response(200, "<html></html>")], [absent])
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* complete(settled(crash.write.tool.call({ q: "a" }))).pipe(crash.run), [
          "Permanent",
          "tool_crashed",
          "none"
        ])
        assert.deepStrictEqual(yield* complete(settled(page.write.tool.call({ q: "a" }))).pipe(page.run), [
          "SchemaMismatch",
          "unexpected_content",
          "none"
        ])
        assert.deepStrictEqual([crash.write.runs(), page.write.runs()], [1, 1])
      })
    }
  )

  it.effect("3.3 a lookup that fails leaves the outcome unknown", () => {
    const { run, write } = pair([coded("ECONNRESET"), { n: 1 }], [coded("ECONNREFUSED")])
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete(settled(write.tool.call({ q: "a" }))), unknown)
      assert.strictEqual(write.runs(), 1)
    }).pipe(run)
  })

  for (const [what, over] of [
    [
      "arguments",
      {
        arguments: () => {
          throw new Error("boom")
        }
      }
    ],
    [
      "found",
      {
        found: () => {
          throw new Error("boom")
        }
      }
    ]
  ] as const) {
    it.effect(`3.3 a reconcile whose ${what} throws leaves the outcome unknown, and the call does not crash`, () => {
      const find = tool("find_it", {}, { n: 1 })
      const write = tool(
        "write_it",
        {
          access: "write",
          idempotency: "derived",
          reconcile: { tool: find.tool, arguments: ({ q }: { q: string }) => ({ q }), found: Option.some, ...over }
        },
        coded("ECONNRESET")
      )
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* complete(settled(write.tool.call({ q: "a" }))), unknown)
        // the key stays claimed, and the next call does not wait
        assert.deepStrictEqual(yield* complete(settled(write.tool.call({ q: "a" }))), unknown)
        assert.strictEqual(write.runs(), 1)
      }).pipe(within([find.layer, write.layer]))
    })
  }

  it.effect("3.3 after a failure without a side effect there is no lookup", () => {
    const { find, run, write } = pair([coded("ECONNREFUSED"), { n: 1 }], [absent])
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete(settled(write.tool.call({ q: "a" }))), { n: 1 })
      assert.strictEqual(find.runs(), 0)
    }).pipe(run)
  })

  it.effect("3.3 the lookup receives the arguments and the key of the action", () => {
    const { find, run, write } = pair([coded("ECONNRESET")], [{ found: [1] }], { idempotency: "derived" })
    return Effect.gen(function* () {
      yield* complete(settled(write.tool.call({ q: "a" })))
      assert.strictEqual(find.calls[0]?.args.q, `a/${write.calls[0]?.context.idempotencyKey}`)
    }).pipe(run)
  })

  it.effect("3.3 the lookup is a guarded call with a separate record", () => {
    const { find, write } = pair([coded("ECONNRESET")], [{ found: [1] }])
    return Effect.gen(function* () {
      yield* complete(settled(write.tool.call({ q: "a" })))
      const records = yield* (yield* CallLog).records
      assert.deepStrictEqual(
        records.map(({ decisions, tool }) => [tool, decisions.map(({ decision, stage }) => `${stage} ${decision}`)]),
        [
          ["find_it", []],
          ["write_it", ["classify side effect unknown", "reconcile committed"]]
        ]
      )
    }).pipe(within([find.layer, write.layer], Guard.layerMemoryWith(CallLogMemory.layer)))
  })

  it.effect("4.7 lookups are not limited by a budget", () => {
    const find = define("find_it", {
      success: Schema.Struct({ found: Schema.Array(Schema.Int) }),
      budget: 1,
      retry: { attempts: 1 }
    })
    const lookup = scripted({ found: [] })
    const write = tool(
      "write_it",
      {
        access: "write",
        retry: { attempts: 4, jitter: "none" },
        deadline: "1 hour",
        reconcile: { tool: find, arguments: ({ q }: { q: string }) => ({ q }), found: () => Option.none() }
      },
      coded("ECONNRESET")
    )
    return Effect.gen(function* () {
      yield* complete(settled(write.tool.call({ q: "a" })))
      assert.deepStrictEqual([write.runs(), lookup.runs()], [4, 4])
    }).pipe(within([write.layer, handled(find, lookup.handler)]))
  })
})
describe("reconcile: when the lookup runs, and what it changes", () => {
  const find = define("find_it", { success: Schema.Struct({ found: Schema.Array(Schema.Int) }) })
  const lookup = {
    tool: find,
    arguments: ({ q }: { readonly q: string }) => ({ q }),
    found: ({ found }: { readonly found: ReadonlyArray<number> }) =>
      Option.map(Option.fromUndefinedOr(found[0]), (n) => ({ n }))
  }
  const write = define("write_it", { access: "write", reconcile: lookup })
  const failure = (sideEffect: Failure.SideEffect) =>
    failed(Failure.make("Permanent", "odd", { detail: "d", hint: "h", sideEffect, tool: "write_it", traceId: "trace" }))
  const running = { isAnswered: false, isRunning: () => true }
  const ended = { isAnswered: false, isRunning: () => false }

  /** Runs the stage on the outcome of an attempt. Returns the outcome that it passed on. */
  const passed = (outcome: Outcome, answer: Outcome, over: Partial<Call> = {}, ran = 0) =>
    Effect.gen(function* () {
      const trace = Object.assign(Trace.make(undefined), { running: ran })
      let lookups = 0
      const stage = yield* alone(reconcile, write, undefined, () =>
        Effect.sync(() => {
          lookups++
          return answer
        })
      )
      yield* stage.run({ ...over, outcome, trace })
      const decisions = trace.decisions.map(({ decision, reason, stage }) => `${stage} ${decision}: ${reason}`)
      return { outcome: stage.passed[0]?.outcome, decisions, lookups }
    })
  const nothing = success({ found: [] })
  const absent = (outcome: ReturnType<typeof failure>) => ({
    ...outcome,
    failure: Failure.make(outcome.failure._tag as "Permanent", outcome.failure.code, {
      ...outcome.failure,
      sideEffect: "none"
    }),
    isAbsent: true as const
  })

  for (const [what, outcome, doubt] of [
    ["success", success({ n: 1 }), ended],
    ["committed failure", failure("committed"), ended],
    ["failure that did nothing", failure("none"), undefined]
  ] as const) {
    it.effect(`3.3 after a ${what} there is no lookup`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* passed(outcome, nothing, { doubt }), { outcome, decisions: [], lookups: 0 })
      })
    )
  }

  for (const [what, outcome, doubt] of [
    ["an unknown effect", failure("unknown"), undefined],
    ["a failure that did nothing, after an attempt with an unknown effect", failure("none"), ended]
  ] as const) {
    it.effect(`3.3 after ${what} the lookup decides`, () =>
      Effect.gen(function* () {
        const found = yield* passed(outcome, success({ found: [7] }), { doubt })
        assert.deepStrictEqual(found, {
          outcome: success({ n: 7 }),
          decisions: ["reconcile committed: find_it found the effect"],
          lookups: 1
        })
        const missing = yield* passed(outcome, nothing, { doubt })
        assert.deepStrictEqual(missing.decisions, ["reconcile absent: find_it found no effect"])
        assert.deepStrictEqual(missing.outcome, absent(outcome))
        const failing = yield* passed(outcome, failure("none"), { doubt })
        assert.deepStrictEqual(failing, {
          outcome,
          decisions: ["reconcile unknown: find_it failed: odd"],
          lookups: 1
        })
      })
    )
  }

  for (const [what, ran, doubt] of [
    ["this call", 1, undefined],
    ["an earlier call", 0, running]
  ] as const) {
    it.effect(`3.3 while a handler of ${what} runs, a lookup that finds nothing proves nothing`, () =>
      Effect.gen(function* () {
        const outcome = failure("unknown")
        assert.deepStrictEqual(yield* passed(outcome, nothing, { doubt }, ran), {
          outcome,
          decisions: ["reconcile unknown: nothing was found yet, but the handler has not ended"],
          lookups: 1
        })
      })
    )
  }

  it.effect("3.3 a tool without a lookup has no such stage", () =>
    Effect.gen(function* () {
      const stage = yield* alone(reconcile, define("write_it", { access: "write" }))
      const outcome = failure("unknown")
      yield* stage.run({ outcome })
      assert.deepStrictEqual(stage.passed[0]?.outcome, outcome)
    })
  )
})
