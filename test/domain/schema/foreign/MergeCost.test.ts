/** Tests that a schema whose `allOf` doubles at every step is not compiled but reported, and that others are compiled. */
import { assert, describe, it } from "@effect/vitest"
import * as ForeignContract from "#domain/schema/foreign/ForeignContract"

/** Returns a schema with `steps` definitions, each of which refers to the next one twice. */
const doubling = (keyword: "allOf" | "anyOf", steps: number, prefix = "S") => ({
  $ref: `#/$defs/${prefix.replace("/", "~1")}0`,
  $defs: Object.fromEntries([
    ...Array.from({ length: steps }, (_, step) => {
      const next = { $ref: `#/$defs/${prefix.replace("/", "~1")}${step + 1}` }
      return [`${prefix}${step}`, { [keyword]: [next, next] }] as const
    }),
    [`${prefix}${steps}`, { type: "object", properties: { a: { type: "string" } }, required: ["a"] }] as const
  ])
})

const reasons = (schema: Readonly<Record<string, unknown>>) =>
  ForeignContract.make(schema).unchecked.map(({ reason }) => reason)

describe("ForeignSchema", () => {
  it("13.1 does not compile a schema that doubles by allOf at every step, and reports it", () => {
    // the names of the definitions do not matter
    for (const prefix of ["S", "a/S"])
      assert.deepStrictEqual(reasons(doubling("allOf", 60, prefix)), [
        "its allOf multiplies definitions without limit: any value is accepted"
      ])
  })

  it("13.1 checks definitions with few repetitions, and alternatives that double", () => {
    const { decode, unchecked } = ForeignContract.make(doubling("allOf", 8))
    assert.deepStrictEqual(unchecked, [])
    assert.strictEqual(decode({ a: 1 })._tag, "Failure")
    assert.strictEqual(decode({ a: "1" })._tag, "Success")
    assert.deepStrictEqual(reasons(doubling("anyOf", 8)), [])
  })

  it("13.1 checks recursive definitions", () => {
    const Tree = { allOf: [{ $ref: "#/$defs/Named" }], properties: { inner: { $ref: "#/$defs/Tree" } } }
    const Named = { type: "object", properties: { name: { type: "string" } } }
    assert.deepStrictEqual(reasons({ $ref: "#/$defs/Tree", $defs: { Tree, Named } }), [])
  })
})
