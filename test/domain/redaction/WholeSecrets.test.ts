/** Tests that the whole of a secret is removed: with separators, escaped quotes, and over several lines. */
import * as Redaction from "#domain/redaction/Redaction"
import { assert, describe, it } from "@effect/vitest"
import { removes } from "./MarkedText.ts"

const finders = Redaction.makeFinders()
const letters = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
let seed = 7
/** Returns letters of both cases and digits. */
const random = (length: number): string =>
  Array.from({ length }, () => letters[(seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % 57]).join("")

/** Returns a secret of random parts with a separator between them. */
const separated = (length: number, separator: string): string => {
  let secret = "aB3x"
  while (secret.length < length) secret += random(12) + separator
  return `${secret}${random(6)}`
}

const json = (text: string): string => JSON.stringify(text).slice(1, -1)

describe("a quoted secret with separators", () => {
  const separators = [", ", ";", "&", "|", " ", "(", "<", "{", "[", "'", "`", `\\"`, "\\\\", "\\n"]
  for (const separator of separators) {
    it(`4.15 removes all of it, at any length, with ${JSON.stringify(separator)}`, () => {
      for (const length of [20, 290, 310, 5_000]) {
        const secret = separated(length, separator)
        const texts = [
          [`{"password":"`, `","x":1}`],
          [`{"client_secret": "`, `"}`],
          [`password="`, `" x`],
          [`cli --password "`, `" x`],
          [`Passwort: "`, `" x`],
          [`{"name":"DB_PASSWORD","value":"`, `"}`],
          [`curl -u "bob:`, `" https://a.example`],
          [`machine a login b password "`, `" x`]
        ] as const
        for (const [before, after] of texts) {
          const text = `${before}${secret}${after}`
          const redacted = `${before}[redacted]${after}`
          assert.strictEqual(Redaction.redactText(finders, text), redacted)
          assert.strictEqual(Redaction.redactSecrets(finders, json(text), true), json(redacted))
          assert.strictEqual(Redaction.redactSecrets(finders, json(json(text)), true), json(json(redacted)))
        }
        const field = `{"password":"${secret}","x":1}`
        assert.strictEqual(Redaction.redactSecrets(finders, field, false), `{"password":"[redacted]","x":1}`)
        assert.strictEqual(
          Redaction.redactSecrets(finders, json(json(field)), false),
          json(json(`{"password":"[redacted]","x":1}`))
        )
      }
    })
  }
})

describe("a quote within a secret", () =>
  removes({
    everywhere: [
      `password='⟦Hunter2''Xy9⟧'`,
      `password='⟦Hunter2'\\''Xy9⟧' x`,
      `password='⟦Hunter2'"'"'Xy9⟧' x`,
      `password="⟦Hunter2\\"Xy9⟧" x`,
      `password = @"⟦Hunter2""Xy9⟧"`,
      `Server=a;Password="⟦Hunter2;""Xy9⟧";Database=x`,
      `{"a":"{\\"password\\":\\"⟦Hunter2\\\\\\"Xy9⟧\\",\\"b\\":1}"}`,
      `ALTER ROLE bob WITH PASSWORD '⟦Hunter2''Xy9⟧' VALID`,
      `CREATE USER bob IDENTIFIED BY '⟦Hunter2''Xy9⟧'`,
      `curl -u "bob:⟦Hunter2'Xy9⟧" https://a.example`
    ],
    kept: [`password='' x`, `password="", "a1": "Hunter2Xy9"`, `create role PASSWORD 'abc'`]
  }))

describe("an escaped quote that ends a secret", () =>
  removes({
    everywhere: [`password='⟦Hunter2Xy9!\\⟧' x`, `"a":"password='⟦Hunter2Xy9⟧'","b":"'"`]
  }))

const lines = (count: number, before: string): string =>
  Array.from({ length: count }, () => `${before}${random(40)}`).join("\n")

describe("a secret of several lines", () => {
  for (const count of [2, 30]) {
    const key = lines(count, "")
    const indented = lines(count, "  ").trimStart()
    removes({
      everywhere: [
        `{"private_key":"⟦${json(`-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`)}⟧"}`,
        `DB_PASSWORD="⟦${key}⟧"\nNEXT=1`,
        `password = """⟦${key}⟧"""`,
        `token = '''⟦\n${key}⟧'''`,
        `password: "⟦${indented}⟧"\nother: 1`,
        `password: |\n  ⟦${indented}⟧\nother: 1`,
        `client_secret: |2-\n  ⟦${indented}\n\n  two words⟧\nother: 1`,
        `a:\n  token: >-\n    ⟦${lines(count, "    ").trimStart()}⟧\n  other: 1`,
        `password:\n  ⟦${indented}⟧\n  other: 1`,
        json(`password: |\n  ⟦${indented}⟧\nother: 1`),
        `export API_KEY=⟦${lines(count, "").replaceAll("\n", "\\\n")}⟧\nx`,
        `export API_KEY="⟦${lines(count, "").replaceAll("\n", "\\\n")}⟧"\nx`,
        `-----BEGIN RSA PRIVATE KEY-----⟦\n${lines(count, "> ")}\n> ⟧-----END RSA PRIVATE KEY-----`,
        `+-----BEGIN RSA PRIVATE KEY-----⟦\n${lines(count, "+")}\n+⟧-----END RSA PRIVATE KEY-----`,
        `"-----BEGIN PRIVATE KEY-----⟦\\n" +\n"${lines(count, "").replaceAll("\n", '\\n" +\n"')}\\n" +\n"⟧-----END PRIVATE KEY-----"`,
        `-----BEGIN%20PRIVATE%20KEY-----⟦%0A${lines(count, "").replaceAll("\n", "%0A")}%0A⟧-----END%20PRIVATE%20KEY-----`
      ],
      results: [`Authorization: Bearer ⟦${indented}⟧\nHost: x`, `X-Api-Key: ⟦${indented}⟧\r\nHost: x`]
    })
  }

  removes({
    everywhere: [`cli --password \\\n  ⟦a1B2c3D4e5⟧ \\\n --x`, `cli --token=\\\n⟦a1B2c3D4e5⟧ x`],
    failures: [`password="⟦one⟧ line\n${random(30)}"`, `password="⟦one⟧\nline"`],
    kept: [
      `-----BEGIN PRIVATE KEY-----\nDear customer: (our account has changed)\n-----END PRIVATE KEY-----`,
      `password: |\n  choose a new password\n`,
      `headers:\n  Authorization: required\n  Accept: json\n`
    ]
  })
})

describe("the pairs of a cookie", () =>
  removes({
    results: [
      `Cookie: sid=⟦Ab12Cd34Ef56Gh78Kl; theme=dark; refresh=Zx98Cv76Bn54Mm32Qw⟧; Path=/`,
      `{"cookie":"sid=⟦Ab12Cd34Ef56Gh78Kl; refresh=Zx98Cv76Bn54Mm32Qw⟧; Path=/"}`,
      `Cookie: preference=anordinarylongword; sid=⟦Ab12Cd34Ef56Gh78Kl⟧; Path=/`,
      `curl -H 'Authorization: Bearer ⟦Ab12Cd34Ef56Gh78Kl⟧' https://a.example/v1/Zx98Cv76Bn54Mm32Qw`
    ]
  }))

it("4.15 removes the tokens of all pairs of a cookie from a failure", () =>
  assert.strictEqual(
    Redaction.redactText(finders, "Cookie: theme=dark; sid=Ab12Cd34Ef56Gh78Kl; refresh=Zx98Cv76Bn54Mm32Qw; Path=/"),
    "Cookie: [redacted]; Path=/"
  ))
