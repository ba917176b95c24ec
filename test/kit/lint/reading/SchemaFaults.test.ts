/** Our check of JSON Schemas: its messages, and the meta-schemas themselves. */
import { faultsOf } from "#kit/lint/reading/SchemaFaults"
import * as JsonPointer from "#domain/json/JsonPointer"
import { assert, describe, it } from "@effect/vitest"
import { publishedJson } from "../../../support/data.ts"

describe("SchemaFaults", () => {
  it("13.3 takes the meta-schemas themselves for valid", () => {
    assert.deepStrictEqual(faultsOf(publishedJson("json-schema/draft-07/schema.json"), []), [])
    assert.deepStrictEqual(faultsOf(publishedJson("json-schema/2020-12/schema.json"), []), [])
  })
})

const told = (schema: unknown) => faultsOf(schema, []).map(({ at, message }) => `${JsonPointer.format(at)}: ${message}`)

describe("SchemaFaults, what it says", () => {
  it("13.3 names the place and what was meant", () => {
    assert.deepStrictEqual(
      told({
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
        '/type: `type` is "dict", which is no type of JSON Schema; write "object"',
        '/properties/a/type: `type` is "float", which is no type of JSON Schema; write "number"',
        '/properties/b/type: `type` is "any", which is no type of JSON Schema; leave `type` out where anything goes',
        '/properties/c/type: `type` is "str", which is no type of JSON Schema; write "string"',
        '/properties/d/type: `type` is "datetime", which is no type of JSON Schema: string, number, integer, boolean, object, array or null',
        "/properties/e/required: `required` is true; in JSON Schema the object around it lists the names of its required properties",
        "/properties/f: a schema is an object, true or false, not the number 7",
        "/required: `required` is a list of names, not a text"
      ]
    )
  })

  it("13.3 judges by the dialect that is named, else by the kinder of the two", () => {
    const draft07 = { $schema: "http://json-schema.org/draft-07/schema#", items: [{ type: "string" }] }
    assert.deepStrictEqual(told(draft07), [])
    assert.deepStrictEqual(told({ items: [{ type: "string" }] }), [])
    assert.deepStrictEqual(told({ ...draft07, $schema: "https://json-schema.org/draft/2020-12/schema" }), [
      "/items: a schema is an object, true or false, not a list"
    ])
    assert.deepStrictEqual(told({ minimum: 1, exclusiveMinimum: true }), [
      "/exclusiveMinimum: `exclusiveMinimum` is a number, not true, as it was in draft-04"
    ])
  })

  it("13.3 says which patterns are no regular expressions, with the flag u or without", () => {
    assert.deepStrictEqual(told({ pattern: "^\\p{L}+$" }), [])
    assert.deepStrictEqual(told({ pattern: "^[\\w-.]+$" }), [])
    assert.deepStrictEqual(told({ pattern: "(" }), ['/pattern: `pattern` is no regular expression of ECMA-262: "("'])
  })
})
