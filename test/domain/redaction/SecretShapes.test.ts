/** Tests that secrets of many kinds are removed: of cloud providers, in files, in escaped texts, in fields. */
import * as Redaction from "#domain/redaction/Redaction"
import { assert, describe, it } from "@effect/vitest"
import { shapes } from "./SecretShapes.ts"

const finders = Redaction.makeFinders()
const json = (value: unknown): unknown => Redaction.redactJson(finders, value)
const mark = "[redacted]"

describe("Shapes of secrets", () => {
  for (const [name, text, secret, where] of shapes) {
    it(`4.15 removes from failures: ${name}`, () => assert.notInclude(Redaction.redactText(finders, text), secret))
    if (where === "failures") {
      it(`4.15 keeps in results, where a model needs it: ${name}`, () =>
        assert.include(Redaction.redactSecrets(finders, text, false), secret))
    } else {
      it(`4.15 removes from results: ${name}`, () =>
        assert.notInclude(Redaction.redactSecrets(finders, text, false), secret))
    }
  }

  it("4.15 each text contains its secret", () =>
    assert.deepStrictEqual(
      shapes.filter(([, text, secret]) => !text.includes(secret)).map(([name]) => name),
      []
    ))

  it("4.15 a redacted text remains unchanged when it is redacted again", () => {
    for (const [, text] of shapes) {
      for (const isWide of [true, false]) {
        const once = Redaction.redactSecrets(finders, text, isWide)
        assert.strictEqual(Redaction.redactSecrets(finders, once, isWide), once)
      }
    }
  })
})

describe("JSON Web Keys", () => {
  it("4.15 redacts the private parts of a key, and no field of the same name elsewhere", () => {
    const open = { kty: "RSA", n: "0vx7agoebGcQSuu", e: "AQAB", kid: "2011-04-29" }
    const parts = { d: "X4cTteJY_gn4FYPsXB8rdXix", p: "83i-7IvMGXoMXCsk", q: "3dfOR9cuYq-0S-mk", k: "GawgguFyGrWKav7A" }
    const hidden = Object.fromEntries(Object.keys(parts).map((name) => [name, mark]))
    assert.deepStrictEqual(json({ keys: [{ ...open, ...parts }] }), { keys: [{ ...open, ...hidden }] })
    assert.deepStrictEqual(json(parts), parts)
  })
})

describe("Fields named like a password", () => {
  const passwords: ReadonlyArray<unknown> = [
    "$uperS3cret!9",
    "#Tr0ub4dor&3",
    "@dmin-9921-Xy",
    "%9921-Xy!a",
    "{9921-Xy!a",
    "[9921-Xy!a",
    "<9921-Xy!a",
    "my-Dog-9921!",
    "your-Dog-9921!",
    "correct horse battery staple",
    "Hunter",
    "abc",
    "a b",
    20481633,
    "20481633",
    "/wJalrXUtnFEMI9K7MDENGbPxRfiCYEXAMPLEK9"
  ]
  for (const password of passwords) {
    it(`4.15 redacts the password ${JSON.stringify(password)}`, () => {
      assert.deepStrictEqual(json({ password }), { password: mark })
      assert.deepStrictEqual(json([{ db_password: [password] }]), [{ db_password: [mark] }])
      assert.deepStrictEqual(json({ SecretAccessKey: password }), { SecretAccessKey: mark })
    })
  }

  it("4.15 redacts secrets in objects below a password, an API key or credentials", () =>
    assert.deepStrictEqual(
      json({
        password: { current: "hunter2Xy9", new: { value: "correct horse" }, length: 12 },
        credentials: { username: "bob", value: "hunter2Xy9" },
        apiKey: { type: "plain", value: "hunter2Xy9" },
        properties: { password: { type: "string", default: "Hunter2Xy9!" } }
      }),
      {
        password: { current: mark, new: { value: mark }, length: 12 },
        credentials: { username: "bob", value: mark },
        apiKey: { type: "plain", value: mark },
        properties: { password: { type: "string", default: mark } }
      }
    ))

  it("4.15 keeps the scheme before a token, and an authorization without a recognisable token", () =>
    assert.deepStrictEqual(json({ Authorization: "Bearer abcdefghijkl", access_token: "Bearer x-y-z" }), {
      Authorization: "Bearer abcdefghijkl",
      access_token: `Bearer ${mark}`
    }))

  it("4.15 redacts a sentence that contains a password", () =>
    assert.deepStrictEqual(json({ password: "The password is hunter2Xy9" }), { password: mark }))
})
