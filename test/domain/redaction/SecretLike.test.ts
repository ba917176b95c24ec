/** Tests which values are secrets in their context, and what the name of a field implies. */
import { assert, describe, it } from "@effect/vitest"
import * as SecretLike from "#domain/redaction/SecretLike"

type Context = Parameters<typeof SecretLike.isSecretLike>[1]

const inResult: Context = { word: "token", isWide: false, isQuoted: false, isEquals: true, after: "" }
const inFailure: Context = { word: "token", isWide: true, isQuoted: false, isEquals: false, after: "" }

/** Checks which values are secrets, and which are not. */
const values = (name: string, context: Context, secrets: ReadonlyArray<string>, others: ReadonlyArray<string>) => {
  for (const value of secrets)
    it(`4.15 ${name}: ${value} is a secret`, () => assert.isTrue(SecretLike.isSecretLike(value, context)))
  for (const value of others)
    it(`4.15 ${name}: ${value} is not a secret`, () => assert.isFalse(SecretLike.isSecretLike(value, context)))
}

describe("a token in a result", () => {
  values(
    "token",
    inResult,
    [
      "Ab12Cd34",
      "ab12cd34",
      "Abcd!efgh",
      "abc1!efg",
      "1234567890123456a",
      "!Ab12Cd34",
      "ABCD-1234-XY",
      "Base64Url2Key12",
      "aB1cD2eF3",
      "abc12Def3",
      "my-a1B2c3d4",
      "/bCdEfGh1jKlMnOpQrStUvWxYz0123456789+/AB",
      "/bCdEfGh1jKlMnOpQrStUvWxYz0="
    ],
    [
      "Ab12Cd3",
      "abcdefgh",
      "abcdefg1",
      "Abcdefg1",
      "abcd!efgh",
      "12345678901234567",
      "aaaaaaa11",
      "abcdabcd1A",
      "Hunter2Xy",
      "a b1C2d3e4f5"
    ]
  )
  values(
    "name in code",
    inResult,
    [],
    [
      "process.env.TOKEN2x",
      "this.token22",
      "obj?.token22",
      "DB_PASSWORD_22",
      "DB22_PASSWORD",
      "access_token_v22",
      "access-token-22ab",
      "RedactedUint8Array",
      "getUint16Array32",
      "my-token-abc"
    ]
  )
  values(
    "address",
    inResult,
    [],
    [
      "arn:aws:x:1234ab",
      "urn:a1b2c3d4",
      "https://h/a1b2c3d4",
      "./a1b2C3d4e5",
      "../a1b2C3d4e5",
      "/a1b2C3d4e5",
      "~/a1b2C3d4e5",
      String.raw`C:\a1b2C3d4e5`,
      "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1"
    ]
  )
  values(
    "template",
    inResult,
    [],
    ["your-a1B2c3d4", "[a1B2c3d4]", "$a1B2c3d4e", "%a1B2c3d4e%", "#a1B2c3d4e5", "@a1B2c3d4e5"]
  )
  values("call", { ...inResult, after: "(" }, [], ["Ab12Cd34Ef"])
  values("quoted", { ...inResult, isQuoted: true }, ["Ab12Cd34"], ["abcdefgh", "Ab1!", "#a1B2c3d4e5", "a b1C2d3e4f5"])
})

describe("a password in a result", () => {
  const password = { ...inResult, word: "password" }
  values(
    "bare",
    password,
    ["Ab12Cd34", "Hunter2Xy", "password1A", "my-Dog-9921!"],
    ["Hunter2", "hunter2xy", "abcdefgh", "Abc1", "12345678", "#a1B2c3d4e5"]
  )
  values(
    "quoted",
    { ...password, isQuoted: true },
    [
      "huNter",
      "h2xy",
      "abc!",
      "#a1B2c3d4e5",
      "your-a1B2c3d4",
      "$uperS3cret!9",
      "correct horse 12",
      "Correct horse!x",
      `${"a1 ".repeat(26)}a1`,
      "Hunter2Xyz",
      "Tr0ub4dor",
      "Uint16Array32x"
    ],
    [
      "hunter",
      "Hunter",
      "HUNTER",
      "h2x",
      "correct horse",
      "correct horse!",
      "correct horse 12.",
      "correct (horse) 12",
      "must have 12 characters",
      `${"a1 ".repeat(27)}a1`,
      "process.env.PW22",
      "getToken22",
      "db_password_22",
      "PASSWORD_22"
    ]
  )
})

describe("a value in a failure", () => {
  values(
    "token",
    inFailure,
    ["aBcde", "ab-c", "1234567890123456"],
    ["abc", "abcde", "Abcde", "ABCDE", "a-c", "ab-", "[abc1", "<abc1", "{abc1", "1234", "123456789012345"]
  )
  values("call", { ...inFailure, after: "(" }, [], ["ab-cd"])
  values("after an equals sign", { ...inFailure, isEquals: true }, ["abc"], ["ab", "[bc"])
  values("quoted", { ...inFailure, isQuoted: true }, ["abc"], ["ab", "null"])
  values("password", { ...inFailure, word: "password" }, ["1234"], ["123", "hunter", "null"])
  for (const word of ["passcode", "pass_phrase", "passphrase", "pwd", "_pass"])
    values(word, { ...inFailure, word }, ["1234"], ["123"])
  for (const word of ["_key", "secret", "my_pwd"]) values(word, { ...inFailure, word }, [], ["1234"])
})

describe("entropy", () =>
  it("4.15 is in bits per character", () =>
    assert.deepStrictEqual(["", "aaaa", "aabb", "abcd"].map(SecretLike.entropy), [0, 0, 1, 2])))

describe("the name of a field", () => {
  const kinds = {
    secret: [
      "accessToken",
      "session-token",
      "client_secret",
      "pwd",
      "user pwd",
      "x-api-key",
      `${"x".repeat(70)}password`
    ],
    header: ["authorization", "Proxy-Authorization", "passwords"],
    perhaps: ["token", "mytoken", "secret", "secrets", "credentials", "cookie", "set-cookie", "access_key"],
    none: ["next_token", "nextToken", "page.token", "csrf token", "NextPageToken", "syncToken", "name", "accessKeys"]
  }
  for (const [kind, names] of Object.entries(kinds))
    for (const name of names)
      it(`4.15 ${name} implies ${kind}`, () => assert.strictEqual(SecretLike.fieldKind(name), kind))
  it("4.15 counts by its last 60 characters", () =>
    assert.strictEqual(SecretLike.fieldKind(`password${"x".repeat(60)}`), "none"))
})

describe("the text of a field", () => {
  const texts = [
    "ab",
    "abc",
    "password",
    "is required here",
    "is required here a1B2c3d4",
    "a b c",
    "Passwort",
    "geheim",
    "gehei",
    "Geheim1",
    "Bearer a1b2c3d4",
    "a1b2c3d4",
    "a1b2c3d",
    "https://h/a1b2c3d4",
    "sid=a1b2c3d4e5f6a7b8",
    "sid=a1b2c3d4e5f6a7",
    "Éte",
    "ÉTÉ2x"
  ]
  const secretsOf = (kind: SecretLike.FieldKind) => texts.filter((text) => SecretLike.isSecretField(kind, text))

  it("4.15 is a secret by the kind of the field", () => {
    const notSecret = new Set(["ab", "password", "is required here", "Passwort", "https://h/a1b2c3d4"])
    assert.deepStrictEqual(
      secretsOf("secret"),
      texts.filter((text) => !notSecret.has(text))
    )
    assert.deepStrictEqual(secretsOf("header"), [
      "geheim",
      "Geheim1",
      "a1b2c3d4",
      "a1b2c3d",
      "sid=a1b2c3d4e5f6a7b8",
      "sid=a1b2c3d4e5f6a7",
      "ÉTÉ2x"
    ])
    assert.deepStrictEqual(secretsOf("perhaps"), ["a1b2c3d4", "sid=a1b2c3d4e5f6a7b8"])
    assert.deepStrictEqual(secretsOf("none"), [])
  })

  it("4.15 is read up to 2,000 characters if only a token in it is a secret", () => {
    const text = (length: number) => `${"ab ".repeat(length / 3)}a1B2c3d4e5f6a7B8`
    assert.isTrue(SecretLike.isSecretField("perhaps", text(1_980)))
    assert.isFalse(SecretLike.isSecretField("perhaps", text(2_001)))
  })

  it("4.15 a number of three digits or more is a secret only in the field of a password or key", () => {
    assert.deepStrictEqual(
      [99, 100, -99, -100, 12.5].map((value) => SecretLike.isSecretNumber("secret", value)),
      [false, true, false, true, false]
    )
    assert.isFalse(SecretLike.isSecretNumber("perhaps", 1_000))
  })
})
