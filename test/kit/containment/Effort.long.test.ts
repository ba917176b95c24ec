/** Tests that comparisons of hostile schemas end, decided or undecided. */
import { assert, describe, it } from "@effect/vitest"
import { gaps } from "#kit/containment/Contains"
import type { Gap } from "#kit/containment/Gap"
import { changes } from "#kit/diff/Changes"
import type { ToolPromise } from "#kit/diff/Snapshot"

/** Returns a schema with definitions that each refer three times, in six alternatives, to the next. */
const definitions = (leaf: string) => ({
  type: "object",
  properties: { q: { $ref: "#/$defs/d0" } },
  $defs: {
    ...Object.fromEntries(
      Array.from({ length: 14 }, (_, level) => {
        const next = { $ref: `#/$defs/d${level + 1}` }
        const alternatives = Array.from({ length: 6 }, (_, index) => ({
          type: "object",
          properties: { [`a${index}`]: next, x: next, y: next },
          required: ["x"]
        }))
        return [`d${level}`, { anyOf: alternatives }]
      })
    ),
    d14: { type: leaf }
  }
})

/** Returns a schema of lists nested five levels deep, each with at least 500 items. */
const lists = (leaf: string) => {
  let items: unknown = { type: leaf }
  for (let level = 0; level < 5; level++) items = { type: "array", minItems: 500, items }
  return { type: "object", properties: { q: items }, required: ["q"] }
}

const text = (pattern: string) => ({ type: "object", properties: { q: { type: "string", pattern } } })

const promise = { description: "", isGuarded: true, annotations: {} }

const undecided: ReadonlyArray<Gap> = [
  { path: [], reason: { _tag: "Unknown", because: "this takes more than 200000 steps" } }
]

describe("containment", () => {
  it("13.4 for schemas that multiply through references or lists, the comparison ends as undecided", () => {
    assert.deepStrictEqual(gaps(definitions("string"), definitions("integer")), undecided)
    assert.deepStrictEqual(gaps(lists("string"), lists("integer")), undecided)
  })

  it("13.4 schemas that differ below 64 levels are not proven to be contained", () => {
    const nested = (type: string) => {
      let schema: object = { type }
      for (let level = 0; level < 80; level++) schema = { type: "array", items: schema }
      return schema
    }
    assert.deepStrictEqual(gaps(nested("string"), nested("integer")), [
      { path: [], reason: { _tag: "Unknown", because: "parts below 64 levels are not compared" } }
    ])
    assert.deepStrictEqual(gaps(nested("string"), nested("string")), [])
  })

  it("13.4 a pattern nested 20,000 levels overflows no stack", () => {
    const deep = text(`${"(".repeat(20_000)}${")".repeat(20_000)}`)
    assert.isNotEmpty(gaps(text("^b$"), deep))
  })

  it("13.4 patterns that RegExp runs in exponential time are compared, with a proof", () => {
    const [found] = gaps(text("^(?:a|a){34}$"), text("^(?:a|a){35}$"))
    assert.deepStrictEqual(found?.witness, { value: { q: "a".repeat(34) } })
  })

  it("13.4 of many tools whose comparisons do not end, each is undecided, and an ordinary tool is still compared", () => {
    const tool = (parameters: unknown): ToolPromise => ({ ...promise, parameters }) as ToolPromise
    const names = Array.from({ length: 40 }, (_, index) => `hostile_${index}`)
    const open = tool({ type: "object", properties: { a: {} } })
    const narrow = tool({ type: "object", properties: { a: { type: "string" } } })
    const before = new Map([...names.map((name) => [name, tool(definitions("string"))] as const), ["ordinary", open]])
    const after = new Map([...names.map((name) => [name, tool(definitions("integer"))] as const), ["ordinary", narrow]])
    const found = changes(before, after).filter(({ weight }) => weight === "breaking")
    assert.strictEqual(found.filter(({ isUnproven }) => isUnproven).length, 40)
    assert.isDefined(found.find(({ tool }) => tool === "ordinary")?.witness)
  })
})
