/** Tests what each ready-made check of results finds and what it accepts. */
import { assert, describe, it } from "@effect/vitest"
import type { CheckContext } from "#domain/tool/ToolDefinition"
import { ok } from "#domain/tool/Verdict"
import { countAgainstLimit, echoed, emptyFirstPage, fresh, morePages, nonEmpty, unit } from "#src/checks/Checks"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import { DateTime, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"

/** Returns the context of a check. */
const contextOf = <Args>(args: Args, nowMillis = 0): CheckContext<Args, never> => ({
  arguments: args,
  previous: [],
  nowMillis
})

interface Page {
  readonly orders: ReadonlyArray<string>
  readonly page: number
  readonly has_more: boolean
}

describe("morePages", () => {
  const check = morePages((result: Page, args: { readonly page: number }) =>
    result.has_more ? { page: args.page + 1 } : undefined
  )

  it("4.10 says how to continue while there are more pages", () => {
    assert.deepStrictEqual(check({ orders: ["a"], page: 2, has_more: true }, contextOf({ page: 2 })), {
      _tag: "Partial",
      next: { page: 3 },
      detail: "There are more pages."
    })
  })

  it("4.10 accepts the last page, even if it is empty", () => {
    assert.deepStrictEqual(check({ orders: ["a"], page: 2, has_more: false }, contextOf({ page: 2 })), ok)
    assert.deepStrictEqual(check({ orders: [], page: 1, has_more: false }, contextOf({ page: 1 })), ok)
  })
})

describe("emptyFirstPage", () => {
  const check = emptyFirstPage((result: Page) => result.orders)
  const contradiction = {
    _tag: "Garbage",
    code: "empty_first_page",
    detail: "The first page is empty but claims that there are more.",
    hint: "The search did not work. Change the arguments or tell the user; do not request further pages."
  } as const

  it("4.10 finds an empty first page of a result that claims to have more pages", () => {
    assert.deepStrictEqual(check({ orders: [], page: 1, has_more: true }, contextOf({})), contradiction)
    assert.deepStrictEqual(check({ orders: [], page: 0, has_more: true }, contextOf({})), contradiction)
  })

  it("4.10 accepts an empty result, a full first page, and an empty later page", () => {
    assert.deepStrictEqual(check({ orders: [], page: 1, has_more: false }, contextOf({})), ok)
    assert.deepStrictEqual(check({ orders: ["a"], page: 1, has_more: true }, contextOf({})), ok)
    assert.deepStrictEqual(check({ orders: [], page: 2, has_more: true }, contextOf({})), ok)
  })

  it("4.10 reads pages of other shapes with functions", () => {
    interface CursorPage {
      readonly rows: ReadonlyArray<number>
      readonly next: string | null
    }
    const byCursor = emptyFirstPage((result: CursorPage) => result.rows, {
      hasMore: (result) => result.next !== null,
      isFirst: (args: { readonly cursor?: string }) => args.cursor === undefined
    })
    assert.deepStrictEqual(byCursor({ rows: [], next: "c2" }, contextOf({})), contradiction)
    assert.deepStrictEqual(byCursor({ rows: [], next: "c3" }, contextOf({ cursor: "c2" })), ok)
    assert.deepStrictEqual(byCursor({ rows: [], next: null }, contextOf({})), ok)
  })
})

describe("echoed", () => {
  const check = echoed(
    (args: { readonly id?: string | number | ReadonlyArray<string> }) => args.id,
    (result: { readonly id?: unknown }) => result.id
  )
  const other = (detail: string) => ({
    _tag: "Garbage" as const,
    code: "other_entity",
    detail,
    hint: "Do not use this result as the answer. Check the id, use another tool or tell the user."
  })

  it("4.10 finds a result about another entity", () => {
    assert.deepStrictEqual(
      check({ id: "O-2" }, contextOf({ id: "O-1" })),
      other("Asked for O-1, but the result is about O-2.")
    )
    assert.deepStrictEqual(
      check({ id: ["O-1", "O-3"] }, contextOf({ id: ["O-1", "O-2"] })),
      other("Asked for O-1, O-2, but the result is about O-3.")
    )
    assert.deepStrictEqual(
      check({ id: { a: 1 } }, contextOf({ id: "O-1" })),
      other(`Asked for O-1, but the result is about {"a":1}.`)
    )
  })

  it("4.10 accepts a result with the requested id as a number or a string, alone or in a list", () => {
    assert.deepStrictEqual(check({ id: "O-1" }, contextOf({ id: "O-1" })), ok)
    assert.deepStrictEqual(check({ id: 17 }, contextOf({ id: "17" })), ok)
    assert.deepStrictEqual(check({ id: ["O-1", "O-1"] }, contextOf({ id: "O-1" })), ok)
    assert.deepStrictEqual(check({ id: ["O-2"] }, contextOf({ id: ["O-1", "O-2"] })), ok)
  })

  it("4.10 accepts a call or a result without an id", () => {
    assert.deepStrictEqual(check({ id: "O-1" }, contextOf({})), ok)
    assert.deepStrictEqual(check({}, contextOf({ id: "O-1" })), ok)
    assert.deepStrictEqual(check({ id: null }, contextOf({ id: "O-1" })), ok)
    assert.deepStrictEqual(check({ id: [] }, contextOf({ id: "O-1" })), ok)
    assert.deepStrictEqual(check({ id: "O-1" }, contextOf({ id: [] })), ok)
  })

  it("4.10 shortens long values", () => {
    assert.deepStrictEqual(
      check({ id: "y".repeat(41) }, contextOf({ id: "x".repeat(40) })),
      other(`Asked for ${"x".repeat(40)}, but the result is about ${"y".repeat(39)}….`)
    )
  })
})

describe("countAgainstLimit", () => {
  interface Rows {
    readonly rows: ReadonlyArray<number>
    readonly total?: number
  }
  interface Arguments {
    readonly limit?: number
    readonly offset: number
  }
  const check = countAgainstLimit({
    items: (result: Rows) => result.rows,
    limit: (args: Arguments) => args.limit,
    total: (result) => result.total,
    offset: (args) => args.offset,
    next: (result, args) => ({ offset: args.offset + result.rows.length })
  })

  it("4.10 finds a partial result if the offset and the items do not reach the total", () => {
    assert.deepStrictEqual(check({ rows: [1, 2, 3], total: 47 }, contextOf({ offset: 0 })), {
      _tag: "Partial",
      next: { offset: 3 },
      detail: "3 of 47 items."
    })
    assert.deepStrictEqual(check({ rows: [1, 2, 3], total: 47 }, contextOf({ offset: 30, limit: 10 })), {
      _tag: "Partial",
      next: { offset: 33 },
      detail: "Up to 33 of 47 items."
    })
  })

  it("4.10 assumes more items if there are as many items as the limit, and no total", () => {
    assert.deepStrictEqual(check({ rows: [1, 2] }, contextOf({ offset: 4, limit: 2 })), {
      _tag: "Partial",
      next: { offset: 6 },
      detail: "2 items, as many as requested: there may be more."
    })
  })

  it("4.10 accepts a result with fewer items than the limit, with all items, or without a limit", () => {
    assert.deepStrictEqual(check({ rows: [1] }, contextOf({ offset: 0, limit: 2 })), ok)
    assert.deepStrictEqual(check({ rows: [1, 2], total: 2 }, contextOf({ offset: 0, limit: 2 })), ok)
    assert.deepStrictEqual(check({ rows: [3], total: 3 }, contextOf({ offset: 2 })), ok)
    assert.deepStrictEqual(check({ rows: [1, 2] }, contextOf({ offset: 0 })), ok)
    assert.deepStrictEqual(check({ rows: [] }, contextOf({ offset: 0, limit: 0 })), ok)
    assert.deepStrictEqual(check({ rows: [], total: 0 }, contextOf({ offset: 0, limit: 5 })), ok)
  })

  it("2.8 says what to make smaller if there is no continuation", () => {
    const narrowed = countAgainstLimit({
      items: (result: Rows) => result.rows,
      limit: 2,
      narrow: "Ask for one month."
    })
    assert.deepStrictEqual(narrowed({ rows: [1, 2] }, contextOf({})), {
      _tag: "Partial",
      next: undefined,
      narrow: "Ask for one month.",
      detail: "2 items, as many as requested: there may be more."
    })
    assert.deepStrictEqual(narrowed({ rows: [1] }, contextOf({})), ok)
  })
})

describe("unit", () => {
  interface Weather {
    readonly unit?: string | null
    readonly temperature: number | ReadonlyArray<number>
  }
  const check = unit({
    unit: (args: { readonly unit?: string }) => args.unit,
    stated: (result: Weather) => result.unit,
    values: (result) => result.temperature,
    minimum: -90,
    maximum: 60
  })
  const wrong = (detail: string) => ({
    _tag: "Garbage" as const,
    code: "wrong_unit",
    detail,
    hint: "Do not use these values. Ask for the unit, or tell the user."
  })

  it("4.10 finds a unit other than the requested one", () => {
    assert.deepStrictEqual(
      check({ unit: "fahrenheit", temperature: 20 }, contextOf({ unit: "celsius" })),
      wrong("The values are in fahrenheit, expected celsius.")
    )
  })

  it("4.10 finds values that are implausible in the unit", () => {
    assert.deepStrictEqual(
      check({ temperature: [20, 98.6] }, contextOf({ unit: "celsius" })),
      wrong("98.6 is implausible in celsius: expected -90 to 60.")
    )
    assert.deepStrictEqual(
      check({ temperature: NaN }, contextOf({ unit: "celsius" })),
      wrong("NaN is implausible in celsius: expected -90 to 60.")
    )
  })

  it("4.10 accepts the right unit in another spelling, and values at the bounds", () => {
    assert.deepStrictEqual(check({ unit: "°C", temperature: [-90, 60] }, contextOf({ unit: "c" })), ok)
    assert.deepStrictEqual(check({ unit: null, temperature: 20 }, contextOf({ unit: "celsius" })), ok)
    assert.deepStrictEqual(check({ temperature: [] }, contextOf({ unit: "celsius" })), ok)
  })

  it("4.10 does not check the unit if none is expected", () => {
    assert.deepStrictEqual(check({ unit: "kelvin", temperature: 300 }, contextOf({})), ok)
  })

  it("4.10 compares a stated unit or values with a fixed unit", () => {
    const meters = unit({ unit: "m", stated: (result: { readonly unit: string }) => result.unit })
    assert.deepStrictEqual(meters({ unit: "M" }, contextOf({})), ok)
    assert.deepStrictEqual(meters({ unit: "ft" }, contextOf({})), wrong("The values are in ft, expected m."))
    const tall = unit({ unit: "m", values: (result: number) => result, maximum: 3 })
    assert.deepStrictEqual(tall(1.8, contextOf({})), ok)
    assert.deepStrictEqual(tall(180, contextOf({})), wrong("180 is implausible in m: expected at most 3."))
    const deep = unit({ unit: "m", values: (result: number) => result, minimum: 0 })
    assert.deepStrictEqual(deep(-1, contextOf({})), wrong("-1 is implausible in m: expected at least 0."))
  })
})

describe("fresh", () => {
  const check = fresh(
    (result: { readonly at?: Date | string | number | DateTime.DateTime | null }) => result.at,
    "1 hour"
  )
  const noon = Date.UTC(2026, 0, 1, 12)
  const stale = (at: string) => ({
    _tag: "Garbage" as const,
    code: "stale_result",
    detail: `The data is from ${at}, older than 1h.`,
    hint: "Do not present it as current. Use another tool, or tell the user how old it is."
  })

  it("4.10 finds data that is older than allowed", () => {
    const at = "2026-01-01T10:59:59.999Z"
    for (const time of [at, new Date(at), Date.parse(at), DateTime.makeUnsafe(at)]) {
      assert.deepStrictEqual(check({ at: time }, contextOf({}, noon)), stale(at))
    }
  })

  it("4.10 accepts data of the allowed age and data from the future", () => {
    assert.deepStrictEqual(check({ at: "2026-01-01T11:00:00Z" }, contextOf({}, noon)), ok)
    assert.deepStrictEqual(check({ at: "2026-01-01T13:00:00Z" }, contextOf({}, noon)), ok)
  })

  it("4.10 reads text without a zone as UTC", () => {
    assert.deepStrictEqual(check({ at: "2026-01-01T11:00:00" }, contextOf({}, noon)), ok)
    assert.deepStrictEqual(check({ at: "2026-01-01T10:00:00" }, contextOf({}, noon)), stale("2026-01-01T10:00:00.000Z"))
  })

  it("4.10 accepts a result without a valid time", () => {
    assert.deepStrictEqual(check({}, contextOf({}, noon)), ok)
    assert.deepStrictEqual(check({ at: null }, contextOf({}, noon)), ok)
    assert.deepStrictEqual(check({ at: "yesterday" }, contextOf({}, noon)), ok)
  })
})

describe("a check in a call", () => {
  class Price extends GuardedTool.Service<Price>()("read_price", {
    description: "Reads a price. Read-only.",
    access: "read",
    parameters: Schema.Struct({ sku: Schema.String }),
    success: Schema.Struct({ cents: Schema.Int, at: Schema.String }),
    checks: { fresh: fresh((result) => result.at, "1 hour") }
  }) {}

  it.effect("4.10 uses the guard's clock", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 1, 12))
      assert.deepStrictEqual(yield* Price.call({ sku: "MUG-014" }), { cents: 900, at: "2026-01-01T11:30:00Z" })
      yield* TestClock.adjust("1 hour")
      const { code, detail } = yield* Effect.flip(Price.call({ sku: "MUG-014" }))
      assert.deepStrictEqual(
        { code, detail },
        { code: "stale_result", detail: "The data is from 2026-01-01T11:30:00.000Z, older than 1h." }
      )
    }).pipe(
      Effect.provide([
        Price.layerTest(() => Effect.succeed({ cents: 900, at: "2026-01-01T11:30:00Z" })),
        Guard.layerMemory
      ])
    )
  )
})

describe("nonEmpty", () => {
  const check = nonEmpty((result: { readonly text?: string | ReadonlyArray<string> | null }) => result.text, {
    when: (args: { readonly id?: string }) => args.id !== undefined
  })
  const nothing = {
    _tag: "Garbage",
    code: "empty_result",
    detail: "The result is empty, although something was expected.",
    hint: "Check the arguments, use another tool or tell the user that nothing was found."
  } as const

  it("4.10 finds an empty result where content is expected", () => {
    for (const text of ["", " \n", [], null, undefined]) {
      assert.deepStrictEqual(check(text === undefined ? {} : { text }, contextOf({ id: "O-1" })), nothing)
    }
    assert.deepStrictEqual(nonEmpty((result: string) => result)("", contextOf({})), nothing)
  })

  it("3.4 accepts an empty list where an empty answer is possible", () => {
    assert.deepStrictEqual(check({ text: [] }, contextOf({})), ok)
  })

  it("4.10 accepts a result with content", () => {
    assert.deepStrictEqual(check({ text: ["a"] }, contextOf({ id: "O-1" })), ok)
    assert.deepStrictEqual(check({ text: "0" }, contextOf({ id: "O-1" })), ok)
  })
})
