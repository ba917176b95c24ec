/** Tests the schema that accepts the values of a group which broke one of its rules. */
import { assert, describe, it } from "@effect/vitest"
import { Schema, SchemaGetter } from "effect"
import { nodeAt } from "#domain/faults/FaultPlace"
import { movedBound } from "#domain/faults/MovedBound"
import { codeOf } from "#domain/schema/SchemaCode"
import { groupsOf } from "./faults.ts"

/** Returns the source of the relaxed node at the place of the only fault of some values; `undefined` if there is none. */
const moved = (schema: Schema.Top, ...values: ReadonlyArray<unknown>): string | undefined => {
  const [group, ...more] = groupsOf(schema, values)
  if (group === undefined || more.length > 0 || group.fault.place === undefined) throw new Error("not one fault")
  const node = nodeAt(schema.ast, group.fault.place)
  const relaxed = node === undefined ? undefined : movedBound(node, group.fault, group.range)
  return relaxed === undefined ? undefined : (codeOf(relaxed) ?? "no source")
}

const Names = Schema.Record(Schema.String, Schema.Int)
const startsWithX = (text: string) => text.startsWith("x")

class Pair extends Schema.Class<Pair>("Pair")(
  Schema.Struct({ low: Schema.Int, high: Schema.Int }).check(
    Schema.makeFilter(({ high, low }: { readonly low: number; readonly high: number }) => low < high)
  )
) {}

const isEven = (value: number) => value % 2 === 0

describe("movedBound", () => {
  it("13.1 a bound of a text, a list or an object moves to the values, and only on the side that they broke", () => {
    const { Array: List, String: Text } = Schema
    for (const [schema, values, source] of [
      [Text.check(Schema.isMaxLength(2)), ["abc", "abcd"], "Schema.String.check(Schema.isMaxLength(4))"],
      [Text.check(Schema.isMinLength(5)), ["abc", "ab"], "Schema.String.check(Schema.isMinLength(2))"],
      [Text.check(Schema.isBetweenLength(3, 5)), ["a"], "Schema.String.check(Schema.isBetweenLength(1, 5))"],
      [Text.check(Schema.isBetweenLength(3, 5)), ["abcdefgh"], "Schema.String.check(Schema.isBetweenLength(3, 8))"],
      [Text.check(Schema.isMaxCodePoints(2)), ["abcd"], "Schema.String.check(Schema.isMaxCodePoints(4))"],
      [Text.check(Schema.isMinCodePoints(4)), ["🙂🙂🙂"], "Schema.String.check(Schema.isMinCodePoints(3))"],
      [Text.check(Schema.isBetweenCodePoints(3, 5)), ["a"], "Schema.String.check(Schema.isBetweenCodePoints(1, 5))"],
      [
        Text.check(Schema.isBetweenCodePoints(3, 5)),
        ["abcdef"],
        "Schema.String.check(Schema.isBetweenCodePoints(3, 6))"
      ],
      [
        List(Schema.Int).check(Schema.isMaxLength(1)),
        [[1, 2]],
        "Schema.Array(Schema.Int).check(Schema.isMaxLength(2))"
      ],
      [
        Names.check(Schema.isMaxProperties(1)),
        [{ a: 1, b: 2 }],
        "Schema.Record(Schema.String, Schema.Int).check(Schema.isMaxProperties(2))"
      ],
      [
        Names.check(Schema.isMinProperties(2)),
        [{ a: 1 }, {}],
        "Schema.Record(Schema.String, Schema.Int).check(Schema.isMinProperties(0))"
      ],
      [
        Names.check(Schema.isBetweenProperties(2, 3)),
        [{ a: 1 }],
        "Schema.Record(Schema.String, Schema.Int).check(Schema.isBetweenProperties(1, 3))"
      ],
      [
        Names.check(Schema.isBetweenProperties(1, 2)),
        [{ a: 1, b: 2, c: 3 }],
        "Schema.Record(Schema.String, Schema.Int).check(Schema.isBetweenProperties(1, 3))"
      ]
    ] as const)
      assert.strictEqual(moved(schema, ...values), source)
  })

  it("13.1 a bound of a number moves to the values, and an integer becomes a number", () => {
    const { Finite, Int } = Schema
    for (const [schema, values, source] of [
      [Finite.check(Schema.isLessThan(5)), [5, 7], "Schema.Finite.check(Schema.isLessThanOrEqualTo(7))"],
      [Finite.check(Schema.isLessThanOrEqualTo(5)), [7], "Schema.Finite.check(Schema.isLessThanOrEqualTo(7))"],
      [Finite.check(Schema.isGreaterThan(5)), [5, 3], "Schema.Finite.check(Schema.isGreaterThanOrEqualTo(3))"],
      [Finite.check(Schema.isGreaterThanOrEqualTo(5)), [4], "Schema.Finite.check(Schema.isGreaterThanOrEqualTo(4))"],
      [Int.check(Schema.isGreaterThan(0)), [3 / 2], "Schema.Finite.check(Schema.isGreaterThan(0))"],
      [Int.check(Schema.isGreaterThan(0)), [-1], "Schema.Int.check(Schema.isGreaterThanOrEqualTo(-1))"]
    ] as const)
      assert.strictEqual(moved(schema, ...values), source)
  })

  it("13.1 a range of numbers widens to the values, and a bound that none of them broke stays exclusive", () => {
    const inclusive = Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 9 }))
    const exclusive = Schema.Finite.check(
      Schema.isBetween({ minimum: 1, maximum: 9, exclusiveMinimum: true, exclusiveMaximum: true })
    )
    for (const [schema, values, range] of [
      [inclusive, [0], "minimum: 0, maximum: 9"],
      [inclusive, [12], "minimum: 1, maximum: 12"],
      [inclusive, [0, 12], "minimum: 0, maximum: 12"],
      [exclusive, [0], "minimum: 0, maximum: 9, exclusiveMaximum: true"],
      [exclusive, [1], "minimum: 1, maximum: 9, exclusiveMaximum: true"],
      [exclusive, [9], "minimum: 1, maximum: 9, exclusiveMinimum: true"],
      [exclusive, [10], "minimum: 1, maximum: 10, exclusiveMinimum: true"],
      [exclusive, [0, 10], "minimum: 0, maximum: 10"]
    ] as const)
      assert.strictEqual(moved(schema, ...values), `Schema.Finite.check(Schema.isBetween({ ${range} }))`)
  })

  it("13.1 a rule without bounds is removed, and the other rules stay", () => {
    const most = Schema.isMaxLength(3)
    const text = "Schema.String.check(Schema.isMaxLength(3))"
    for (const [schema, value, source] of [
      [Schema.String.check(Schema.isPattern(/^x/u), most), "a", text],
      [Schema.String.check(Schema.makeFilter(startsWithX, { message: "must start with x" }), most), "a", text],
      [Schema.String.check(Schema.makeFilter(startsWithX, { expected: "an x" }), most), "a", text],
      // the message is computed, so only the rule without a name can be the broken one
      [
        Schema.String.check(
          Schema.makeFilter((value: string) => startsWithX(value) || `not ${value}`),
          most
        ),
        "a",
        text
      ],
      [
        Schema.String.check(Schema.makeFilter((value: string) => startsWithX(value) || `not ${value}`)),
        "a",
        "Schema.String"
      ],
      [Schema.Array(Schema.Int).check(Schema.isUnique()), [1, 1], "Schema.Array(Schema.Int)"],
      [
        Schema.Finite.check(Schema.makeFilterGroup([Schema.isInt(), Schema.makeFilter(isEven)])),
        3,
        "Schema.Finite.check(Schema.isInt())"
      ]
    ] as const)
      assert.strictEqual(moved(schema, value), source)
  })

  it("13.1 a rule is found by the message of its author, and equal rules move together", () => {
    const named = Schema.String.check(Schema.isMaxLength(5, { message: "too long" }), Schema.isMinLength(2))
    assert.strictEqual(
      moved(named, "abcdefg"),
      "Schema.String.check(Schema.isMaxLength(7)).check(Schema.isMinLength(2))"
    )
    assert.strictEqual(
      moved(Schema.Finite.check(Schema.isLessThan(5), Schema.isLessThan(5)), 7),
      "Schema.Finite.check(Schema.isLessThanOrEqualTo(7)).check(Schema.isLessThanOrEqualTo(7))"
    )
    const [isX, most, isWord] = [
      Schema.makeFilter(startsWithX, { message: "must start with x" }),
      Schema.isMaxLength(3),
      Schema.makeFilter((text: string) => !text.includes(" "), { message: "must be a word" })
    ]
    const messages = Schema.String.check(isX, most, isWord)
    const [group] = groupsOf(messages, ["a"])
    assert.deepStrictEqual(movedBound(messages.ast, group!.fault, group!.range)?.checks, [most, isWord])
    const inGroup = Schema.Finite.check(Schema.makeFilterGroup([Schema.isInt(), Schema.isLessThan(5)]))
    assert.strictEqual(moved(inGroup, 7), "Schema.Finite.check(Schema.isInt()).check(Schema.isLessThanOrEqualTo(7))")
  })

  it("13.1 nothing moves if several rules have the stated text, or if none has it", () => {
    const larger = (value: number) => value > 2
    const computed = (isValid: (value: number) => boolean, text: string) =>
      Schema.makeFilter((value: number) => isValid(value) || text)
    for (const [schema, value] of [
      [Schema.Finite.check(Schema.makeFilter(isEven), Schema.makeFilter(larger)), 5],
      [Schema.Finite.check(computed(isEven, "odd"), computed(larger, "small")), 5],
      [
        Schema.Finite.check(
          Schema.isLessThan(5, { message: "out of range" }),
          Schema.isGreaterThan(1, { message: "out of range" })
        ),
        7
      ],
      // the rule belongs to the struct inside the class
      [Pair, { low: 2, high: 1 }],
      // a text that only the first member reads breaks the rule of neither
      [Schema.Union([Schema.DateFromString, Schema.String.check(Schema.isMaxLength(3))]), "wrong"]
    ] as const)
      assert.isUndefined(moved(schema, value))
    const range = { least: 1, most: 9 }
    const ruleOf = (problem: string, expected: string) => ({ kind: "rule", path: "", problem, expected }) as const
    for (const schema of [
      Schema.String,
      Schema.Finite.check(Schema.isLessThan(5)),
      Schema.Union([Schema.Int, Schema.Null]),
      Schema.Option(Schema.Int),
      Schema.URL,
      Schema.Redacted(Schema.String)
    ])
      for (const fault of [ruleOf("expected another rule", "another rule"), ruleOf("no", "a valid value")])
        assert.isUndefined(movedBound(schema.ast, fault, range))
    const inOption = Schema.Option(Schema.String.check(Schema.isMaxLength(3)))
    const most = ruleOf("expected at most 3 characters", "at most 3 characters")
    assert.isUndefined(movedBound(inOption.ast, most, range))
  })

  it("13.1 without a range, the rule is removed", () => {
    const schema = Schema.String.check(Schema.isMaxLength(2), Schema.isMinLength(1))
    const [fault] = groupsOf(schema, ["abc"]).map((group) => group.fault)
    const relaxed = movedBound(schema.ast, fault!, undefined)
    assert.strictEqual(codeOf(relaxed!), "Schema.String.check(Schema.isMinLength(1))")
    assert.strictEqual(moved(Schema.NumberFromString.check(Schema.isGreaterThan(0)), "-7"), "Schema.NumberFromString")
  })

  it("13.1 the broken member of a union changes alone, unless the union has a rule or is converted", () => {
    const few = Schema.Finite.check(Schema.isLessThan(5))
    const short = Schema.String.check(Schema.isMaxLength(2))
    const either = Schema.Union([few, short])
    assert.strictEqual(
      moved(either, 8),
      "Schema.Union([Schema.Finite.check(Schema.isLessThanOrEqualTo(8)), Schema.String.check(Schema.isMaxLength(2))])"
    )
    assert.strictEqual(
      moved(either, "abc"),
      "Schema.Union([Schema.Finite.check(Schema.isLessThan(5)), Schema.String.check(Schema.isMaxLength(3))])"
    )
    const isKnown = Schema.makeFilter((value: string | number) => value !== 4, { message: "not 4" })
    const ruled = either.check(isKnown)
    assert.isUndefined(moved(ruled, 8))
    assert.strictEqual(
      moved(ruled, 4),
      "Schema.Union([Schema.Finite.check(Schema.isLessThan(5)), Schema.String.check(Schema.isMaxLength(2))])"
    )
    const toUnion = Schema.Finite.pipe(
      Schema.decodeTo(either, {
        decode: SchemaGetter.transform((value: number): string | number => value),
        encode: SchemaGetter.transform((value: string | number) => Number(value))
      })
    )
    assert.isUndefined(moved(toUnion, 8))
  })

  it("13.1 a bound inside a `Redacted` moves, and a field may stay absent", () => {
    assert.strictEqual(
      moved(Schema.Redacted(Schema.String.check(Schema.isMaxLength(3))), "abcde"),
      "Schema.Redacted(Schema.String.check(Schema.isMaxLength(5)))"
    )
    assert.strictEqual(
      moved(Schema.NullOr(Schema.Redacted(Schema.Finite.check(Schema.isLessThan(3)))), 5),
      "Schema.Union([Schema.Redacted(Schema.Finite.check(Schema.isLessThanOrEqualTo(5))), Schema.Null])"
    )
    const schema = Schema.Struct({ a: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(2))), b: Schema.Int })
    const [group] = groupsOf(schema, [{ a: "abc", b: 1 }])
    const node = nodeAt(schema.ast, group!.fault.place!)
    assert.strictEqual(movedBound(node!, group!.fault, group!.range)?.context?.isOptional, true)
    const required = nodeAt(Schema.Struct({ a: Schema.String.check(Schema.isMaxLength(2)) }).ast, group!.fault.place!)
    assert.notStrictEqual(movedBound(required!, group!.fault, group!.range)?.context?.isOptional, true)
  })
})
