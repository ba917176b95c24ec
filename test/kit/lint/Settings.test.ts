/** Tests valid configurations, and the messages for invalid configurations. */
import { byId, rules } from "#kit/lint/Rules"
import * as Settings from "#kit/lint/Settings"
import { assert, describe, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { Result } from "effect"
import { read } from "../../support/sources.ts"

const refusal = (config: unknown): string => Result.getOrElse(Result.flip(Settings.read(config)), () => "")
const rule = (id: string) => byId.get(id)!

describe("Settings", () => {
  it("13.3 sets levels and options, and keeps the defaults of the rest", () => {
    const settings = Result.getOrThrow(
      Settings.read({
        rules: { "string-bounds": "off", "token-cost": { max: 500 }, "description-length": { level: "error", min: 5 } }
      })
    )
    assert.strictEqual(settings.levelOf(rule("string-bounds")), "off")
    assert.strictEqual(settings.levelOf(rule("token-cost")), "warning")
    assert.deepStrictEqual(settings.optionsOf(rule("token-cost")), { max: 500 })
    assert.strictEqual(settings.levelOf(rule("description-length")), "error")
    assert.deepStrictEqual(settings.optionsOf(rule("description-length")), { min: 5, max: 1_024 })
    assert.strictEqual(settings.levelOf(rule("nesting-depth")), "warning")
    assert.deepStrictEqual(Result.getOrThrow(Settings.read({})).ignore, [])
  })

  it("13.3 refuses unknown rules, levels and options, with the nearest name", () => {
    assert.strictEqual(
      refusal({ rules: { "string-bound": "off" } }),
      "rules.string-bound: unknown field; nearest: string-bounds"
    )
    assert.strictEqual(
      refusal({ rules: { "nesting-depth": "eror" } }),
      'rules.nesting-depth: expected one of off, info, warning, error, got "eror"; nearest: error'
    )
    assert.strictEqual(
      refusal({ rules: { "token-cost": { maximum: 3 } } }),
      "rules.token-cost.maximum: unknown field; nearest: max"
    )
    assert.strictEqual(
      refusal({ rules: { "token-cost": { max: -1 } } }),
      "rules.token-cost.max: expected a value greater than or equal to 0"
    )
    assert.strictEqual(refusal({ rulez: {} }), "rulez: unknown field; nearest: rules")
    assert.match(
      refusal({ ignore: [{ tool: "a", rules: ["nesting-dept"], reason: "x" }] }),
      /^ignore\[0\]\.rules\[0\]: expected one of .*nearest: nesting-depth$/
    )
    assert.strictEqual(refusal({ ignore: [{ tool: "a", rules: [], reason: "x" }] }) === "", false)
    assert.strictEqual(refusal([]), "a configuration must be an object")
  })

  it("13.3 agrees with its JSON Schema", () => {
    const schema = JSON.parse(read("docs/lint/config.schema.json"))
    const isValid = new Ajv({ strict: true, allowUnionTypes: true }).compile(schema)
    for (const config of [
      {},
      { $schema: "x", rules: {}, ignore: [] },
      { rules: Object.fromEntries(rules.map(({ id }) => [id, "off"])) },
      { rules: { "token-cost": { level: "info", max: 1 } } },
      { ignore: [{ tool: "*", rules: ["nesting-depth"], reason: "" }] },
      { rules: { none: "off" } },
      { rules: { "nesting-depth": "loud" } },
      { rules: { "nesting-depth": { max: 1.5 } } },
      { rules: { "name-invalid": { level: "off" } } },
      { ignore: [{ tool: "*", rules: ["nesting-depth"] }] },
      { ignore: {} },
      7
    ]) {
      assert.strictEqual(isValid(config), Result.isSuccess(Settings.read(config)), JSON.stringify(config))
    }
  })
})
