/** `inferParameters` infers the JSON Schema of arguments. */
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

  it("13.1 allows any object without calls, or without objects", () => {
    const any = { type: "object", properties: {} }
    assert.deepStrictEqual(inferParameters([]), any)
    assert.deepStrictEqual(inferParameters(["{cut", 7, null, [1], {}]), any)
  })
})
