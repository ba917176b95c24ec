/** Tests that suppressions apply to their place, need reasons, and are reported if they have no effect. */
import * as Lint from "#kit/lint/Lint"
import * as ListingFormats from "#kit/lint/reading/ListingFormats"
import * as ListingAnalysis from "#kit/lint/reading/ListingAnalysis"
import * as JsonPointer from "#domain/json/JsonPointer"
import * as Settings from "#kit/lint/Settings"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { count, lintText } from "../support.ts"

const lint = (document: unknown) => lintText(JSON.stringify(document))

const parameters = (extra: object = {}) => ({
  type: "object",
  properties: { a: { type: "string", description: "First.", ...extra }, b: { type: "string", description: "Second." } },
  required: ["a"],
  additionalProperties: false
})

const orders = (extra: object = {}, field: object = {}) => ({
  name: "orders",
  description: "Searches the orders of one customer. Use it to find ids, not for details.",
  inputSchema: parameters(field),
  ...extra
})

const rulesOf = ({ findings }: Lint.Outcome) =>
  findings.map(({ pointer, rule }) => `${rule} ${JsonPointer.format(pointer)}`)

const all = [
  "name-verb-first /name",
  "string-bounds /inputSchema/properties/a",
  "string-bounds /inputSchema/properties/b"
]

describe("Suppressions", () => {
  it("13.3 apply to a tool, to a schema inside it, and to a list", () => {
    assert.deepStrictEqual(rulesOf(lint(orders())), all)
    assert.deepStrictEqual(rulesOf(lint(orders({ "x-toolguard-ignore": { "string-bounds": "Any text." } }))), [all[0]])
    assert.deepStrictEqual(rulesOf(lint(orders({ _meta: { "toolguard/ignore": { "string-bounds": "Any text." } } }))), [
      all[0]
    ])
    assert.deepStrictEqual(rulesOf(lint(orders({}, { "x-toolguard-ignore": { "string-bounds": "A page." } }))), [
      all[0],
      all[2]
    ])
    const { findings, suppressed } = lint({
      tools: [orders()],
      "x-toolguard-ignore": { "name-verb-first": "Old names.", "string-bounds": "Old." }
    })
    assert.deepStrictEqual(findings, [])
    assert.deepStrictEqual(
      suppressed.map(({ reason, rule, tool }) => [rule, tool, reason]),
      [
        ["name-verb-first", "orders", "Old names."],
        ["string-bounds", "orders", "Old."],
        ["string-bounds", "orders", "Old."]
      ]
    )
    const openai = {
      type: "function",
      function: { name: "orders", description: orders().description, parameters: parameters() },
      "x-toolguard-ignore": { "name-verb-first": "Old." }
    }
    assert.deepStrictEqual(rulesOf(lint([openai])), [
      "string-bounds /0/function/parameters/properties/a",
      "string-bounds /0/function/parameters/properties/b"
    ])
  })

  it("13.3 have no effect without a reason, and are reported if they suppress nothing", () => {
    const { findings } = lint(
      orders({
        "x-toolguard-ignore": {
          "name-verb-first": " ",
          "token-cost": "Dear.",
          "string-bound": "Old.",
          "array-bounds": 7
        }
      })
    )
    assert.deepStrictEqual(
      findings
        .filter(({ rule }) => rule.startsWith("suppression"))
        .map(({ message, pointer, rule }) => [rule, JsonPointer.format(pointer), message]),
      [
        [
          "suppression-reason",
          "/x-toolguard-ignore/name-verb-first",
          "The suppression of name-verb-first has no reason and has no effect; state why the finding is acceptable."
        ],
        [
          "suppression-unused",
          "/x-toolguard-ignore/token-cost",
          "The suppression of token-cost suppresses nothing; remove it."
        ],
        [
          "suppression-unused",
          "/x-toolguard-ignore/string-bound",
          "There is no rule string-bound; nearest: string-bounds."
        ],
        [
          "suppression-reason",
          "/x-toolguard-ignore/array-bounds",
          "The suppression of array-bounds has no reason and has no effect; state why the finding is acceptable."
        ]
      ]
    )
    assert.include(rulesOf({ findings, suppressed: [] }), all[0])
  })

  it("13.3 of a rule that is off are not reported", () => {
    const settings = Result.getOrThrow(Settings.read({ rules: { "string-bounds": "off" } }))
    const text = JSON.stringify(orders({ "x-toolguard-ignore": { "string-bounds": "Any text." } }))
    assert.deepStrictEqual(rulesOf(lintText(text, settings)), [all[0]])
  })

  it("13.3 in the configuration apply by the tool's name, to all lists", () => {
    const settings = (ignore: unknown) => Result.getOrThrow(Settings.read({ ignore }))
    const subject = (document: unknown) => ({
      listing: ListingAnalysis.read(Result.getOrThrow(ListingFormats.read(document)), count),
      suppressions: []
    })
    const lists = [orders(), orders({ name: "get_x" }), orders()]
    const run = (ignore: unknown) => Lint.run(lists.map(subject), settings(ignore))
    const result = run([{ tool: "ord*", rules: ["name-verb-first", "string-bounds"], reason: "Old." }])
    assert.deepStrictEqual(result.outcomes.map(rulesOf), [[], [all[1], all[2]], []])
    assert.deepStrictEqual(result.configuration, [])
    const unused = run([
      { tool: "ord", rules: ["string-bounds"], reason: "Old." },
      { tool: "*", rules: ["nesting-depth"], reason: "" }
    ])
    assert.deepStrictEqual(
      unused.configuration.map(({ message, pointer, rule }) => [rule, JsonPointer.format(pointer), message]),
      [
        ["suppression-unused", "/ignore/0/rules/0", "The suppression of string-bounds suppresses nothing; remove it."],
        [
          "suppression-reason",
          "/ignore/1/rules/0",
          "The suppression of nesting-depth has no reason and has no effect; state why the finding is acceptable."
        ]
      ]
    )
    const pattern = run([{ tool: "o(.ders", rules: ["string-bounds"], reason: "Old." }])
    assert.lengthOf(pattern.configuration, 1)
  })
})
