/** Tests the schema of strings that contain a Python repr. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as PythonRepr from "#src/checks/PythonRepr"

const Id = PythonRepr.fromReprString(Schema.Struct({ id: Schema.Int }))

describe("fromReprString", () => {
  it("13.2 reads a repr and JSON", () => {
    const decode = Schema.decodeUnknownSync(Id)
    assert.deepStrictEqual(decode("{'id': 7}"), { id: 7 })
    assert.deepStrictEqual(decode(`{"id": 7}`), { id: 7 })
  })

  it("13.2 writes JSON", () => {
    assert.strictEqual(Schema.encodeSync(Id)({ id: 7 }), `{"id":7}`)
  })

  it("13.2 rejects a text in neither format with the names of both, and a value that breaks the schema", () => {
    assert.throws(() => Schema.decodeUnknownSync(Id)("{'id': 7"), /the repr of a Python value or JSON/)
    assert.throws(() => Schema.decodeUnknownSync(Id)("{'id': 'x'}"), /number/)
  })
})
