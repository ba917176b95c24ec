/** Tests the suggestions for a group of equal faults, and the forms of values of another type. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { Fault } from "#domain/faults/Fault"
import * as OtherForm from "#domain/faults/OtherForm"
import * as Suggestion from "#domain/faults/Suggestion"
import * as Widening from "#domain/faults/Widening"

const nullable = { _tag: "nullable" } as const
const same = (text: string) => text

describe("Suggestion", () => {
  it("13.1 some kinds of faults never relax a schema, whatever the evidence is", () => {
    const all = { count: 9, worked: 9, unknown: 0 }
    const answered = { ...all, answers: { faulty: 9, different: 9 } }
    for (const kind of ["unreadable", "refused key", "shape", "recorded", "variant"] as const) {
      for (const evidence of [all, answered, { ...all, worked: 0 }, { ...all, unknown: 9 }]) {
        const { reason, suggestion } = Suggestion.of(kind, nullable, evidence)
        assert.deepStrictEqual(suggestion, { _tag: "keep" })
        assert.match(reason, /^The .*\.$|^No schema .*\.$/u)
      }
    }
    // another kind with this evidence relaxes the schema
    for (const evidence of [all, answered])
      assert.strictEqual(Suggestion.of("type", nullable, evidence).suggestion, nullable)
    assert.deepStrictEqual(Suggestion.of("type", { _tag: "keep" }, all), {
      suggestion: { _tag: "keep" },
      reason: "The schema has no single place to relax."
    })
  })

  it("13.1 arguments relax their schema if the tool accepted at least half of them", () => {
    const of = (worked: number, count: number) => Suggestion.of("null", nullable, { count, worked, unknown: 0 })
    for (const [worked, count, tag] of [
      [1, 1, "nullable"],
      [1, 2, "nullable"],
      [2, 3, "nullable"],
      [1, 3, "keep"],
      [0, 1, "keep"],
      [0, 0, "keep"]
    ] as const)
      assert.deepStrictEqual(of(worked, count), {
        suggestion: { _tag: tag },
        reason: `The tool accepted ${worked} of ${count} calls with it.`
      })
  })

  it("13.1 a result relaxes its schema unless identical calls returned correct results, or few answers have the fault", () => {
    const of = ([worked, unknown, faulty, different]: readonly [number, number, number, number]) =>
      Suggestion.of("null", nullable, { count: 6, worked, unknown, answers: { different, faulty } })
    const bad = "such calls had a correct result when they were repeated."
    for (const [evidence, tag, reason] of [
      [[6, 0, 3, 10], "nullable", "3 of 10 different answers have it."],
      [[3, 0, 1, 10], "nullable", "1 of 10 different answers has it."],
      [[2, 0, 3, 10], "keep", `3 of 10 different answers have it, and 4 of 6 ${bad}`],
      [[2, 2, 3, 10], "nullable", "3 of 10 different answers have it."],
      [[1, 3, 1, 10], "keep", `1 of 10 different answers has it, and 2 of 3 ${bad}`],
      [[0, 6, 3, 10], "nullable", "3 of 10 different answers have it."],
      [[6, 0, 1, 11], "keep", "1 of 11 different answers has it: too few to blame the schema."]
    ] as const)
      assert.deepStrictEqual(of(evidence), { suggestion: { _tag: tag }, reason })
  })

  it("13.1 a change that cannot be written is left to a person, and a schema that is kept stays as it is", () => {
    const keep = { _tag: "keep" } as const
    const byHand = { _tag: "by hand" } as const
    assert.deepStrictEqual(Suggestion.byHand({ suggestion: nullable, reason: "3 of 3 have it." }), {
      suggestion: byHand,
      reason: "3 of 3 have it. No change of one place would accept only these values."
    })
    assert.deepStrictEqual(Suggestion.byHand({ suggestion: keep, reason: "Too few." }), {
      suggestion: keep,
      reason: "Too few."
    })
    assert.deepStrictEqual([nullable, byHand, keep].map(Suggestion.isWritten), [true, false, false])
  })

  it("13.1 the probability counts at most all answers, and is never negative", () => {
    assert.closeTo(Suggestion.chance(2, 2), 0.005 ** 2, 1e-12)
    assert.closeTo(Suggestion.chance(5, 2), 0, 1e-12)
    assert.isAtLeast(Suggestion.chance(50, 60), 0)
    assert.strictEqual(Suggestion.chance(1_000, 200_000), Suggestion.chance(500, 100_000))
    assert.notStrictEqual(Suggestion.chance(499, 100_000), Suggestion.chance(500, 100_000))
  })
})

describe("Widening", () => {
  it("13.1 each kind of fault has one change of the schema, or none", () => {
    const of = (kind: Fault["kind"], more: Partial<Fault> = {}) =>
      Widening.of({ kind, path: "a", problem: "the problem", ...more }, ['"x"'], same)
    assert.deepStrictEqual(of("null"), nullable)
    assert.deepStrictEqual(of("missing"), { _tag: "optional" })
    assert.deepStrictEqual(of("excess"), { _tag: "open object" })
    assert.deepStrictEqual(of("enum"), { _tag: "wider enum", values: ["x"] })
    assert.deepStrictEqual(of("rule"), { _tag: "wider bound", expected: "the problem" })
    assert.deepStrictEqual(of("rule", { expected: "at most 5" }), { _tag: "wider bound", expected: "at most 5" })
    assert.deepStrictEqual(of("rule", { expected: "a valid value" }), { _tag: "wider bound", expected: "the problem" })
    assert.deepStrictEqual(of("text"), { _tag: "wider enum", values: ["x"] })
    assert.deepStrictEqual(of("type"), { _tag: "wider type", type: "anything" })
    for (const kind of ["variant", "shape", "unreadable", "refused key", "recorded"] as const)
      assert.deepStrictEqual(of(kind), { _tag: "keep" })
  })

  it("13.1 a type is widened by the type of the value that was sent", () => {
    const typeOf = (form: OtherForm.OtherForm, value: unknown) => {
      const widening = Widening.of({ kind: "type", path: "a", problem: "", form, value }, [], same)
      return widening._tag === "wider type" && widening.type
    }
    assert.strictEqual(typeOf({ _tag: "Type", type: "boolean" }, "x"), "boolean")
    assert.strictEqual(typeOf({ _tag: "AsText", type: "number" }, "12"), "string")
    assert.strictEqual(typeOf({ _tag: "List" }, [1]), "array")
    assert.strictEqual(typeOf({ _tag: "Single" }, null), "null")
    assert.strictEqual(typeOf({ _tag: "Wrapped", name: "data" }, { data: 1 }), "object")
  })

  it("13.1 an enum gets at most 10 values of at most 40 characters without secrets, and is a string otherwise", () => {
    const of = (sent: ReadonlyArray<string>) =>
      Widening.of({ kind: "enum", path: "a", problem: "" }, sent, (text) => text.replace("secret", "[redacted]"))
    const text = { _tag: "wider type", type: "string" } as const
    const many = Array.from({ length: 10 }, (_, index) => `v${index}`)
    assert.deepStrictEqual(of(many.map((value) => `"${value}"`)), { _tag: "wider enum", values: many })
    assert.deepStrictEqual(of([...many, "w"].map((value) => `"${value}"`)), text)
    assert.deepStrictEqual(of([`"${"x".repeat(40)}"`]), { _tag: "wider enum", values: ["x".repeat(40)] })
    assert.deepStrictEqual(of(['"a"', `"${"x".repeat(41)}"`]), text)
    assert.deepStrictEqual(of(['"a"', '"secret"']), text)
    assert.deepStrictEqual(of(['"it\\n"', '"cut']), { _tag: "wider enum", values: ["it\n", "cut"] })
    assert.deepStrictEqual(of(["3", "true", "false", '"3"']), { _tag: "wider enum", values: [3, true, false, "3"] })
    assert.deepStrictEqual(of(Array.from({ length: 11 }, (_, index) => String(index))), {
      _tag: "wider type",
      type: "number"
    })
  })
})

describe("OtherForm", () => {
  const Rows = Schema.Array(Schema.Int)
  const of = (schema: Schema.Top, value: unknown) => OtherForm.of(schema.ast, value)

  it("13.1 a number or Boolean as text is recognised if it conforms, in the notation of JSON", () => {
    for (const text of ["0", "-7", "12.5", "1e9", "1E-3", "-0.25e+10"])
      assert.deepStrictEqual(of(Schema.Finite, text), { _tag: "AsText", type: "number" }, text)
    for (const text of ["", "007", "1.", ".5", "+1", "1e", "0x1", " 1", "1 ", "1,5", "9".repeat(17), "NaN"])
      assert.deepStrictEqual(of(Schema.Finite, text), { _tag: "Type", type: "string" }, text)
    assert.deepStrictEqual(of(Schema.Int, "1.5"), { _tag: "Type", type: "string" })
    for (const text of ["true", "false"])
      assert.deepStrictEqual(of(Schema.Boolean, text), { _tag: "AsText", type: "boolean" })
    for (const text of ["True", "yes", "true ", "untrue"])
      assert.deepStrictEqual(of(Schema.Boolean, text), { _tag: "Type", type: "string" })
    assert.deepStrictEqual(of(Schema.Literal(true), "false"), { _tag: "Type", type: "string" })
    assert.deepStrictEqual(of(Schema.Literal(true), "true"), { _tag: "AsText", type: "boolean" })
    assert.deepStrictEqual(of(Schema.Literal(false), true), { _tag: "Type", type: "boolean" })
    assert.deepStrictEqual(of(Schema.Int, null), { _tag: "Type", type: "null" })
  })

  it("13.1 a list, a single item and a wrapped value are recognised if they conform", () => {
    for (const value of [[1, 2], [12]]) assert.deepStrictEqual(of(Schema.Int, value), { _tag: "List" })
    for (const value of [[], [1, "a"]]) assert.deepStrictEqual(of(Schema.Int, value), { _tag: "Type", type: "array" })
    assert.deepStrictEqual(of(Rows, 1), { _tag: "Single" })
    assert.deepStrictEqual(of(Rows, true), { _tag: "Type", type: "boolean" })
    assert.deepStrictEqual(of(Schema.Tuple([Schema.Int]), 1), { _tag: "Type", type: "number" })
    assert.deepStrictEqual(of(Schema.TupleWithRest(Schema.Tuple([Schema.Int]), [Schema.Int]), 1), {
      _tag: "Type",
      type: "number"
    })
    assert.deepStrictEqual(of(Rows, { rows: [1] }), { _tag: "Wrapped", name: "rows" })
    for (const value of [{ rows: [1], more: 1 }, { rows: ["a"] }, {}])
      assert.deepStrictEqual(of(Rows, value), { _tag: "Type", type: "object" })
  })

  it("13.1 each form is described in a few words", () => {
    assert.deepStrictEqual(
      [
        OtherForm.text({ _tag: "Type", type: "array" }),
        OtherForm.text({ _tag: "AsText", type: "boolean" }),
        OtherForm.text({ _tag: "List" }),
        OtherForm.text({ _tag: "Single" }),
        OtherForm.text({ _tag: "Wrapped", name: 'a"b' })
      ],
      [
        "array",
        "a boolean as text",
        "a list of such values",
        "a single item",
        'an object with such a value in its field "a\\"b"'
      ]
    )
  })
})
