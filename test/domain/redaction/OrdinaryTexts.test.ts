/** Tests that redaction leaves ordinary texts unchanged in failures, in results and in fields. */
import * as Redaction from "#domain/redaction/Redaction"
import { assert, describe, it } from "@effect/vitest"
import { documents, ordinary } from "./OrdinaryTexts.ts"

const finders = Redaction.makeFinders()

describe("Redaction of ordinary texts", () => {
  it("4.15 leaves at least 200 ordinary texts unchanged in results", () => {
    const texts = [...ordinary, ...documents]
    assert.isAtLeast(new Set(texts).size, 200)
    assert.deepStrictEqual(
      texts.filter((text) => Redaction.redactSecrets(finders, text, false) !== text),
      []
    )
    const value = { rows: texts.map((text) => ({ text })) }
    assert.strictEqual(Redaction.redactJson(finders, value), value)
  })

  it("4.15 leaves ordinary texts unchanged in failures", () =>
    assert.deepStrictEqual(
      ordinary.filter((text) => Redaction.redactText(finders, text) !== text),
      []
    ))

  it("4.15 leaves schemas, forms, validation errors and records about secrets unchanged", () => {
    const values: ReadonlyArray<unknown> = [
      { properties: { password: { type: "string", minLength: 8, description: "The password of the account" } } },
      { errors: { password: ["is too short (minimum is 8 characters)", "can't be blank"], api_key: ["ist ungültig"] } },
      { password: { label: "Password", type: "text", placeholder: "Enter your password", required: true } },
      { securitySchemes: { apiKey: { type: "apiKey", in: "header", name: "X-Api-Key" } } },
      { api_key: { id: "ak_4711", name: "production", created_at: "2026-01-01", last_used_at: "2026-02-01" } },
      { token: { symbol: "USDC", address: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", decimals: 6 } },
      { translations: { password: "Kennwort eingeben", login: "Anmelden" } },
      { usage: { tokens: 20481633, max_tokens: 128000 }, passwords: 1500, has_password: true },
      { authorization: "Prior authorization is required", token: "BTC" },
      { password: null, api_key: "", private_key: [], secret: {} }
    ]
    assert.deepStrictEqual(
      values.filter((value) => Redaction.redactJson(finders, value) !== value),
      []
    )
  })
})
