/** Tests the validation of JSON Schemas: its messages, and the meta-schemas themselves. */
import { faultsOf } from "#kit/lint/reading/SchemaFaults"
import * as JsonPointer from "#domain/json/JsonPointer"
import { assert, describe, it } from "@effect/vitest"
import { publishedJson } from "../../../support/data.ts"

describe("SchemaFaults", () => {
  it("13.3 accepts the meta-schemas themselves", () => {
    assert.deepStrictEqual(faultsOf(publishedJson("json-schema/draft-07/schema.json"), []), [])
    assert.deepStrictEqual(faultsOf(publishedJson("json-schema/2020-12/schema.json"), []), [])
  })
})

const messages = (schema: unknown) =>
  faultsOf(schema, []).map(({ at, message }) => `${JsonPointer.format(at)}: ${message}`)

describe("the messages of SchemaFaults", () => {
  it("13.3 name the place and the intended value", () => {
    assert.deepStrictEqual(
      messages({
        type: "dict",
        properties: {
          a: { type: "float" },
          b: { type: "any" },
          c: { type: ["str", "null"] },
          d: { type: "datetime" },
          e: { required: true },
          f: 7
        },
        required: "a"
      }),
      [
        '/type: `type` is "dict", which is not a JSON Schema type; write "object"',
        '/properties/a/type: `type` is "float", which is not a JSON Schema type; write "number"',
        '/properties/b/type: `type` is "any", which is not a JSON Schema type; to allow any value, remove `type`',
        '/properties/c/type: `type` is "str", which is not a JSON Schema type; write "string"',
        '/properties/d/type: `type` is "datetime", which is not a JSON Schema type: string, number, integer, boolean, object, array or null',
        "/properties/e/required: `required` is true; in JSON Schema, the enclosing object lists the names of its required properties",
        "/properties/f: a schema must be an object, true or false, not the number 7",
        "/required: `required` must be an array of names, not a string"
      ]
    )
  })

  it("13.3 depend on the declared dialect, or on the dialect with fewer faults if none is declared", () => {
    const draft07 = { $schema: "http://json-schema.org/draft-07/schema#", items: [{ type: "string" }] }
    assert.deepStrictEqual(messages(draft07), [])
    assert.deepStrictEqual(messages({ items: [{ type: "string" }] }), [])
    assert.deepStrictEqual(messages({ ...draft07, $schema: "https://json-schema.org/draft/2020-12/schema" }), [
      "/items: a schema must be an object, true or false, not an array"
    ])
    assert.deepStrictEqual(messages({ minimum: 1, exclusiveMinimum: true }), [
      "/exclusiveMinimum: `exclusiveMinimum` must be a number, not true (draft-04)"
    ])
  })

  it("13.3 report patterns that do not compile, with or without the flag u", () => {
    assert.deepStrictEqual(messages({ pattern: "^\\p{L}+$" }), [])
    assert.deepStrictEqual(messages({ pattern: "^[\\w-.]+$" }), [])
    assert.deepStrictEqual(messages({ pattern: "(" }), [
      '/pattern: `pattern` is not a valid ECMA-262 regular expression: "("'
    ])
  })
})
