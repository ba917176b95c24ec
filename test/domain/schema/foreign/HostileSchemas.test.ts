/** Tests that schemas that try to exhaust time, memory or the stack are compiled within bounds, and are reported. */
import { assert, describe, it } from "@effect/vitest"
import type * as JsonSchema from "effect/JsonSchema"
import * as ForeignContract from "#domain/schema/foreign/ForeignContract"

const nested = (levels: number, wrap: (inner: unknown) => unknown, seed: unknown): unknown => {
  let value = seed
  for (let level = 0; level < levels; level++) value = wrap(value)
  return value
}

const made = (a: unknown, $defs: Readonly<Record<string, unknown>> = {}) =>
  ForeignContract.make({ type: "object", properties: { a, b: { type: "string" } }, $defs } as JsonSchema.JsonSchema)

const reasons = (contract: ForeignContract.ForeignContract) =>
  contract.unchecked.map(({ pointer, reason }) => `${pointer} ${reason}`)

const accepts = (contract: ForeignContract.ForeignContract, value: unknown) => contract.decode(value)._tag === "Success"

const ref = (name: string) => ({ $ref: `#/$defs/${name}` })

describe("ForeignSchema", () => {
  it("13.1 values nested 200,000 levels deep in a schema are left out, and the rest is checked and advertised", () => {
    const deep = nested(200_000, (inner) => [inner], 1)
    for (const [keyword, value] of Object.entries({
      const: deep,
      enum: [deep],
      default: deep,
      "x-note": deep,
      if: deep
    })) {
      const contract = made({ [keyword]: value })
      assert.include(reasons(contract), `/properties/a/${keyword} is nested too deeply`)
      assert.isTrue(accepts(contract, { a: 1, b: "x" }))
      assert.isFalse(accepts(contract, { a: 1, b: 1 }))
      assert.isBelow(JSON.stringify(contract.jsonSchema).length, 10_000)
    }
  })

  it("13.1 a choice whose alternatives lead back to it twice is not checked, and is named", () => {
    const choice = { anyOf: [{ type: "array", items: ref("t") }, { type: "array", items: ref("t") }, { type: "null" }] }
    const contract = made(ref("t"), { t: choice })
    assert.deepStrictEqual(reasons(contract), ["/$defs/t/anyOf its alternatives take too many steps to compare"])
    assert.isTrue(accepts(contract, { a: nested(200, (inner) => [inner], 1) }))
    assert.isFalse(accepts(contract, { b: 1 }))
  })

  it("13.1 a choice whose alternatives lead back through other definitions is not checked", () => {
    const contract = made(ref("t"), {
      t: { oneOf: [ref("u"), ref("v")] },
      u: { type: "object", properties: { x: ref("w") }, required: ["x"] },
      v: { type: "object", properties: { x: ref("w") } },
      w: { allOf: [ref("t")] }
    })
    assert.match(String(reasons(contract)), /oneOf its alternatives take too many steps/)
    assert.isTrue(accepts(contract, { a: nested(200, (inner) => ({ x: inner }), 1) }))
  })

  it("13.1 definitions that multiply their alternatives at each of 14 levels are compared within bounds", () => {
    const levels = Array.from({ length: 14 }, (_, level) => [
      `d${level}`,
      {
        anyOf: Array.from({ length: 6 }, (_, index) => ({
          type: "object",
          properties: { x: ref(`d${level + 1}`), y: ref(`d${level + 1}`), [`k${index}`]: ref(`d${level + 1}`) },
          required: ["x", "y"]
        }))
      }
    ])
    const contract = made(ref("d0"), { ...Object.fromEntries(levels), d14: { type: "string" } })
    assert.isNotEmpty(contract.unchecked)
    assert.isTrue(accepts(contract, { a: { x: { x: 1, y: 1 }, y: { x: 1, y: 1 } } }))
  })

  it("13.1 recursive choices by type or by discriminator are checked at every level", () => {
    const json = {
      anyOf: [
        { type: "integer" },
        { type: "array", items: ref("j") },
        { type: "object", additionalProperties: ref("j") }
      ]
    }
    const both = (kind: string) => ({
      type: "object",
      properties: { kind: { const: kind }, of: { type: "array", items: ref("f") } },
      required: ["kind", "of"]
    })
    const filter = { oneOf: [both("and"), both("or"), { type: "string" }] }
    const contract = ForeignContract.make({
      type: "object",
      properties: { j: ref("j"), f: ref("f") },
      $defs: { j: json, f: filter }
    })
    assert.deepStrictEqual(contract.unchecked, [])
    assert.isTrue(accepts(contract, { j: nested(50, (inner) => [{ inner }], 1) }))
    assert.isFalse(accepts(contract, { j: nested(50, (inner) => [{ inner }], "no") }))
    const deep = (leaf: unknown) => nested(25, (inner) => ({ kind: "or", of: [inner, "x"] }), leaf)
    assert.isTrue(accepts(contract, { f: deep("x") }))
    assert.isFalse(accepts(contract, { f: deep(1) }))
  })

  it("13.1 schemas with too many parts accept any value, which is reported", () => {
    const many = Array.from({ length: 100_000 }, (_, index) => `v${index}`)
    const parts: ReadonlyArray<unknown> = [
      { enum: many },
      { required: many },
      { properties: Object.fromEntries(many.map((name) => [name, true])) },
      { anyOf: many.map((name) => ({ const: name })) }
    ]
    for (const part of parts) {
      const contract = made(part)
      assert.deepStrictEqual(reasons(contract), [" has more than 50000 parts: any value is accepted"])
      assert.isTrue(accepts(contract, { a: 1, b: 1 }))
    }
  })

  it("13.1 three thousand schemas in one allOf are not merged", () => {
    const contract = made({
      allOf: Array.from({ length: 3_000 }, (_, index) => ({
        type: "object",
        properties: { [`p${index}`]: { type: "string" } }
      }))
    })
    assert.deepStrictEqual(reasons(contract), [
      " its allOf multiplies definitions without limit: any value is accepted"
    ])
  })
})
