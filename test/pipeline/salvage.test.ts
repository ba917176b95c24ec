/** Tests which rows of a truncated answer are kept, and how the model continues. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { PartialData } from "#domain/failure/Failure"
import { ask, brokenBody, failureOf, response, settled, tool, within } from "./support.ts"

const Order = Schema.Struct({ id: Schema.String, cents: Schema.Int })
const Page = Schema.Struct({ page: Schema.Int, orders: Schema.Array(Order), has_more: Schema.Boolean })
const parameters = Schema.Struct({ customer: Schema.String, page: Schema.optionalKey(Schema.Int) })

const row = (n: number) => ({ id: `O-${n}`, cents: n * 100 })
const rows = (count: number) => Array.from({ length: count }, (_, n) => row(n))
const whole = JSON.stringify({ page: 1, orders: rows(30), has_more: false })

/** The answer, truncated within its twelfth row. */
const cut = whole.slice(0, whole.indexOf('"O-11"') + 8)

const definition = {
  parameters,
  success: Page,
  salvage: {
    path: "orders",
    rest: () => ({ has_more: true }),
    next: (result: { page: number }) => ({ page: result.page + 1 })
  }
}

const salvaged = (answer: unknown, over: object = {}) => {
  const search = tool("search_orders", { ...definition, ...over }, answer)
  return failureOf(search.tool.call({ customer: "C" })).pipe(within([search.layer])) as Effect.Effect<PartialData<any>>
}

describe("salvage", () => {
  it.effect("4.9 eleven valid rows of a truncated answer are kept, with a continuation", () =>
    Effect.gen(function* () {
      const failure = yield* salvaged(response(200, cut))
      assert.deepStrictEqual({ ...failure }, {
        _tag: "PartialData",
        tool: "search_orders",
        code: "salvaged",
        detail: `The answer of search_orders ends in the middle of its JSON, after ${cut.length} bytes; last complete field: orders[11].id. 11 complete rows were kept.`,
        hint: "Keep these rows. Call again with `next` for the rest.",
        sideEffect: "none",
        traceId: failure.traceId,
        data: { page: 1, orders: rows(11), has_more: true },
        next: { customer: "C", page: 2 }
      } as never) // plain fields instead of an instance of the class
    })
  )

  it.effect("5.1 the model reads the rows, and the arguments of the call that continues", () => {
    const search = tool("search_orders", definition, cut)
    return Effect.gen(function* () {
      const { envelope } = yield* ask([search.tool], "search_orders", '{"customer":"C"}')
      assert.strictEqual(envelope.status, "partial")
      assert.strictEqual(envelope.data.orders.length, 11)
      assert.deepStrictEqual(
        [envelope.error.next_step, envelope.error.next, envelope.error.retryable],
        ["continue", { customer: "C", page: 2 }, false]
      )
    }).pipe(within([search.layer]))
  })

  it.effect("4.9 rows are decoded, up to the first invalid row", () =>
    Effect.gen(function* () {
      const wrong = cut.replace('"cents":500', '"cents":"x"')
      assert.deepStrictEqual((yield* salvaged(wrong)).data, { page: 1, orders: rows(5), has_more: true })
    })
  )

  it.effect("4.9 if only the result as a whole is invalid, as many rows are kept as its schema accepts", () =>
    Effect.gen(function* () {
      for (const most of [1, 5, 9, 10]) {
        const orders = Schema.Array(Order).check(Schema.isMaxLength(most))
        const success = Schema.Struct({ page: Schema.Int, orders, has_more: Schema.Boolean })
        const { data } = yield* salvaged(response(200, cut), { success })
        assert.deepStrictEqual(data, { page: 1, orders: rows(most), has_more: true })
      }
    })
  )

  it.effect("4.9 a field before the array comes from the answer, even if the tool's `rest` also gives it", () =>
    Effect.gen(function* () {
      const rest = () => ({ has_more: true, page: 99 })
      assert.strictEqual((yield* salvaged(cut, { salvage: { ...definition.salvage, rest } })).data.page, 1)
    })
  )

  it.effect("4.9 the array can be nested, and can be the whole result", () =>
    Effect.gen(function* () {
      const inside = yield* salvaged(`{"data":{"total":3,"items":${JSON.stringify(rows(2)).slice(0, -1)},{"id"`, {
        success: Schema.Struct({ data: Schema.Struct({ total: Schema.Int, items: Schema.Array(Order) }) }),
        salvage: { path: "data.items", narrow: "Ask for fewer items." }
      })
      assert.deepStrictEqual(inside.data, { data: { total: 3, items: rows(2) } })
      const root = yield* salvaged(JSON.stringify(rows(3)).slice(0, -4), {
        success: Schema.Array(Order),
        salvage: { path: "", narrow: "Ask for fewer." }
      })
      assert.deepStrictEqual(root.data, rows(2))
    })
  )

  it.effect("2.8 without a continuation the hint says what to narrow", () => {
    const search = tool(
      "search_orders",
      { ...definition, salvage: { ...definition.salvage, next: undefined, narrow: "Ask for one month." } },
      cut
    )
    return Effect.gen(function* () {
      const { envelope } = yield* ask([search.tool], "search_orders", '{"customer":"C"}')
      assert.deepStrictEqual(
        [envelope.error.hint, envelope.error.next_step, "next" in envelope.error],
        ["Ask for one month.", "fix_arguments", false]
      )
    }).pipe(within([search.layer]))
  })

  for (const [what, answer, over] of [
    ["no row is complete", whole.slice(0, whole.indexOf('"O-0"') + 6), {}],
    ["the first row is invalid", cut.replace('"cents":0', '"cents":"x"'), {}],
    ["the array is missing", '{"page":1,"other":[{"id":"a"},{"i', {}],
    ["the fields around the array are invalid", cut.replace('"page":1', '"page":"one"'), {}],
    ["the tool declares no salvage", cut, { salvage: undefined }],
    [
      "the tool's `rest` throws",
      cut,
      {
        salvage: {
          path: "orders",
          narrow: "Ask for less.",
          rest: () => {
            throw new Error("boom")
          }
        }
      }
    ]
  ] as const) {
    it.effect(`4.9 nothing is kept if ${what}`, () => {
      const search = tool("search_orders", { ...definition, ...over }, answer)
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* settled(search.tool.call({ customer: "C" })), [
          "SchemaMismatch",
          "truncated_response",
          "none"
        ])
      }).pipe(within([search.layer]))
    })
  }

  const judged = (verdict: object, over: object = {}) => {
    const contexts: Array<any> = []
    const check = (result: unknown, context: unknown) => {
      contexts.push([result, context])
      return verdict
    }
    return Effect.map(salvaged(cut, { checks: { check }, ...over }), (failure) => ({ failure, contexts }))
  }

  it.effect("4.10 kept rows are checked, and garbage is a failure", () =>
    Effect.gen(function* () {
      const { contexts, failure } = yield* judged({ _tag: "Garbage", code: "wrong_unit", detail: "In dollars." })
      assert.deepStrictEqual(
        [failure._tag, failure.code, failure.detail],
        ["SemanticGarbage", "wrong_unit", "In dollars."]
      )
      assert.deepStrictEqual(contexts[0][0], { page: 1, orders: rows(11), has_more: true })
      assert.deepStrictEqual(contexts[0][1].arguments, { customer: "C" })
      assert.strictEqual(contexts[0][1].isSalvaged, true)
    })
  )

  it.effect("4.10 a verdict of partial on kept rows does not change the continuation", () =>
    Effect.gen(function* () {
      const { failure } = yield* judged({ _tag: "Partial", next: { page: 9 }, code: "more_pages" })
      assert.deepStrictEqual([failure.code, failure.next], ["salvaged", { customer: "C", page: 2 }] as never) // `failure` is any
    })
  )

  it.effect("2.2 a check that only advises does not discard the kept rows", () =>
    Effect.gen(function* () {
      const { failure } = yield* judged({ _tag: "Garbage", code: "x", detail: "x" }, { enforce: "advise" })
      assert.deepStrictEqual([failure._tag, failure.code], ["PartialData", "salvaged"])
    })
  )

  it.effect("4.10 a check of a complete answer does not receive isSalvaged", () => {
    const contexts: Array<object> = []
    const check = (_: unknown, context: object) => {
      contexts.push(context)
      return { _tag: "Ok" }
    }
    const search = tool("search_orders", { ...definition, checks: { check } }, whole)
    return Effect.gen(function* () {
      yield* settled(search.tool.call({ customer: "C" }))
      assert.deepStrictEqual(
        contexts.map((context) => "isSalvaged" in context),
        [false]
      )
    }).pipe(within([search.layer]))
  })

  it.effect("4.9 an answer that its transport cut is a transient failure and is not salvaged", () => {
    const search = tool("search_orders", { ...definition, retry: { attempts: 1 } }, response(200, brokenBody(cut)))
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(search.tool.call({ customer: "C" })), ["Transient", "body_cut", "none"])
    }).pipe(within([search.layer]))
  })

  it.effect("4.6 an identical call is answered from memory, because its answer would be truncated again", () => {
    const search = tool("search_orders", definition, cut)
    return Effect.gen(function* () {
      const first = yield* ask([search.tool], "search_orders", '{"customer":"C"}')
      const second = yield* ask([search.tool], "search_orders", '{"customer":"C"}')
      assert.deepStrictEqual(second.envelope.data, first.envelope.data)
      assert.deepStrictEqual([first.attempts, second.attempts, search.runs()], [1, 0, 1])
    }).pipe(within([search.layer]))
  })
})
