/** Tests golden files: which runs match them, how differences are described, and what an update writes. */
import * as Alignment from "#kit/golden/Alignment"
import { compare, type ComparisonResult, first } from "#kit/golden/Comparison"
import * as GoldenFile from "#kit/golden/GoldenFile"
import * as DifferenceText from "#kit/golden/DifferenceText"
import * as IgnoredFields from "#kit/golden/IgnoredFields"
import { repaired } from "#kit/golden/Repair"
import { ErrorFields } from "#kit/golden/ReportedError"
import type { MadeCall, Round } from "#kit/golden/Sequence"
import { volatile } from "#domain/schema/VolatileField"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { define } from "../../pipeline/support.ts"

/** Parses rounds: `a` calls the tool a, `a:1` has an argument, `a!` fails; a space separates calls, ` / ` rounds. */
const roundsOf = (text: string): ReadonlyArray<Round> =>
  text
    .split(" / ")
    .filter((round) => round !== "")
    .map((round) => round.split(" ").map(callOf))

const callOf = (text: string): MadeCall => {
  const [tool = "", n] = text.replace("!", "").split(":")
  return { tool, arguments: n === undefined ? {} : { n: Number(n) }, hasFailed: text.endsWith("!") }
}

const format = (rounds: ReadonlyArray<Round>): string =>
  rounds
    .map((round) =>
      round
        .map(({ arguments: args, hasFailed, tool }) => {
          const { n } = args as { readonly n?: number }
          return `${tool}${n === undefined ? "" : `:${n}`}${hasFailed ? "!" : ""}`
        })
        .join(" ")
    )
    .join(" / ")

const golden = (text: string, ignore: ReadonlyArray<string> = []): GoldenFile.Golden =>
  first("scenario", roundsOf(text), ignore)

const between = (expected: string, made: string): ComparisonResult => compare(golden(expected), roundsOf(made))

const describeDifferences = (expected: string, made: string): ReadonlyArray<string> =>
  between(expected, made).differences.flatMap(DifferenceText.lines)

describe("repairs", () => {
  const merged = (text: string): string => format(repaired(roundsOf(text)))

  it("13.5 a failed call and its repair count as one merged call", () => {
    assert.strictEqual(merged("a:1! / a:2"), "a:2")
    assert.strictEqual(merged("a:1! / a:2! / a:3! / a:4"), "a:4")
    assert.strictEqual(merged("a / b! / b / c"), "a / b / c")
    assert.strictEqual(merged("a! / b / a"), "b / a", "the merged call has the position of the repair")
    assert.strictEqual(
      merged("a:1! b / a:2"),
      "b a:2",
      "the merged call has the position of the failed call if the repair is in the next round"
    )
  })

  it("13.5 a call of the same round is not a repair, and each repair repairs one call", () => {
    assert.strictEqual(merged("a:1! a:2"), "a:1! a:2")
    assert.strictEqual(merged("a:1! a:2! / a:3 a:4"), "a:3 a:4")
    assert.strictEqual(merged("a:1! a:2! / a:3"), "a:2! a:3")
    assert.strictEqual(merged("a! / b"), "a! / b")
    assert.strictEqual(merged("a! / a!"), "a!", "a repeated failure replaces the earlier one")
    assert.strictEqual(merged(""), "")
  })
})

describe("a run and its golden file", () => {
  const isSame = (expected: string, made: string): boolean => between(expected, made).differences.length === 0

  it("13.5 match if the same calls were made, in any order within a round", () => {
    assert.isTrue(isSame("a / b:1 b:2 / c", "a / b:2 b:1 / c"))
    assert.isTrue(isSame("a b / c", "b / a / c"), "in one round or in several")
    assert.isTrue(isSame("a / b / c", "a b / c"))
    assert.isTrue(isSame("a:1! / a:2 / b", "a:2 / b"))
    assert.isFalse(isSame("a / b", "b / a"))
    assert.isFalse(isSame("a!", "a"))
    assert.isFalse(isSame("a / a", "a"))
  })

  it("13.5 differ in one place if one call is missing, extra, changed or moved", () => {
    assert.deepStrictEqual(describeDifferences("a / b / c / d / e", "a / c / d / e"), [
      "call 2 (round 2) b: missing",
      "  expected {}"
    ])
    assert.deepStrictEqual(describeDifferences("a / b / c", "a / x:1 / b / c"), [
      "call 2 (round 2) x: unexpected",
      `  got {"n":1}`
    ])
    assert.deepStrictEqual(describeDifferences("a / b:1 / c / b:3", "a / b:2 / c / b:3"), [
      "call 2 (round 2) b",
      "  n: expected 1, got 2"
    ])
    assert.deepStrictEqual(describeDifferences("a / b / c / d", "b / c / d / a"), [
      "call 1 (round 1) a: moved to call 4 (round 4)"
    ])
    assert.deepStrictEqual(describeDifferences("a / b:1 / b:2 / b:3", "a / b:2 / b:3"), [
      "call 2 (round 2) b: missing",
      `  expected {"n":1}`
    ])
    assert.deepStrictEqual(describeDifferences("a", "a!"), ["call 1 (round 1) a", "  fails: expected false, got true"])
    assert.deepStrictEqual(describeDifferences("", "a"), ["call 1 (round 1) a: unexpected", "  got {}"])
  })

  it("13.5 are described with paths and with expected and actual values, truncated if long", () => {
    const at = (args: unknown): ReadonlyArray<Round> => [[{ tool: "save", arguments: args, hasFailed: false }]]
    const compared = compare(
      first("s", at({ items: [{ id: 1 }, { id: 2 }], note: "x".repeat(500), "a b": null }), []),
      at({ items: [{ id: 1 }, { id: "2" }, 3], note: "y\u202e", more: true })
    )
    assert.strictEqual(
      DifferenceText.text("s", compared),
      [
        "s: 1 difference from 1 expected call",
        "  call 1 (round 1) save",
        `    ["a b"]: expected null, got absent`,
        '    items[1].id: expected 2, got "2"',
        "    items[2]: expected absent, got 3",
        "    more: expected absent, got true",
        `    note: expected "${"x".repeat(118)}…, got "y[U+202E]"`
      ].join("\n")
    )
  })

  it("13.5 are aligned at the lowest cost", () => {
    const pairs = Alignment.align(roundsOf("a:1 / b / a:2 / c"), roundsOf("a:2 / c"))
    assert.deepStrictEqual(
      pairs.map(({ expected, made }) => [expected?.number, made?.number]),
      [
        [1, undefined],
        [2, undefined],
        [3, 1],
        [4, 2]
      ]
    )
  })

  it("13.5 are compared even if they are too long to align", () => {
    const long = (tool: string) => Array.from({ length: 2_100 }, (_, n) => `${tool}:${n % 7}`).join(" / ")
    const { differences } = between(`x / ${long("a")} / y`, `y / ${long("b")} / x`)
    assert.isAbove(differences.length, 2_000)
  })
})

describe("ignored fields", () => {
  const save = (args: object, tool = "save"): ReadonlyArray<Round> => [[{ tool, arguments: args, hasFailed: false }]]
  const kept = (paths: ReadonlyArray<string>, args: object) =>
    IgnoredFields.make(paths, undefined)(save(args))[0]?.[0]?.arguments

  it("13.5 are the fields at the listed paths, and the idempotency key that a model chose", () => {
    const args = { id: 1, list: [{ at: 1, n: 2 }, { at: 3 }], deep: { at: 4, n: 5 }, idempotency_key: "k".repeat(16) }
    assert.deepStrictEqual(kept(["save.list[].at", "*.deep.at", "other.id"], args), {
      id: 1,
      list: [{ n: 2 }, {}],
      deep: { n: 5 }
    })
    assert.deepStrictEqual(kept(["save.*"], args), {})
    assert.deepStrictEqual(kept(["save.list[]"], args), { id: 1, list: [], deep: { at: 4, n: 5 } })
    assert.deepStrictEqual(kept(["save.*.at"], args), { id: 1, list: [{ at: 1, n: 2 }, { at: 3 }], deep: { n: 5 } })
    for (const wrong of ["", "save", "save.", ".id", "a b.c", "save.a[0]", "save..a"]) {
      assert.isUndefined(IgnoredFields.read(wrong), wrong)
    }
  })

  it("13.5 are those that the parameters of a tool mark as volatile", () => {
    const tool = define("save", {
      parameters: Schema.Struct({
        id: Schema.Int,
        at: volatile(Schema.String),
        tags: Schema.Array(Schema.Struct({ seen: volatile(Schema.Int) }))
      })
    })
    const tools = new Map([["save", tool]])
    const made = (at: string) => save({ id: 1, at, tags: [{ seen: at.length }] })
    const file = first("s", made("noon"), [], tools)
    assert.deepStrictEqual(file.rounds, [[{ tool: "save", arguments: { id: 1, tags: [{}] } }]])
    assert.deepStrictEqual(compare(file, made("one o'clock"), tools).differences, [])
    assert.lengthOf(compare(file, made("one o'clock")).differences, 1)
  })

  it("13.5 are read from the file, so that people can add paths", () => {
    const file = { ...first("s", save({ id: 1, at: "noon" }), []), ignore: ["save.at"] }
    assert.deepStrictEqual(compare(file, save({ id: 1, at: "one" })).differences, [])
  })
})

describe("a golden file", () => {
  const text = GoldenFile.write(first("refund of a lost parcel", roundsOf("b:2 b:1 a / c:1! / d"), ["search.cursor"]))

  it("13.5 is sorted, readable JSON that reads back unchanged", () => {
    assert.strictEqual(
      text,
      `{
  "scenario": "refund of a lost parcel",
  "ignore": ["search.cursor"],
  "rounds": [
    [
      { "tool": "a", "arguments": {} },
      { "tool": "b", "arguments": { "n": 1 } },
      { "tool": "b", "arguments": { "n": 2 } }
    ],
    [{ "tool": "c", "arguments": { "n": 1 }, "fails": true }],
    [{ "tool": "d", "arguments": {} }]
  ]
}
`
    )
    assert.strictEqual(GoldenFile.write(Result.getOrThrow(GoldenFile.read(text))), text)
    const unusual = [
      [{ tool: "a", arguments: JSON.parse(`{"__proto__":1,"z":"\\u202e\\u0000","a":[[]]}`), hasFailed: false }]
    ]
    const written = GoldenFile.write(first("s", unusual, []))
    assert.deepStrictEqual(compare(Result.getOrThrow(GoldenFile.read(written)), unusual).differences, [])
    assert.include(written, `"\\u202e\\u0000"`)
  })

  it("13.5 is refused if it is damaged, with the position", () => {
    const refused = (text: string): string => Result.getOrThrow(Result.flip(GoldenFile.read(text)))
    assert.match(refused(`{"scenario":"s",`), /at position 16;/u)
    assert.strictEqual(
      refused(`{"scenario":1,"ignore":["x"],"rounds":[[{"arguments":{}}]]}`),
      "rounds[0][0].tool: Required; scenario: expected string, got number; ignore[0]: expected a path such as tool.field"
    )
    assert.strictEqual(refused("[]"), "result: expected object, got array")
  })

  it("13.5 is updated without altering anything that has not changed", () => {
    const file = Result.getOrThrow(
      GoldenFile.read(
        JSON.stringify({
          scenario: "s",
          note: "why",
          ignore: ["a.at"],
          rounds: [
            [
              { tool: "b", arguments: { n: 2 } },
              { tool: "a", arguments: { n: 1, at: "noon" }, note: "first" }
            ],
            [{ tool: "c", arguments: { n: 1 }, note: "then" }],
            [{ tool: "d", arguments: {} }]
          ]
        })
      )
    )
    const { updated } = compare(file, roundsOf("b:2 a:1 / c:7 / x / d e"))
    assert.deepStrictEqual(updated, {
      ...file,
      rounds: [
        [
          { tool: "b", arguments: { n: 2 } },
          { tool: "a", arguments: { n: 1, at: "noon" }, note: "first" }
        ],
        [{ tool: "c", arguments: { n: 7 }, note: "then" }],
        [{ tool: "x", arguments: {} }],
        [
          { tool: "d", arguments: {} },
          { tool: "e", arguments: {} }
        ]
      ]
    })
    assert.strictEqual(compare(file, roundsOf("a:1 b:2 / c:1 / d")).updated, file)
  })

  const Call = Schema.Struct({
    tool: Schema.Literals(["a", "b", "c"]),
    arguments: Schema.Struct({ n: Schema.Literals([1, 2]) }),
    hasFailed: Schema.Literals([false, false, true]),
    error: Schema.optionalKey(
      Schema.Struct({ fields: ErrorFields, isOfRecord: Schema.optionalKey(Schema.Literal(true)) })
    )
  })
  const Rounds = Schema.Array(Schema.NonEmptyArray(Call))

  it.prop("13.5 matches the run that it was recorded from or updated with", [Rounds, Rounds], ([before, after]) => {
    const file = first("s", before, [])
    assert.deepStrictEqual(compare(file, before).differences, [])
    const { differences, updated } = compare(file, after)
    assert.deepStrictEqual(compare(updated, after).differences, [])
    const again = Result.getOrThrow(GoldenFile.read(GoldenFile.write(updated)))
    assert.deepStrictEqual(compare(again, after).differences, [])
    if (differences.length === 0) assert.strictEqual(updated, file)
  })

  it.prop(
    "13.5 differs in one place from a run with one call removed or added",
    [Schema.NonEmptyArray(Call)],
    ([calls]) => {
      const made = calls.map((call, n) => ({ ...call, arguments: { n }, hasFailed: false }))
      const rounds = made.map((call) => [call])
      for (const index of rounds.keys()) {
        assert.lengthOf(compare(first("s", rounds, []), rounds.toSpliced(index, 1)).differences, 1)
        assert.lengthOf(compare(first("s", rounds.toSpliced(index, 1), []), rounds).differences, 1)
      }
    }
  )
})
