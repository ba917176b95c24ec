/** Tests which choices of a schema are omitted because their alternatives take too many steps to compare. */
import { assert, describe, it } from "@effect/vitest"
import * as ChoiceCost from "#domain/schema/foreign/ChoiceCost"

type Node = Record<string, unknown>

/** Returns the pointers of the choices that are omitted, and checks that exactly these are gone. */
const omitted = (schema: Node): ReadonlyArray<string> => {
  const root = structuredClone(schema)
  const pointers: Array<string> = []
  ChoiceCost.omit(root, ({ pointer, reason }) => {
    assert.strictEqual(reason, "its alternatives take too many steps to compare")
    pointers.push(pointer)
  })
  const expected = pointers.length === 0 ? schema : structuredClone(schema)
  for (const pointer of pointers) {
    const names = pointer.slice(1).split("/")
    const last = names.pop() ?? ""
    const holder = names.reduce<Node>((at, name) => at[name.replaceAll("~1", "/")] as Node, expected)
    assert.isTrue(delete holder[last])
  }
  assert.strictEqual(JSON.stringify(root), JSON.stringify(expected))
  return pointers
}

const times = (length: number, make: (index: number) => unknown) => Array.from({ length }, (_, index) => make(index))

const ref = (name: string) => ({ $ref: `#/$defs/${name}` })

const $ten = { ten: { anyOf: times(10, () => true) } }

/** Returns alternatives that each take ten comparisons. */
const tens = (length: number, make: (index: number) => object) =>
  times(length, (index) => ({ ...make(index), allOf: [ref("ten")] }))

/** Returns the schema of an object with the required field `kind`, which is `value`. */
const kind = (value: unknown, more: Node = {}) => ({
  type: "object",
  properties: { kind: { const: value }, ...more },
  required: ["kind"]
})

describe("ChoiceCost", () => {
  it("13.1 a choice may have at most a thousand alike alternatives", () => {
    for (const keyword of ["anyOf", "oneOf"]) {
      assert.deepStrictEqual(omitted({ [keyword]: times(1_000, () => true) }), [])
      assert.deepStrictEqual(omitted({ [keyword]: times(1_001, () => true) }), [`/${keyword}`])
    }
    for (const make of [
      () => ({ type: "string" }),
      () => ({}),
      (n: number) => ({ const: n }),
      (n: number) => ({ enum: [n, `${n}`] }),
      (n: number) => ({ type: n % 2 === 0 ? "integer" : ["number", "null"] }),
      () => ({ type: "array" }),
      // a field does not distinguish alternatives if it is not required, is the same in all, or has several values
      (n: number) => ({ ...kind(n), required: [] }),
      (n: number) => (n === 0 ? kind(n) : { ...kind(n), required: [] }),
      (n: number) => ({ ...kind(n), required: undefined }),
      // the first hundred required fields are compared
      (n: number) => ({ ...kind(n), required: [...times(100, (index) => `r${index}`), "kind"] }),
      (n: number) => ({ ...kind(n), required: ["other"] }),
      () => kind("same"),
      (n: number) => ({ ...kind(n), properties: { kind: { enum: [n, -1] } } }),
      (n: number) => ({ ...kind(n), properties: { kind: { type: "string" } } }),
      (n: number) => ({ ...kind(n), properties: { kind: true } }),
      (n: number) => (n === 5 ? { type: "object" } : kind(n))
    ])
      assert.deepStrictEqual(omitted({ anyOf: tens(101, make), $defs: $ten }), ["/anyOf"], String(make))
  })

  it("13.1 alternatives of different types, or with different values of a required field, are not alike", () => {
    for (const [one, other] of [
      [{ type: "string" }, { type: "number" }],
      [{ type: "array" }, { type: "object" }],
      [{ const: null }, { const: {} }],
      [{ const: [] }, { const: {} }],
      [{ enum: [true, 1] }, { type: ["null", "string"] }],
      // the values of an enum count, whatever its type says
      [{ type: ["string", "null"], enum: ["a"] }, { type: "null" }]
    ] as const)
      assert.deepStrictEqual(omitted({ anyOf: [...tens(100, () => one), ...tens(100, () => other)], $defs: $ten }), [])
    for (const make of [
      (n: number) => kind(n),
      (n: number) => kind(n, { name: { type: "string" } }),
      (n: number) => ({ ...kind(n), properties: { kind: { enum: [n] } } }),
      (n: number) => ({ ...kind(n), required: ["other", "kind"] }),
      (n: number) => ({ ...kind(n), required: [...times(99, (index) => `r${index}`), "kind"] }),
      (n: number) => ({ properties: { kind: { const: n } }, required: ["kind"], type: ["object"] }),
      (n: number) => (n === 0 ? { type: "string" } : kind(n))
    ])
      assert.deepStrictEqual(omitted({ anyOf: tens(101, make), $defs: $ten }), [], String(make))
    // alternatives without a type are alike, because each accepts all values that are not objects
    assert.deepStrictEqual(omitted({ anyOf: tens(101, (n) => ({ ...kind(n), type: undefined })), $defs: $ten }), [
      "/anyOf"
    ])
  })

  it("13.1 references lead to the alternatives, and alike alternatives multiply along the schemas in them", () => {
    const $defs = { s: { type: "string" }, n: { type: "number" }, chain: ref("chain2"), chain2: ref("s") }
    assert.deepStrictEqual(omitted({ anyOf: times(1_001, () => ref("s")), $defs }), ["/anyOf"])
    assert.deepStrictEqual(omitted({ anyOf: times(1_001, () => ref("chain")), $defs }), ["/anyOf"])
    assert.deepStrictEqual(
      omitted({ anyOf: [...times(1_000, () => ref("chain")), ...times(1_000, () => ref("n"))], $defs }),
      []
    )
    // 20 references are followed
    const links = (length: number) =>
      Object.fromEntries(times(length, (n) => [`c${n}`, ref(n === length - 1 ? "s" : `c${n + 1}`)]) as [])
    const linked = (length: number) =>
      omitted({
        anyOf: [...times(1_000, () => ref("c0")), ...times(1_000, () => ref("n"))],
        $defs: { ...$defs, ...links(length) }
      })
    assert.deepStrictEqual(linked(19), [])
    assert.deepStrictEqual(linked(20), ["/anyOf"])
    // a reference to nothing accepts any type
    for (const $ref of ["#/$defs/missing", "https://a.example/s", "#/$defs/a/b", 7])
      assert.deepStrictEqual(omitted({ anyOf: [...times(1_000, () => ({ $ref })), { type: "string" }], $defs }), [
        "/anyOf"
      ])
    const choice = (length: number) => ({ anyOf: times(length, () => ({ type: "string" })) })
    const hundred = { hundred: choice(100) }
    const object = (schema: unknown) => ({ type: "object", properties: { a: schema } })
    for (const wrap of [
      object,
      (schema: unknown) => ({ type: "object", additionalProperties: schema }),
      (schema: unknown) => ({ type: "object", items: schema }),
      (schema: unknown) => ({ type: "object", allOf: [schema] }),
      (schema: unknown) => ({ type: "object", not: schema })
    ]) {
      assert.deepStrictEqual(omitted({ anyOf: times(10, () => wrap(ref("hundred"))), $defs: hundred }), [])
      assert.deepStrictEqual(omitted({ anyOf: times(11, () => wrap(ref("hundred"))), $defs: hundred }), ["/anyOf"])
    }
    // alternatives that are not alike have their own alternatives
    const tagged = { anyOf: [kind(1, { a: choice(500) }), kind(2)] }
    assert.deepStrictEqual(omitted({ anyOf: times(2, () => tagged) }), [])
    assert.deepStrictEqual(omitted({ anyOf: times(3, () => tagged) }), ["/anyOf"])
    // schemas for different parts of a value do not add up, and schemas for the same part do
    const many = (part: unknown) => ({ type: "object", properties: { a: part, b: part, c: part } })
    assert.deepStrictEqual(omitted({ anyOf: times(10, () => many(ref("hundred"))), $defs: hundred }), [])
    const all = { type: "object", allOf: [choice(5), choice(3)], oneOf: choice(2).anyOf }
    assert.deepStrictEqual(omitted({ anyOf: times(100, () => all) }), [])
    assert.deepStrictEqual(omitted({ anyOf: times(101, () => all) }), ["/anyOf"])
    const both = { ...choice(4), $ref: "#/$defs/six" }
    const six = choice(6)
    assert.deepStrictEqual(omitted({ anyOf: times(100, () => both), $defs: { six } }), [])
    assert.deepStrictEqual(omitted({ anyOf: times(101, () => both), $defs: { six } }), ["/anyOf"])
  })

  it("13.1 the choice that costs too much is named, wherever it is, and the choices around it stay", () => {
    const large = { anyOf: times(1_001, () => true) }
    assert.deepStrictEqual(omitted({ properties: { "a/b": large } }), ["/properties/a~1b/anyOf"])
    assert.deepStrictEqual(omitted({ $defs: { unused: large } }), ["/$defs/unused/anyOf"])
    assert.deepStrictEqual(omitted({ anyOf: [{ type: "null" }, { allOf: [true, large] }] }), ["/anyOf/1/allOf/1/anyOf"])
    assert.deepStrictEqual(omitted({ anyOf: large.anyOf, oneOf: large.anyOf }), ["/anyOf", "/oneOf"])
    assert.deepStrictEqual(omitted({ anyOf: "no", oneOf: times(2, () => true) }), [])
  })

  it("13.1 a choice may lead back to itself through one of its alike alternatives, but not through two", () => {
    const list = (items: unknown) => ({ type: "array", items })
    const back = (...alternatives: ReadonlyArray<unknown>) =>
      omitted({
        ...ref("t"),
        $defs: { t: { anyOf: alternatives }, u: list(ref("t")), v: list(ref("v")), w: list(ref("w")) }
      })
    const choice = ["/$defs/t/anyOf"]
    assert.deepStrictEqual(back(list(ref("t")), list(true)), [])
    assert.deepStrictEqual(back(list(ref("t")), { type: "object", properties: { a: ref("t"), b: ref("t") } }), [])
    assert.deepStrictEqual(back(list(ref("t")), list(ref("t"))), choice)
    assert.deepStrictEqual(back(ref("u"), ref("u")), choice)
    assert.deepStrictEqual(back(ref("u"), list(true), list({ allOf: [ref("u")] })), choice)
    // these alternatives lead back to themselves, and not to the choice
    assert.deepStrictEqual(back(ref("v"), ref("v")), [])
    assert.deepStrictEqual(back(ref("v"), ref("w")), [])
    assert.deepStrictEqual(back(list({ oneOf: [ref("t"), true] }), list({ oneOf: [ref("t"), true] })), choice)
    // outside of the choice, the same references do not lead back
    const alternatives = [list(ref("u")), list(ref("u"))]
    const $defs = { t: { anyOf: [ref("u"), list(true)] }, u: list(ref("t")) }
    assert.deepStrictEqual(omitted({ allOf: [ref("t")], anyOf: alternatives, $defs }), [])
    assert.deepStrictEqual(back(kind("and", { a: ref("t") }), kind("or", { a: ref("t") })), [])
  })

  it("13.1 a choice of schemas that are nested more than 500 levels deep is omitted", () => {
    // each definition takes two levels
    const chain = (length: number, link: (next: unknown) => Node = (next) => ({ not: next })) =>
      Object.fromEntries(times(length, (n) => [`d${n}`, n === length - 1 ? {} : link(ref(`d${n + 1}`))]) as [])
    assert.deepStrictEqual(omitted({ anyOf: [ref("d0")], $defs: chain(250) }), [])
    assert.deepStrictEqual(omitted({ anyOf: [ref("d0")], $defs: chain(251) }), ["/anyOf"])
    const choices = chain(251, (next) => ({ anyOf: [next] }))
    assert.deepStrictEqual(omitted({ ...ref("d0"), $defs: choices }), ["/$defs/d249/anyOf"])
  })
})
