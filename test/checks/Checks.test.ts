import { assert, describe, it } from "@effect/vitest"
import type { CheckContext } from "#domain/tool/ToolDefinition"
import { ok } from "#domain/tool/Verdict"
import { countAgainstLimit, echoed, emptyFirstPage, fresh, morePages, nonEmpty, unit } from "#src/checks/Checks"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import { DateTime, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"

/** What a check sees beside the result. */
const given = <Args>(args: Args, nowMillis = 0): CheckContext<Args, never> => ({
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

  it("4.10 says how to go on while there are more pages", () => {
    assert.deepStrictEqual(check({ orders: ["a"], page: 2, has_more: true }, given({ page: 2 })), {
      _tag: "Partial",
      next: { page: 3 },
      detail: "There are more pages."
    })
  })

  it("4.10 takes the last page as the end, also an empty one", () => {
    assert.deepStrictEqual(check({ orders: ["a"], page: 2, has_more: false }, given({ page: 2 })), ok)
    assert.deepStrictEqual(check({ orders: [], page: 1, has_more: false }, given({ page: 1 })), ok)
  })
})

describe("emptyFirstPage", () => {
  const check = emptyFirstPage((result: Page) => result.orders)
  const contradiction = {
    _tag: "Garbage",
    code: "empty_first_page",
    detail: "The first page is empty, yet claims that there are more.",
    hint: "The search did not work. Change the arguments or tell the user; do not request further pages."
  } as const

  it("4.10 finds a first page that is empty and has more", () => {
    assert.deepStrictEqual(check({ orders: [], page: 1, has_more: true }, given({})), contradiction)
    assert.deepStrictEqual(check({ orders: [], page: 0, has_more: true }, given({})), contradiction)
  })

  it("4.10 passes an empty answer, a full first page, and a gap on a later page", () => {
    assert.deepStrictEqual(check({ orders: [], page: 1, has_more: false }, given({})), ok)
    assert.deepStrictEqual(check({ orders: ["a"], page: 1, has_more: true }, given({})), ok)
    assert.deepStrictEqual(check({ orders: [], page: 2, has_more: true }, given({})), ok)
  })

  it("4.10 reads other shapes of pages by functions", () => {
    interface Cursored {
      readonly rows: ReadonlyArray<number>
      readonly next: string | null
    }
    const byCursor = emptyFirstPage((result: Cursored) => result.rows, {
      hasMore: (result) => result.next !== null,
      isFirst: (args: { readonly cursor?: string }) => args.cursor === undefined
    })
    assert.deepStrictEqual(byCursor({ rows: [], next: "c2" }, given({})), contradiction)
    assert.deepStrictEqual(byCursor({ rows: [], next: "c3" }, given({ cursor: "c2" })), ok)
    assert.deepStrictEqual(byCursor({ rows: [], next: null }, given({})), ok)
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
      check({ id: "O-2" }, given({ id: "O-1" })),
      other("Asked for O-1, but the result is about O-2.")
    )
    assert.deepStrictEqual(
      check({ id: ["O-1", "O-3"] }, given({ id: ["O-1", "O-2"] })),
      other("Asked for O-1, O-2, but the result is about O-3.")
    )
    assert.deepStrictEqual(
      check({ id: { a: 1 } }, given({ id: "O-1" })),
      other(`Asked for O-1, but the result is about {"a":1}.`)
    )
  })

  it("4.10 passes the same entity, whether its id is a number or text, alone or in a list", () => {
    assert.deepStrictEqual(check({ id: "O-1" }, given({ id: "O-1" })), ok)
    assert.deepStrictEqual(check({ id: 17 }, given({ id: "17" })), ok)
    assert.deepStrictEqual(check({ id: ["O-1", "O-1"] }, given({ id: "O-1" })), ok)
    assert.deepStrictEqual(check({ id: ["O-2"] }, given({ id: ["O-1", "O-2"] })), ok)
  })

  it("4.10 passes where nothing was asked for or nothing is said", () => {
    assert.deepStrictEqual(check({ id: "O-1" }, given({})), ok)
    assert.deepStrictEqual(check({}, given({ id: "O-1" })), ok)
    assert.deepStrictEqual(check({ id: null }, given({ id: "O-1" })), ok)
    assert.deepStrictEqual(check({ id: [] }, given({ id: "O-1" })), ok)
    assert.deepStrictEqual(check({ id: "O-1" }, given({ id: [] })), ok)
  })

  it("4.10 shortens long values", () => {
    assert.deepStrictEqual(
      check({ id: "y".repeat(41) }, given({ id: "x".repeat(40) })),
      other(`Asked for ${"x".repeat(40)}, but the result is about ${"y".repeat(39)}….`)
    )
  })
})

describe("countAgainstLimit", () => {
  interface Rows {
    readonly rows: ReadonlyArray<number>
    readonly total?: number
  }
  interface Asked {
    readonly limit?: number
    readonly offset: number
  }
  const check = countAgainstLimit({
    items: (result: Rows) => result.rows,
    limit: (args: Asked) => args.limit,
    total: (result) => result.total,
    offset: (args) => args.offset,
    next: (result, args) => ({ offset: args.offset + result.rows.length })
  })

  it("4.10 counts what was seen against the total", () => {
    assert.deepStrictEqual(check({ rows: [1, 2, 3], total: 47 }, given({ offset: 0 })), {
      _tag: "Partial",
      next: { offset: 3 },
      detail: "3 of 47 items."
    })
    assert.deepStrictEqual(check({ rows: [1, 2, 3], total: 47 }, given({ offset: 30, limit: 10 })), {
      _tag: "Partial",
      next: { offset: 33 },
      detail: "Up to 33 of 47 items."
    })
  })

  it("4.10 takes as many as the limit for a cut, where there is no total", () => {
    assert.deepStrictEqual(check({ rows: [1, 2] }, given({ offset: 4, limit: 2 })), {
      _tag: "Partial",
      next: { offset: 6 },
      detail: "2 items, as many as were asked for: there may be more."
    })
  })

  it("4.10 passes a full result: fewer than the limit, the total reached, or no limit", () => {
    assert.deepStrictEqual(check({ rows: [1] }, given({ offset: 0, limit: 2 })), ok)
    assert.deepStrictEqual(check({ rows: [1, 2], total: 2 }, given({ offset: 0, limit: 2 })), ok)
    assert.deepStrictEqual(check({ rows: [3], total: 3 }, given({ offset: 2 })), ok)
    assert.deepStrictEqual(check({ rows: [1, 2] }, given({ offset: 0 })), ok)
    assert.deepStrictEqual(check({ rows: [] }, given({ offset: 0, limit: 0 })), ok)
    assert.deepStrictEqual(check({ rows: [], total: 0 }, given({ offset: 0, limit: 5 })), ok)
  })

  it("2.8 says what to make smaller where there is no continuation", () => {
    const narrowed = countAgainstLimit({
      items: (result: Rows) => result.rows,
      limit: 2,
      narrow: "Ask for one month."
    })
    assert.deepStrictEqual(narrowed({ rows: [1, 2] }, given({})), {
      _tag: "Partial",
      next: undefined,
      narrow: "Ask for one month.",
      detail: "2 items, as many as were asked for: there may be more."
    })
    assert.deepStrictEqual(narrowed({ rows: [1] }, given({})), ok)
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

  it("4.10 finds another unit than the one that was asked for", () => {
    assert.deepStrictEqual(
      check({ unit: "fahrenheit", temperature: 20 }, given({ unit: "celsius" })),
      wrong("The values are in fahrenheit, expected celsius.")
    )
  })

  it("4.10 finds values that are implausible in the unit", () => {
    assert.deepStrictEqual(
      check({ temperature: [20, 98.6] }, given({ unit: "celsius" })),
      wrong("98.6 is implausible in celsius: expected -90 to 60.")
    )
    assert.deepStrictEqual(
      check({ temperature: NaN }, given({ unit: "celsius" })),
      wrong("NaN is implausible in celsius: expected -90 to 60.")
    )
  })

  it("4.10 passes the right unit, however it is written, with its bounds included", () => {
    assert.deepStrictEqual(check({ unit: "°C", temperature: [-90, 60] }, given({ unit: "c" })), ok)
    assert.deepStrictEqual(check({ unit: null, temperature: 20 }, given({ unit: "celsius" })), ok)
    assert.deepStrictEqual(check({ temperature: [] }, given({ unit: "celsius" })), ok)
  })

  it("4.10 passes where no unit is expected", () => {
    assert.deepStrictEqual(check({ unit: "kelvin", temperature: 300 }, given({})), ok)
  })

  it("4.10 takes a fixed unit without values or a stated one", () => {
    const meters = unit({ unit: "m", stated: (result: { readonly unit: string }) => result.unit })
    assert.deepStrictEqual(meters({ unit: "M" }, given({})), ok)
    assert.deepStrictEqual(meters({ unit: "ft" }, given({})), wrong("The values are in ft, expected m."))
    const tall = unit({ unit: "m", values: (result: number) => result, maximum: 3 })
    assert.deepStrictEqual(tall(1.8, given({})), ok)
    assert.deepStrictEqual(tall(180, given({})), wrong("180 is implausible in m: expected at most 3."))
    const deep = unit({ unit: "m", values: (result: number) => result, minimum: 0 })
    assert.deepStrictEqual(deep(-1, given({})), wrong("-1 is implausible in m: expected at least 0."))
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
      assert.deepStrictEqual(check({ at: time }, given({}, noon)), stale(at))
    }
  })

  it("4.10 passes data of the allowed age, and of the future", () => {
    assert.deepStrictEqual(check({ at: "2026-01-01T11:00:00Z" }, given({}, noon)), ok)
    assert.deepStrictEqual(check({ at: "2026-01-01T13:00:00Z" }, given({}, noon)), ok)
  })

  it("4.10 reads text without a zone as UTC", () => {
    assert.deepStrictEqual(check({ at: "2026-01-01T11:00:00" }, given({}, noon)), ok)
    assert.deepStrictEqual(check({ at: "2026-01-01T10:00:00" }, given({}, noon)), stale("2026-01-01T10:00:00.000Z"))
  })

  it("4.10 passes where no time is said", () => {
    assert.deepStrictEqual(check({}, given({}, noon)), ok)
    assert.deepStrictEqual(check({ at: null }, given({}, noon)), ok)
    assert.deepStrictEqual(check({ at: "yesterday" }, given({}, noon)), ok)
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

  it.effect("4.10 knows the time by the guard's clock", () =>
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

  it("4.10 finds nothing where something must be", () => {
    for (const text of ["", " \n", [], null, undefined]) {
      assert.deepStrictEqual(check(text === undefined ? {} : { text }, given({ id: "O-1" })), nothing)
    }
    assert.deepStrictEqual(nonEmpty((result: string) => result)("", given({})), nothing)
  })

  it("3.4 passes an empty list that answers the question", () => {
    assert.deepStrictEqual(check({ text: [] }, given({})), ok)
  })

  it("4.10 passes what is there", () => {
    assert.deepStrictEqual(check({ text: ["a"] }, given({ id: "O-1" })), ok)
    assert.deepStrictEqual(check({ text: "0" }, given({ id: "O-1" })), ok)
  })
})
