import * as FieldKind from "#domain/tool/FieldKind"
import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"

const { check, either, flag, fn, list, number, object, oneOf, orFalse, record, required, text, time } = FieldKind

/** Returns the message with which an input is refused. */
const fault = (input: object, fields: FieldKind.FieldKinds): string => {
  try {
    check("search", "", input, fields)
  } catch (error) {
    assert.instanceOf(error, RangeError)
    return error.message
  }
  return "accepted"
}

const kinds = (): FieldKind.FieldKinds => ({
  mode: oneOf("derived"),
  level: oneOf("low", "high", "highest"),
  name: text("a name"),
  run: fn(),
  count: number,
  wait: time,
  isOn: flag,
  poll: orFalse(object({ every: number, until: required(fn("a function of the result")) })),
  each: record("an object of functions", fn()),
  rows: list("a list of names", text("a name")),
  any: list("a list"),
  approval: either(oneOf("auto", "block"), fn("a function of the call")),
  key: either(oneOf("none"), object({ mode: oneOf("derived", "key") }))
})

describe("the kinds of fields", () => {
  it("2.12 values of the kinds are accepted, and undefined counts as unset", () => {
    const inputs = [
      {},
      Object.fromEntries(Object.keys(kinds()).map((name) => [name, undefined])),
      { mode: "derived", level: "high", name: "", run: () => 1, count: 5, wait: "soon", isOn: false },
      { poll: false, each: {}, rows: [], any: [1, "x"], approval: "auto", key: "none" },
      { poll: { until: () => true }, each: { a: () => 1 }, rows: ["a"], approval: () => "auto", key: { mode: "key" } }
    ]
    assert.deepStrictEqual(
      inputs.map((input) => fault(input, kinds())),
      inputs.map(() => "accepted")
    )
  })

  it("2.12 a value of another kind is refused with its path and the values that the field accepts", () => {
    const cases: ReadonlyArray<readonly [input: object, message: string]> = [
      [{ mode: "key" }, '`mode` is "key"; write "derived".'],
      [{ level: 5 }, '`level` is 5; write "low", "high" or "highest".'],
      [{ name: null }, "`name` is null; write a name."],
      [{ run: "x" }, '`run` is "x"; write a function.'],
      [{ count: null }, "`count` is null; write a whole number."],
      [{ isOn: 0 }, "`isOn` is 0; write true or false."],
      [{ poll: true }, "`poll` is true; write an object with `every`, `until`, or false."],
      [{ poll: {} }, "`poll.until` is undefined; write a function of the result."],
      [{ poll: { every: null } }, "`poll.every` is null; write a whole number."],
      [{ each: [] }, "`each` is []; write an object of functions."],
      [{ each: { a: () => 1, b: 5 } }, "`each.b` is 5; write a function."],
      [{ rows: {} }, "`rows` is {}; write a list of names."],
      [{ rows: ["a", 5] }, "`rows[1]` is 5; write a name."],
      [{ approval: "confirm" }, '`approval` is "confirm"; write "auto", "block" or a function of the call.'],
      [{ key: { mode: "none" } }, '`key.mode` is "none"; write "derived" or "key".']
    ]
    assert.deepStrictEqual(
      cases.map(([input]) => fault(input, kinds())),
      cases.map(([, message]) => `search: ${message}`)
    )
  })

  it("2.12 an unknown name is refused with the nearest name, or with all names, each with its path", () => {
    const fields = { poll: object({ every: number, until: fn() }), name: text("a name") }
    assert.deepStrictEqual(
      [{ nmae: "x" }, { poll: { untl: 1 } }, { name: "x", zzz: 1 }, { poll: { zzz: 1 } }].map((input) =>
        fault(input, fields)
      ),
      [
        "search: `nmae` is not a field here; did you mean `name`?",
        "search: `poll.untl` is not a field here; did you mean `poll.until`?",
        "search: `zzz` is not a field here; the fields are poll, name.",
        "search: `poll.zzz` is not a field here; the fields are poll.every, poll.until."
      ]
    )
  })

  it("2.12 `checkValues` accepts unknown fields, and checks the values of the known ones", () => {
    assert.doesNotThrow(() => FieldKind.checkValues("search", "", { other: 1, isOn: true }, { isOn: flag }))
    assert.throws(
      () => FieldKind.checkValues("search", "poll.", { other: 1, isOn: 1 }, { isOn: flag }),
      RangeError,
      "search: `poll.isOn` is 1; write true or false."
    )
  })
})

describe("FieldKind.shown", () => {
  it("2.12 returns any value in at most 40 characters", () => {
    const circular: Record<string, unknown> = {}
    circular["self"] = circular
    const cases: ReadonlyArray<readonly [value: unknown, shown: string]> = [
      [undefined, "undefined"],
      [null, "null"],
      [5n, "5"],
      [Symbol("s"), "Symbol(s)"],
      ['a "b"', '"a \\"b\\""'],
      [() => 1, "a function"],
      [Duration.minutes(90), "1h 30m"],
      [{ a: [1] }, '{"a":[1]}'],
      [circular, "an object"],
      [{ n: 5n }, "an object"],
      [{ toJSON: () => undefined }, "an object"],
      ["x".repeat(100), `"${"x".repeat(38)}…`]
    ]
    assert.deepStrictEqual(
      cases.map(([value]) => FieldKind.shown(value)),
      cases.map(([, shown]) => shown)
    )
  })
})
