import type { PartialData, SemanticGarbage } from "#domain/failure/Failure"
import type { CheckContext } from "#domain/tool/ToolDefinition"
import * as Verdict from "#domain/tool/Verdict"
import { Guard } from "#src/guard/Guard"
import { CallLog } from "#services/CallLog"
import * as CallLogMemory from "#layers/CallLogMemory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { ask, asked, brief, failureOf, outside, response, settled, tool, within } from "../support.ts"

const success = Schema.Struct({ n: Schema.Int, more: Schema.Boolean })
const parameters = Schema.Struct({ q: Schema.String, page: Schema.optionalKey(Schema.Int) })
const base = { success, parameters }
const partial = () => Verdict.partial({ next: { page: 2 }, detail: "1 of 2 pages" })
const garbage = () => Verdict.garbage({ code: "wrong_unit", detail: "Fahrenheit", hint: "Convert it." })

describe("check", () => {
  it.effect("4.10 program and model receive a partial result with the arguments that continue it", () => {
    const search = tool("search", { ...base, checks: { partial } }, { n: 1, more: true })
    return Effect.gen(function* () {
      const failure = (yield* failureOf(search.tool.call({ q: "a", page: 1 }))) as PartialData<unknown>
      assert.deepStrictEqual(brief(failure), ["PartialData", "incomplete_result", "none"])
      assert.deepStrictEqual(
        [failure.data, failure.next],
        [
          { n: 1, more: true },
          { q: "a", page: 2 }
        ]
      )
      const { envelope } = yield* ask([search.tool], "search", '{"q":"b"}')
      assert.deepStrictEqual(
        [envelope.status, envelope.data, envelope.error.message, envelope.error.next],
        ["partial", { n: 1, more: true }, "1 of 2 pages", { q: "b", page: 2 }]
      )
    }).pipe(within([search.layer]))
  })

  it.effect("2.8 the hint of a partial result without `next` is its `narrow`", () => {
    const search = tool(
      "search",
      { ...base, checks: { narrow: () => Verdict.partial({ narrow: "Ask for one day." }) } },
      { n: 1, more: true }
    )
    return Effect.gen(function* () {
      const failure = (yield* failureOf(search.tool.call({ q: "a" }))) as PartialData<unknown>
      assert.deepStrictEqual([failure.hint, "next" in failure], ["Ask for one day.", false])
      const { envelope } = yield* ask([search.tool], "search", '{"q":"b"}')
      assert.deepStrictEqual([envelope.error.hint, envelope.error.next_step], ["Ask for one day.", "fix_arguments"])
    }).pipe(within([search.layer]))
  })

  it.effect("4.10 garbage is a failure with the check's own code", () => {
    const search = tool("search", { ...base, checks: { garbage } }, { n: 1, more: true })
    return Effect.gen(function* () {
      const failure = (yield* failureOf(search.tool.call({ q: "a" }))) as SemanticGarbage
      assert.deepStrictEqual(
        [...brief(failure), failure.detail, failure.hint],
        ["SemanticGarbage", "wrong_unit", "none", "Fahrenheit", "Convert it."]
      )
    }).pipe(within([search.layer]))
  })

  it.effect("4.10 garbage outweighs partial, and partial outweighs ok, whatever the order of the checks", () => {
    const ok = () => Verdict.ok
    const one = tool("one", { ...base, checks: { ok, partial, garbage } }, { n: 1, more: true })
    const two = tool("two", { ...base, checks: { garbage, partial, ok } }, { n: 1, more: true })
    const three = tool("three", { ...base, checks: { ok, partial, last: ok } }, { n: 1, more: true })
    return Effect.gen(function* () {
      const tags = yield* Effect.forEach([one, two, three], ({ tool }) =>
        Effect.map(failureOf(tool.call({ q: "a" })), ({ _tag }) => _tag)
      )
      assert.deepStrictEqual(tags, ["SemanticGarbage", "SemanticGarbage", "PartialData"])
    }).pipe(within([one.layer, two.layer, three.layer]))
  })

  it.effect("4.10 a check sees the decoded arguments, this tool's earlier results in the turn, and the time", () => {
    const seen: Array<CheckContext> = []
    const look = (_: unknown, context: CheckContext) => {
      seen.push(context)
      return Verdict.ok
    }
    const search = tool(
      "search",
      { ...base, checks: { look } },
      { n: 1, more: false },
      { n: 2, more: false },
      { n: 3, more: false }
    )
    const other = tool("other", { ...base, checks: { look: () => Verdict.ok } }, { n: 9, more: false })
    return Effect.gen(function* () {
      yield* search.tool.call({ q: "a" })
      yield* other.tool.call({ q: "a" })
      yield* TestClock.adjust("5 seconds")
      yield* search.tool.call({ q: "b" })
      yield* Guard.turn(search.tool.call({ q: "c" }))
      assert.deepStrictEqual(seen, [
        { arguments: { q: "a" }, tool: "search", previous: [], nowMillis: 0 },
        { arguments: { q: "b" }, tool: "search", previous: [{ n: 1, more: false }], nowMillis: 5_000 },
        { arguments: { q: "c" }, tool: "search", previous: [], nowMillis: 5_000 }
      ])
    }).pipe(within([search.layer, other.layer]))
  })

  it.effect("4.10 outside a turn a check sees no earlier results", () => {
    const seen: Array<number> = []
    const look = (_: unknown, { previous }: CheckContext) => {
      seen.push(previous.length)
      return Verdict.ok
    }
    const search = tool("search", { ...base, checks: { look } }, { n: 1, more: false })
    return Effect.gen(function* () {
      yield* search.tool.call({ q: "a" })
      yield* search.tool.call({ q: "b" })
      assert.deepStrictEqual(seen, [0, 0])
    }).pipe(outside([search.layer]))
  })

  it.effect("4.10 a check sees at most ten earlier results", () => {
    let most = 0
    const look = (_: unknown, { previous }: CheckContext) => {
      most = Math.max(most, previous.length)
      return Verdict.ok
    }
    const search = tool("search", { ...base, checks: { look } }, (args: { q: string }) =>
      Effect.succeed({ n: Number(args.q), more: false })
    )
    return Effect.gen(function* () {
      for (let n = 0; n < 30; n++) yield* search.tool.call({ q: String(n) })
      assert.strictEqual(most, 10)
    }).pipe(within([search.layer]))
  })

  it.effect("4.10 a write counts as done, whatever the verdict on its result", () => {
    const write = tool("write_it", { ...base, access: "write", checks: { garbage } }, { n: 1, more: true })
    const some = tool("write_some", { ...base, access: "write", checks: { partial } }, { n: 1, more: true })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* asked(write.tool, { q: "a" }), ["SemanticGarbage", "wrong_unit", "committed"])
      assert.deepStrictEqual(yield* asked(some.tool, { q: "a" }), ["PartialData", "incomplete_result", "committed"])
      // neither write is repeated
      assert.deepStrictEqual(yield* asked(write.tool, { q: "a" }), ["SemanticGarbage", "wrong_unit", "committed"])
      assert.deepStrictEqual(yield* asked(some.tool, { q: "a" }), ["PartialData", "incomplete_result", "committed"])
      assert.deepStrictEqual([write.runs(), some.runs()], [1, 1])
    }).pipe(within([write.layer, some.layer]))
  })

  it.effect("4.10 only decoded results are checked", () => {
    let asked = 0
    const count = () => {
      asked += 1
      return Verdict.ok
    }
    const search = tool(
      "search",
      { ...base, checks: { count }, retry: { attempts: 1 }, budget: 9 },
      Effect.fail(new Error("no")),
      '{"n":1',
      '{"n":"x","more":true}',
      response(500, "{}")
    )
    return Effect.gen(function* () {
      for (const q of ["a", "b", "c", "d"]) yield* settled(search.tool.call({ q }))
      assert.strictEqual(asked, 0)
    }).pipe(within([search.layer]))
  })

  it.effect("2.5 a check that throws is a defect of the tool, after which a write still counts as done", () => {
    const broken = () => {
      throw new Error("boom")
    }
    const read = tool("search", { ...base, checks: { broken } }, { n: 1, more: false })
    const write = tool(
      "write_it",
      { ...base, access: "write", idempotency: "derived", checks: { broken } },
      { n: 1, more: false }
    )
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(read.tool.call({ q: "a" })), ["Permanent", "tool_crashed", "none"])
      assert.deepStrictEqual(yield* settled(write.tool.call({ q: "a" })), ["Permanent", "tool_crashed", "committed"])
      assert.deepStrictEqual(yield* settled(write.tool.call({ q: "a" })), ["Permanent", "tool_crashed", "committed"])
      assert.strictEqual(write.runs(), 1)
    }).pipe(within([read.layer, write.layer]))
  })

  it.effect("2.2 advise records the verdict, and passes the result on", () => {
    const search = tool("search", { ...base, enforce: "advise", checks: { garbage } }, { n: 1, more: true })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(search.tool.call({ q: "a" })), { n: 1, more: true })
      const [record] = yield* (yield* CallLog).records
      assert.deepStrictEqual(record?.decisions, [{ stage: "check", decision: "advised", reason: "Fahrenheit" }])
    }).pipe(within([search.layer], Guard.layerMemoryWith(CallLogMemory.layer)))
  })
})
