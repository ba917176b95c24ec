import * as Price from "#domain/transcript/Price"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

const one = { inputPerMillion: 2, outputPerMillion: 10 }
const tokens = { input: 1_000_000, cachedInput: 0, cacheWrite: 0, output: 100_000 }

describe("Price", () => {
  it("11.1 charges cached tokens at the price for cached tokens, or as input if there is no such price", () => {
    const cached = { ...tokens, cachedInput: 600_000, cacheWrite: 100_000 }
    assert.strictEqual(Price.cost(one, cached), 3)
    const full = { ...one, cachedInputPerMillion: 0.5, cacheWritePerMillion: 2.5 }
    assert.closeTo(Price.cost(full, cached), 0.3 * 2 + 0.6 * 0.5 + 0.1 * 2.5 + 1, 1e-9)
    assert.strictEqual(Price.cost(one, { ...tokens, cachedInput: 2_000_000 }), 5, "uncached input is never negative")
  })

  it("11.1 finds the price of the longest matching name, whatever the order of the table", () => {
    const [small, large, other] = [1, 2, 3].map((inputPerMillion) => ({ ...one, inputPerMillion }))
    const table = { "gpt-4.1": large!, "*": other!, "gpt-4.1-mini": small! }
    for (const entries of [Object.entries(table), Object.entries(table).toReversed()]) {
      const of = (model: string) => Price.of(Object.fromEntries(entries), model)?.inputPerMillion
      assert.deepStrictEqual(
        ["gpt-4.1-mini-2025-04-14", "gpt-4.1", "gpt-4.1-nano", "gpt-4o", "", "constructor"].map(of),
        [1, 2, 2, 3, 3, 3]
      )
    }
    assert.isUndefined(Price.of({ "gpt-4.1": large! }, "toString"))
    assert.isUndefined(Price.of({}, ""))
    assert.strictEqual(Price.of(one, "anything"), one)
    assert.strictEqual(Price.mostExpensive(table), other)
    assert.isUndefined(Price.mostExpensive({}))
  })

  it("11.1 limits costs only by complete prices", () => {
    assert.isTrue(Price.canLimit(one))
    assert.isTrue(Price.canLimit({ ...one, inputPerMillion: 0, cachedInputPerMillion: 0 }))
    assert.isTrue(Price.canLimit({ "gpt-4.1": one, "*": one }))
    assert.isFalse(Price.canLimit({}))
    for (const wrong of [
      { ...one, inputPerMillion: -1 },
      { ...one, outputPerMillion: Number.NaN },
      { ...one, cachedInputPerMillion: -1 },
      { ...one, cacheWritePerMillion: -1 }
    ]) {
      assert.isFalse(Price.canLimit(wrong), JSON.stringify(wrong))
      assert.isFalse(Price.canLimit({ a: one, b: wrong }), JSON.stringify(wrong))
    }
    // the types are wrong on purpose, because prices can come from a program without types
    assert.isFalse(Price.canLimit({ a: { inputPerMillion: 1 } } as never))
    assert.isFalse(Price.canLimit({ a: undefined } as never))
  })

  it("13.1 reads prices in short form, and tables from JSON", () => {
    assert.deepStrictEqual(Price.parse("2.5/10"), { inputPerMillion: 2.5, outputPerMillion: 10 })
    assert.deepStrictEqual(Price.parse("2.5/10/0.25/3"), {
      inputPerMillion: 2.5,
      outputPerMillion: 10,
      cachedInputPerMillion: 0.25,
      cacheWritePerMillion: 3
    })
    for (const text of ["", "2.5", "cheap", "1/2/3/4/5", "-1/2", "1/2/"]) assert.isUndefined(Price.parse(text), text)
    const table = { "gpt-4.1": { ...one, asOf: "2026-11" } }
    assert.deepStrictEqual(Price.parseTable(JSON.stringify(table)), Result.succeed(table))
    for (const wrong of [
      "{",
      "[]",
      '{"a":{"inputPerMillion":1}}',
      '{"a":{"inputPerMillion":-1,"outputPerMillion":1}}'
    ]) {
      assert.isTrue(Result.isFailure(Price.parseTable(wrong)), wrong)
    }
  })
})
