/** Tests that `--fix` corrects only findings, and leaves all other text unchanged. */
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

  it("13.3 renames types to those of JSON Schema, and removes the type any", () => {
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

  it("13.3 makes no unsafe change", () => {
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

  it("13.3 renames misspelt keywords whose value fits, and nothing else", () => {
    const string = (keywords: string) =>
      listed(
        `{"type":"object","properties":{"a":{"type":"string",${keywords}}},"required":[],"additionalProperties":false}`
      )
    for (const [before, after] of [
      [`"maxlength":20,"min_length":1`, `"maxLength":20,"minLength":1`],
      [`"Description":"A text."`, `"description":"A text."`],
      [`"pattren":"^a"`, `"pattern":"^a"`]
    ] as const) {
      assert.strictEqual(fixed(string(before)), string(after))
    }
    for (const kept of [
      `"maxlength":"20"`,
      `"maxlength":20,"maxLength":30`,
      `"maxlength":20,"max_length":30`,
      `"maxlength":2,"minLength":3`,
      `"minlength":3,"enum":["a"]`,
      `"maxlength":20,"maxlength":30`,
      `"nullable":true`,
      `"max":20`,
      `"Type":"string"`,
      `"anyof":[{"type":"string"}]`
    ]) {
      assert.strictEqual(fixed(string(kept)), string(kept))
    }
    const object = (keywords: string) => listed(`{"type":"object","properties":{"a":{"type":"string"}},${keywords}}`)
    assert.strictEqual(
      fixed(object(`"requried":["a"],"additionalproperties":false`)),
      object(`"required":["a"],"additionalProperties":false`)
    )
    assert.deepStrictEqual(changes(object(`"additionalproperties":false`)), [
      'changed "additionalproperties" to "additionalProperties"'
    ])
    for (const kept of [`"requried":["b"],"additionalProperties":false`, `"additionalproperties":{"type":"string"}`]) {
      assert.strictEqual(fixed(object(kept)), object(kept))
    }
  })

  it("13.3 gives an idempotency key the minimum length, unless another keyword may contradict it", () => {
    const key = (keywords: string) =>
      `{"name":"create_order","description":"Creates an order.","parameters":{"type":"object","properties":{"idempotency_key":{"type":"string"${keywords}}},"required":[],"additionalProperties":false}}`
    assert.strictEqual(fixed(key("")), key(`,"minLength":16`))
    assert.strictEqual(fixed(key(`,"maxLength":64`)), key(`,"maxLength":64,"minLength":16`))
    assert.strictEqual(fixed(key(`,"minLength":8`)), key(`,"minLength":16`))
    assert.deepStrictEqual(changes(key(`,"minLength":8`)), ['changed "minLength" from 8 to 16'])
    for (const kept of [`,"maxLength":10`, `,"default":"k"`, `,"anyOf":[{"pattern":"^a$"}]`, `,"minLength":"8"`]) {
      assert.notInclude(changes(key(kept)).join(), "minLength")
    }
    const required = key("").replace(`"required":[]`, `"required":["idempotency_key"]`)
    assert.strictEqual(fixed(required), required.replace(`"string"`, `"string","minLength":16`))
  })

  it("13.3 removes a repeated key only if both values are equal", () => {
    const named = (text: string) => `{${text},"parameters":{"type":"object","additionalProperties":false}}`
    const [name, description] = [`"name":"get_order"`, `"description":"Gets one order."`]
    assert.strictEqual(fixed(named(`${name}, ${description}, ${name}`)), named(`${description}, ${name}`))
    assert.deepStrictEqual(changes(named(`${name},${name},${description}`)), ['removed one of two equal "name"'])
    const different = named(`"name":"get_a",${description},${name}`)
    assert.strictEqual(fixed(different), different)
  })
})
