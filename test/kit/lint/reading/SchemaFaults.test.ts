/** Our check of JSON Schemas says what the official meta-schemas say, as `ajv` reads them. */
import { faultsBy, faultsOf } from "#kit/lint/reading/SchemaFaults"
import { written } from "#kit/lint/reading/Json"
import { isJsonObject } from "#domain/json/JsonObject"
import { draft07, draft2020 } from "#kit/lint/reading/SchemaKeywords"
import { assert, describe, it } from "@effect/vitest"
import { Ajv, type ValidateFunction } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { data, hasData } from "../../../support/data.ts"
import { random } from "../../../support/JsonSchemaValues.ts"

const json = (...path: ReadonlyArray<string>): any => JSON.parse(readFileSync(join(data, ...path), "utf8"))

const options = { strict: false, validateFormats: false, meta: false, validateSchema: false } as const

/** The judges: the meta-schemas as validators. */
const judges = (): { readonly draft07: ValidateFunction; readonly draft2020: ValidateFunction } => {
  const newer = new Ajv2020(options)
  for (const file of readdirSync(join(data, "specs/json-schema/2020-12/meta"))) {
    newer.addSchema(json("specs/json-schema/2020-12/meta", file))
  }
  return {
    draft07: new Ajv(options).compile(json("specs/json-schema/draft-07/schema.json")),
    draft2020: newer.compile(json("specs/json-schema/2020-12/schema.json"))
  }
}

/** Every schema of the catalogues: parameters and results. */
const schemas = (): ReadonlyArray<unknown> =>
  readdirSync(join(data, "catalogues"))
    .filter((file) => file.endsWith(".json"))
    .flatMap((file) => json("catalogues", file) as ReadonlyArray<any>)
    .flatMap((tool) => [tool.inputSchema, tool.outputSchema, tool.function?.parameters])
    .filter((schema) => schema !== undefined)

const odd = [
  null,
  true,
  false,
  -1,
  0,
  1.5,
  "",
  "dict",
  "object",
  "(",
  "a#b",
  [],
  {},
  [1, 1],
  ["a", "a"],
  ["a"],
  [{}],
  [null],
  { a: 1 },
  { a: {} },
  { a: ["b", "b"] },
  { a: true },
  ["string", "string"],
  ["string", "null"],
  { type: "object" }
]
const keywords = [...new Set([...Object.keys(draft07), ...Object.keys(draft2020)])]

/** The schema with odd values under a few keywords, somewhere inside. */
const mutated = (schema: unknown, next: () => number): unknown => {
  if (Array.isArray(schema)) return schema.map((each: unknown) => (next() < 0.3 ? mutated(each, next) : each))
  if (!isJsonObject(schema)) return schema
  const out = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, next() < 0.4 ? mutated(value, next) : value])
  )
  if (next() < 0.25) out[keywords[Math.floor(next() * keywords.length)]!] = odd[Math.floor(next() * odd.length)]
  return out
}

/** Patterns that do not compile are a fault here, and none to the meta-schemas without formats. */
const withoutPatterns = (faults: ReadonlyArray<{ readonly message: string }>) =>
  faults.filter(({ message }) => !message.includes("no regular expression"))

describe.skipIf(!hasData)("SchemaFaults", () => {
  it(
    "13.3 agrees with the official meta-schemas on every schema of the catalogues, and on their mutants",
    { timeout: 120_000 },
    () => {
      const judge = judges()
      const next = random(133)
      let [valid, invalid] = [0, 0]
      for (const original of schemas()) {
        for (const schema of [original, mutated(original, next), mutated(original, next)]) {
          for (const [name, by] of [
            ["draft07", draft07],
            ["draft2020", draft2020]
          ] as const) {
            const isValid = judge[name](schema)
            const faults = withoutPatterns(faultsBy(by, schema, []))
            assert.strictEqual(
              faults.length === 0,
              isValid,
              `${name}: ${JSON.stringify(schema)}\n${JSON.stringify(faults)}\n${JSON.stringify(judge[name].errors)}`
            )
            if (isValid) valid++
            else invalid++
          }
        }
      }
      assert.isAbove(valid, 4_000)
      assert.isAbove(invalid, 2_000)
    }
  )

  it("13.3 takes the meta-schemas themselves for valid", () => {
    assert.deepStrictEqual(faultsOf(json("specs/json-schema/draft-07/schema.json"), []), [])
    assert.deepStrictEqual(faultsOf(json("specs/json-schema/2020-12/schema.json"), []), [])
  })
})

const told = (schema: unknown) => faultsOf(schema, []).map(({ at, message }) => `${written(at)}: ${message}`)

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
