/** Tests which fields of a result lose their content, by their names, their siblings and the fields around them. */
import { assert, describe, it } from "@effect/vitest"
import * as Redaction from "#domain/redaction/Redaction"

const finders = Redaction.makeFinders()
const mark = "[redacted]"
const secret = "hunter2Xy9"

/** Checks redacted values. A value that is not listed with its redacted form is kept. */
const redacts = (name: string, rows: ReadonlyArray<readonly [value: unknown, redacted?: unknown]>) =>
  describe(name, () => {
    for (const [value, redacted = value] of rows)
      it(`4.15 ${JSON.stringify(value)}`, () => {
        const after = Redaction.redactJson(finders, value)
        assert.deepStrictEqual(after, redacted)
        if (redacted === value) assert.strictEqual(after, value)
      })
  })

redacts("an object in a password", [
  [{ password: { value: secret } }, { password: { value: mark } }],
  [{ password: { a: { b: "abcd" } } }, { password: { a: { b: mark } } }],
  [{ password: { hint: secret, other: secret } }, { password: { hint: secret, other: mark } }],
  [{ password: { updatedAt: secret, created_on: secret } }],
  [
    { password: { type: "string", default: secret, other: secret } },
    { password: { type: "string", default: mark, other: secret } }
  ],
  [{ password: { type: ["string"], other: secret } }],
  [{ password: { $ref: "#/x", other: secret } }],
  [{ password: { type: 1, other: secret } }, { password: { type: 1, other: mark } }],
  [{ token: { value: secret, other: secret } }, { token: { value: mark, other: secret } }],
  [{ token: { plainText: secret } }, { token: { plainText: mark } }],
  [{ secret: { enabled: "abcd" } }],
  [{ password: Object.assign(Object.create(null) as object, { x: "abcd" }) }, { password: { x: mark } }],
  [{ password: new Date(0) }],
  [
    { credentials: { password: "abcd", username: "abcd", key: "a1B2c3d4e5" } },
    { credentials: { password: mark, username: "abcd", key: "a1B2c3d4e5" } }
  ]
])

redacts("a field below sentences about fields", [
  [{ errors: { password: "hunter" } }],
  [{ errors: { password: secret } }, { errors: { password: mark } }],
  [{ errors: { password: ["hunter", "a1B2c3d4e5f6"] } }, { errors: { password: ["hunter", mark] } }],
  [{ errors: { db: { password: "hunter" } } }, { errors: { db: { password: mark } } }],
  [{ errors: [{ password: "hunter" }] }, { errors: [{ password: mark }] }],
  [{ password: { errors: { x: "abcd" } } }],
  [{ labels: { password: { x: "abcd" } } }]
])

redacts("a field by its siblings", [
  [
    { kty: "RSA", d: "abcdef" },
    { kty: "RSA", d: mark }
  ],
  [{ kty: 1, d: "abcdef" }],
  [{ d: "abcdef" }],
  [
    { kind: "Secret", data: { a: "abcd" } },
    { kind: "Secret", data: { a: mark } }
  ],
  [
    { kind: "Secret", stringData: { a: "abcd", b: { c: "abcd" }, password: "x" } },
    { kind: "Secret", stringData: { a: mark, b: { c: mark }, password: "x" } }
  ],
  [
    { kind: "Config", data: { a: "abcd", password: "abcd" } },
    { kind: "Config", data: { a: "abcd", password: mark } }
  ],
  ...["name", "key"].map(
    (name) =>
      [
        { [name]: "DB_PASSWORD", value: "abcd" },
        { [name]: "DB_PASSWORD", value: mark }
      ] as const
  ),
  ...["Name", "Key"].map(
    (name) =>
      [
        { [name]: "DB_PASSWORD", Value: "abcd" },
        { [name]: "DB_PASSWORD", Value: mark }
      ] as const
  ),
  [
    { name: "DB_TOKEN", value: secret },
    { name: "DB_TOKEN", value: mark }
  ],
  [
    { name: "DB_PASSWORD", value: { a: "abcd" } },
    { name: "DB_PASSWORD", value: { a: mark } }
  ],
  [
    { name: "DB_PASSWORD", value: ["abcd", 1234] },
    { name: "DB_PASSWORD", value: [mark, mark] }
  ],
  [{ name: "value", value: "abcd" }],
  [{ name: "PORT", value: "abcd" }],
  [{ name: 3, value: "abcd" }],
  [{ name: "d", value: "abcd" }],
  [{ value: "abcd" }]
])

redacts("a text or a number", [
  [{ password: [1234, 12, true, null] }, { password: [mark, 12, true, null] }],
  [{ password: 1234 }, { password: mark }],
  [{ token: 1234 }],
  [{ access_token: "Bearer abc def1" }, { access_token: `Bearer ${mark}` }],
  [{ authorization: "abcdef" }, { authorization: mark }],
  [{ authorization: "Basic abc" }],
  [{ a: { password: "x" } }],
  [[[`password=${secret}`]], [[`password=${mark}`]]]
])

describe("a value that occurs twice", () =>
  it("4.15 loses its secrets at both places", () => {
    const record = { password: "abcd" }
    const list = [`password=${secret}`]
    assert.deepStrictEqual(Redaction.redactJson(finders, { a: record, b: [record, list], c: list }), {
      a: { password: mark },
      b: [{ password: mark }, [`password=${mark}`]],
      c: [`password=${mark}`]
    })
  }))

describe("names of fields", () =>
  it("4.15 are not remembered beyond their number and length, and imply the same", () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field${index}`, "hunter"]))
    assert.strictEqual(Redaction.redactJson(finders, many), many)
    const long = `${"x".repeat(70)}password`
    for (const name of ["later_password", long, long])
      assert.deepStrictEqual(Redaction.redactJson(finders, { [name]: "hunter" }), { [name]: mark })
  }))
