/**
 * Tests that the validation of JSON Schemas agrees with the official meta-schemas, as `ajv` applies them, on the recorded
 * catalogues.
 */
import { faultsBy } from "#kit/lint/reading/SchemaFaults"
import { isJsonObject } from "#domain/json/JsonObject"
import { draft07, draft2020 } from "#domain/schema/json/Keywords"
import { assert, describe, it } from "@effect/vitest"
import { Ajv, type ValidateFunction } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { published, publishedJson, recordedData } from "../../../support/data.ts"
import { random } from "../../../support/JsonSchemaValues.ts"
import { needs } from "../../../support/prerequisites.ts"
import { catalogues } from "../support.ts"

const options = { strict: false, validateFormats: false, meta: false, validateSchema: false } as const

/** Compiles validators from the meta-schemas. */
const compileValidators = (): { readonly draft07: ValidateFunction; readonly draft2020: ValidateFunction } => {
  const newer = new Ajv2020(options)
  for (const file of readdirSync(join(published, "json-schema/2020-12/meta"))) {
    newer.addSchema(publishedJson(`json-schema/2020-12/meta/${file}`))
  }
  return {
    draft07: new Ajv(options).compile(publishedJson("json-schema/draft-07/schema.json")),
    draft2020: newer.compile(publishedJson("json-schema/2020-12/schema.json"))
  }
}

/** Returns all schemas of parameters and results in the catalogues. */
const schemas = (): ReadonlyArray<unknown> =>
  [...catalogues().values()]
    .flatMap((text): ReadonlyArray<any> => JSON.parse(text))
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

/** Returns the schema with odd values under a few random keywords. */
const mutated = (schema: unknown, next: () => number): unknown => {
  if (Array.isArray(schema)) return schema.map((each: unknown) => (next() < 0.3 ? mutated(each, next) : each))
  if (!isJsonObject(schema)) return schema
  const out = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, next() < 0.4 ? mutated(value, next) : value])
  )
  if (next() < 0.25) out[keywords[Math.floor(next() * keywords.length)]!] = odd[Math.floor(next() * odd.length)]
  return out
}

/** Removes faults of patterns that do not compile: without formats, the meta-schemas accept such patterns. */
const withoutPatterns = (faults: ReadonlyArray<{ readonly message: string }>) =>
  faults.filter(({ message }) => !message.includes("not a valid ECMA-262 regular expression"))

describe("SchemaFaults", needs(recordedData), () => {
  it("13.3 agrees with the official meta-schemas on every schema of the catalogues, and on their mutants", () => {
    const validators = compileValidators()
    const next = random(133)
    let [valid, invalid] = [0, 0]
    for (const original of schemas()) {
      for (const schema of [original, mutated(original, next), mutated(original, next)]) {
        for (const [name, by] of [
          ["draft07", draft07],
          ["draft2020", draft2020]
        ] as const) {
          const isValid = validators[name](schema)
          const faults = withoutPatterns(faultsBy(by, schema, []))
          assert.strictEqual(
            faults.length === 0,
            isValid,
            `${name}: ${JSON.stringify(schema)}\n${JSON.stringify(faults)}\n${JSON.stringify(validators[name].errors)}`
          )
          if (isValid) valid++
          else invalid++
        }
      }
    }
    assert.isAbove(valid, 4_000)
    assert.isAbove(invalid, 2_000)
  })
})
