import * as Failure from "#domain/failure/Failure"
import { ClassificationRules } from "#services/Policies"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { brief, failureOf, settled, tool, within } from "../support.ts"

const fields = { tool: "other_tool", detail: "No money left.", hint: "Ask for less.", traceId: "theirs" }

describe("classify: the guard's own failures", () => {
  const classes = {
    ToolArgError: Failure.ToolArgError,
    SchemaMismatch: Failure.SchemaMismatch,
    Transient: Failure.Transient,
    Resource: Failure.Resource,
    Permanent: Failure.Permanent,
    HumanReview: Failure.HumanReview
  }

  for (const [name, Class] of Object.entries(classes)) {
    it.effect(`2.5 a handler's ${name} is kept unchanged`, () => {
      const own = new Class({ ...fields, code: "insufficient_funds", sideEffect: "none", fields: ["cents"] })
      const search = tool("search", { retry: { attempts: 1 } }, Effect.fail(own))
      return Effect.gen(function* () {
        const failure = yield* failureOf(search.tool.call({ q: "a" }))
        assert.strictEqual(failure.constructor, Class)
        assert.deepStrictEqual(
          [...brief(failure), failure.detail, failure.hint, failure.fields],
          [name, "insufficient_funds", "none", "No money left.", "Ask for less.", ["cents"]]
        )
        // the failure has the tool and the trace id of this call
        assert.strictEqual(failure.tool, "search")
        assert.notStrictEqual(failure.traceId, "theirs")
      }).pipe(within([search.layer]))
    })
  }

  it.effect("2.5 the side effect of a handler's failure counts for a write, and is ignored for a read", () => {
    const failing = (sideEffect: Failure.SideEffect) =>
      Effect.fail(new Failure.Permanent({ ...fields, traceId: "", code: "refused", sideEffect }))
    return Effect.gen(function* () {
      for (const [access, said, expected] of [
        ["read", "unknown", ["Permanent", "refused", "none"]],
        ["write", "none", ["Permanent", "refused", "none"]],
        ["write", "committed", ["Permanent", "refused", "committed"]],
        ["write", "unknown", ["Permanent", "refused", "unknown"]],
        ["destructive", "unknown", ["HumanReview", "outcome_unknown", "unknown"]]
      ] as const) {
        const search = tool("search", { access, approval: "auto" }, failing(said))
        assert.deepStrictEqual(yield* settled(search.tool.call({ q: "a" })).pipe(within([search.layer])), expected)
      }
    })
  })

  it.effect("2.5 a handler that fails with PartialData or SemanticGarbage fails as Permanent", () => {
    const shared = { ...fields, code: "x", sideEffect: "none" } as const
    const partial = tool("partial", {}, Effect.fail(new Failure.PartialData({ ...shared, data: 1 })))
    const garbage = tool("garbage", {}, Effect.fail(new Failure.SemanticGarbage(shared)))
    return Effect.gen(function* () {
      for (const { tool } of [partial, garbage]) {
        assert.deepStrictEqual(yield* settled(tool.call({ q: "a" })), ["Permanent", "tool_failed", "none"])
      }
    }).pipe(within([partial.layer, garbage.layer]))
  })

  it.effect("4.11 the retryAfter of a handler's failure is honoured", () => {
    const own = new Failure.Transient({
      ...fields,
      code: "unavailable",
      sideEffect: "none",
      retryAfter: Duration.hours(1)
    })
    const search = tool("search", {}, Effect.fail(own))
    return Effect.gen(function* () {
      const failure = (yield* failureOf(search.tool.call({ q: "a" }))) as Failure.Transient
      assert.strictEqual(search.runs(), 1)
      assert.deepStrictEqual(failure.retryAfter, Duration.hours(1))
    }).pipe(within([search.layer]))
  })

  it.effect("5.4 the failure of a guarded call within a handler passes through", () => {
    const inner = tool("inner", {}, '{"n":"x"}')
    const outer = tool("outer", {}, () => inner.tool.call({ q: "a" }))
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(outer.tool.call({ q: "a" })), ["SchemaMismatch", "invalid_result", "none"])
    }).pipe(within([inner.layer, outer.layer]))
  })
})

describe("classify: other errors", () => {
  it.effect("2.5 the cause is kept for programs and logs", () => {
    const error = new TypeError("boom")
    const search = tool("search", {}, Effect.fail(error))
    return Effect.gen(function* () {
      assert.strictEqual((yield* failureOf(search.tool.call({ q: "a" }))).cause, error)
    }).pipe(within([search.layer]))
  })

  for (const value of [undefined, null, "text", 7, Symbol("s"), { weird: true }, [], new Map(), () => {}]) {
    it.effect(`2.5 a handler can fail with any value: ${String(value)}`, () => {
      const search = tool("search", {}, Effect.fail(value))
      return Effect.gen(function* () {
        assert.deepStrictEqual(
          ((yield* settled(search.tool.call({ q: "a" }))) as ReadonlyArray<string>)[0],
          "Permanent"
        )
      }).pipe(within([search.layer]))
    })
  }

  it.effect("2.5 an error whose properties throw does not break the classification", () => {
    const hostile = new Proxy(new Error("x"), {
      get: (target, key) => {
        if (key === "message" || key === "stack") return Reflect.get(target, key)
        throw new Error("boom")
      }
    })
    const search = tool("search", { retry: { attempts: 1 } }, Effect.fail(hostile))
    return Effect.gen(function* () {
      assert.deepStrictEqual(((yield* settled(search.tool.call({ q: "a" }))) as ReadonlyArray<string>)[0], "Permanent")
    }).pipe(within([search.layer]))
  })

  it.effect("3.1 custom rules decide first", () => {
    const search = tool("search", { retry: { attempts: 1 } }, Effect.fail(new Error("tape robot is busy")))
    return Effect.gen(function* () {
      const rule = { name: "robot", match: () => ({ tag: "Transient", code: "busy" }) as const }
      assert.deepStrictEqual(
        yield* Effect.provideService(settled(search.tool.call({ q: "a" })), ClassificationRules, [rule]),
        ["Transient", "busy", "none"]
      )
    }).pipe(within([search.layer]))
  })

  it.effect("3.1 a rule that throws does not crash the call", () => {
    const search = tool("search", { retry: { attempts: 1 } }, Effect.fail(new Error("x")))
    return Effect.gen(function* () {
      const rule = {
        name: "broken",
        match: () => {
          throw new Error("boom")
        }
      }
      const outcome = yield* Effect.provideService(settled(search.tool.call({ q: "a" })), ClassificationRules, [rule])
      assert.deepStrictEqual((outcome as ReadonlyArray<string>)[0], "Permanent")
    }).pipe(within([search.layer]))
  })
})
