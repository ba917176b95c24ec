/** Tests the JSON Schema that is inferred from arguments. */
import { assert, describe, it } from "@effect/vitest"
import { inferParameters } from "#kit/infer/inferParameters"
import { times } from "./support.ts"

describe("inferParameters", () => {
  it("13.1 describes the recorded arguments, and allows others", () => {
    const calls = times(60, (n) => ({
      id: `x${n}`,
      limit: n,
      ...(n % 3 === 0 ? {} : { order: n % 2 === 0 ? "asc" : "desc" }),
      filter: n === 7 ? null : { since: `2026-01-${10 + (n % 20)}` }
    }))
    const integer = { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }
    assert.deepStrictEqual(inferParameters(calls), {
      type: "object",
      properties: {
        id: { type: "string", pattern: "^x\\d+$" },
        limit: integer,
        order: { type: "string", enum: ["asc", "desc"] },
        filter: {
          anyOf: [
            {
              type: "object",
              properties: { since: { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$" } },
              required: ["since"],
              additionalProperties: true
            },
            { type: "null" }
          ]
        }
      },
      required: ["id", "limit", "filter"],
      additionalProperties: true
    })
  })

  it("13.2 a number or a string that is null in some calls gets one schema with a list of types", () => {
    const calls = times(120, (n) => ({
      id: `x${n}`,
      limit: n % 3 === 0 ? null : n / 2,
      order: n % 4 === 0 ? null : n % 4 === 1 ? "asc" : "desc"
    }))
    const { properties } = inferParameters(calls)
    assert.deepInclude(properties, {
      limit: { type: ["number", "null"] },
      order: { type: ["string", "null"], enum: ["asc", "desc", null] }
    })
  })

  it("13.2 has a definition for every reference in the schema of recursive arguments", () => {
    const node = (depth: number): object => ({ name: `n${depth}`, children: depth === 0 ? [] : [node(depth - 1)] })
    const text = JSON.stringify(inferParameters(times(60, (n) => ({ root: node(2 + (n % 4)) }))))
    for (const [, name = ""] of text.matchAll(/"\$ref":"#\/definitions\/([^"]*)"/gu)) {
      assert.include(text, `"${name}":{`)
    }
    assert.include(text, '"definitions":')
  })

  it("13.1 allows any object if no call has a non-empty object of arguments", () => {
    const any = { type: "object", properties: {} }
    assert.deepStrictEqual(inferParameters([]), any)
    assert.deepStrictEqual(inferParameters(["{cut", 7, null, [1], {}]), any)
  })
})
