/** Tests that a schema that many operations share is compiled once, and that different schemas are not confused. */
import { compile } from "#domain/schema/foreign/ForeignSchema"
import { assert, describe, it } from "@effect/vitest"

const schema = (more: object = {}) => ({ type: "object", properties: { q: { type: "string", ...more } } })

describe("ForeignSchema.compile", () => {
  it("13.3 compiles equal schemas once, even with others in between, and different schemas separately", () => {
    const first = compile(schema())
    for (let n = 0; n < 10; n += 1) assert.notStrictEqual(compile(schema({ minLength: n })), first)
    assert.strictEqual(compile(schema()), first)
  })

  it("13.3 does not confuse values that JSON does not represent", () => {
    const [one, other] = [compile(schema({ maxLength: Infinity })), compile(schema({ maxLength: null }))]
    assert.notStrictEqual(one, other)
  })
})
