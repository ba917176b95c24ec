/** `--fix` corrects only findings, leaves all other text unchanged, and changes nothing when repeated. */
import { edits, apply } from "#kit/lint/report/Fix"
import { assert, describe, it } from "@effect/vitest"
import { lintText } from "../support.ts"

const fixed = (text: string): string => apply(text, edits(text, lintText(text).findings))
const changes = (text: string): ReadonlyArray<string> =>
  edits(text, lintText(text).findings).map(({ change }) => change)

const listed = (parameters: string) => `{"name":"get_order","description":"Gets one order.","parameters":${parameters}}`

describe("Fix", () => {
  it("13.3 closes objects in the existing layout", () => {
    const cases = [
      [
        listed(`{"type":"object","properties":{}}`),
        listed(`{"type":"object","properties":{},"additionalProperties":false}`)
      ],
      [
        listed(`{ "type": "object", "properties": {} }`),
        listed(`{ "type": "object", "properties": {}, "additionalProperties": false }`)
      ],
      [
        listed(`{\n\t"type": "object",\n\t"properties": {}\n}`),
        listed(`{\n\t"type": "object",\n\t"properties": {},\n\t"additionalProperties": false\n}`)
      ],
      [
        listed(`{\r\n  "type" : "object"\r\n}`),
        listed(`{\r\n  "type" : "object",\r\n  "additionalProperties": false\r\n}`)
      ]
    ] as const
    for (const [before, after] of cases) assert.strictEqual(fixed(before), after)
  })

  it("13.3 renames types to those of JSON Schema, and removes any", () => {
    const before = `{ "type": "dict", "properties": { "a": { "type": "float" }, "b": { "type": "any", "title": "B" }, "c": { "title": "C", "type": "any" }, "d": { "type": "String" } }, "additionalProperties": false }`
    assert.strictEqual(
      fixed(listed(before)),
      listed(
        `{ "type": "object", "properties": { "a": { "type": "number" }, "b": { "title": "B" }, "c": { "title": "C" }, "d": { "type": "string" } }, "additionalProperties": false }`
      )
    )
    assert.deepStrictEqual(changes(listed(before)), [
      'changed the type "dict" to object',
      'changed the type "float" to number',
      'removed the type "any"',
      'removed the type "any"',
      'changed the type "String" to string'
    ])
  })

  it("13.3 does not change what is not safe", () => {
    for (const parameters of [
      `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":true}`,
      `{"type":"object","properties":{"a":{"type":"string"}},"description":"Any other field is passed on."}`,
      `{"type":"object","allOf":[{"properties":{"a":{"type":"string"}}}]}`,
      `{"type":"object","anyOf":[{"properties":{"a":{"type":"string"}}}]}`,
      `{"type":"object","properties":{"a":{"type":"string"}},"if":{"required":["a"]},"then":{"properties":{"b":{"type":"string"}}}}`,
      `{"type":"object","properties":{"a":{"$ref":"#/$defs/A"},"b":{"allOf":[{"$ref":"#/$defs/A"},{"properties":{"c":{"type":"string"}}}]}},"additionalProperties":false,"$defs":{"A":{"type":"object","properties":{"d":{"type":"string"}}}}}`,
      `{"type":"object","properties":{"a":{"type":"datetime"}},"additionalProperties":false}`
    ]) {
      assert.strictEqual(fixed(listed(parameters)), listed(parameters))
    }
    const result = `[{"name":"get_order","description":"Gets one order.","inputSchema":{"type":"object","additionalProperties":false},"outputSchema":{"type":"dict"}}]`
    assert.strictEqual(fixed(result), result)
    const suppressed = `{"name":"get_order","description":"Gets one order.","parameters":{"type":"object"},"x-toolguard-ignore":{"additional-properties":"It is a proxy."}}`
    assert.strictEqual(fixed(suppressed), suppressed)
  })
})
