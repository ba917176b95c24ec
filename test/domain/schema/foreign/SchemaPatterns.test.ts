/** Tests that patterns of foreign schemas run in linear time, and that patterns that cannot are left out and reported. */
import { assert, describe, it } from "@effect/vitest"
import type * as JsonSchema from "effect/JsonSchema"
import * as ForeignContract from "#domain/schema/foreign/ForeignContract"

const contractOf = (a: JsonSchema.JsonSchema, more: JsonSchema.JsonSchema = {}) =>
  ForeignContract.make({ type: "object", properties: { a }, ...more })

const accepts = (contract: ForeignContract.ForeignContract, value: unknown) => contract.decode(value)._tag === "Success"

const reasons = (contract: ForeignContract.ForeignContract) =>
  contract.unchecked.map(({ pointer, reason }) => `${pointer} ${reason}`)

/** Patterns with which `RegExp` takes seconds to years, and a text for each. */
const slow: ReadonlyArray<readonly [pattern: string, text: string]> = [
  ["^(a+)+$", "a".repeat(10_000) + "b"],
  ["^(a|a)*$", "a".repeat(10_000) + "b"],
  ["^(?:a|a){24}$", "a".repeat(24) + "b"],
  ["^(a|aa)+$", "a".repeat(10_000) + "b"],
  ["^((a|a){1,8}){1,8}$", "a".repeat(64) + "b"],
  ["^(a+){2,3}$", "a".repeat(10_000) + "b"],
  ["^(a?){30}a{30}$", "a".repeat(29)],
  ["^a*a*a*a*a*b$", "a".repeat(10_000)],
  ["^(.*,){11}P", "1,".repeat(5_000)],
  ["^(([a-z])+.)+[A-Z]([a-z])+$", "a".repeat(10_000)],
  ["^([ab]*)*c$", "ab".repeat(5_000)]
]

describe("ForeignSchema", () => {
  it("13.1 patterns that RegExp runs in exponential or polynomial time are enforced", () => {
    for (const [pattern, text] of slow) {
      const contract = contractOf({ type: "string", pattern })
      assert.deepStrictEqual(reasons(contract), [], pattern)
      assert.isFalse(accepts(contract, { a: text }), pattern)
    }
  })

  it("13.1 patterns that have no translation are left out, and each is named", () => {
    const reasonOf = (pattern: string) => reasons(contractOf({ type: "string", pattern }))
    assert.deepStrictEqual(reasonOf("^(?=.*[A-Z]).{8,}$"), [
      "/properties/a/pattern the pattern has a look-ahead, which cannot run in linear time"
    ])
    assert.deepStrictEqual(reasonOf("(?<!a)b"), [
      "/properties/a/pattern the pattern has a look-behind, which cannot run in linear time"
    ])
    assert.deepStrictEqual(reasonOf(String.raw`^(.)\1$`), [
      "/properties/a/pattern the pattern has a back reference, which cannot run in linear time"
    ])
    assert.deepStrictEqual(reasonOf(String.raw`^(?<x>.)\k<x>$`), [
      "/properties/a/pattern the pattern has a back reference, which cannot run in linear time"
    ])
    // Node 22 does not support flags for a group, so the pattern is not valid there
    assert.match(
      reasonOf("^(?i:a)$").join(),
      /^\/properties\/a\/pattern (?:the pattern has flags for a group, which are not supported|is not a valid value of pattern)$/
    )
    assert.deepStrictEqual(reasonOf(String.raw`\p{sc=Grek}`), [
      "/properties/a/pattern the pattern has the Unicode property Grek, which is not supported"
    ])
  })

  it("13.1 patterns that multiply their repetitions are left out before they are compiled", () => {
    for (const pattern of [
      "((a{1000}){1000}){1000}",
      "(?:(?:){1000}){1000}",
      "a{2000}",
      "(?:[ab]{1,900}){1,900}c",
      `${"(?:a|b)".repeat(900)}${"c{1,500}".repeat(20)}`,
      "(".repeat(3_000) + "a" + ")".repeat(3_000) + "{1000}{0}".slice(0, 6) + "(?:b{999}){2}"
    ]) {
      assert.deepStrictEqual(
        reasons(contractOf({ type: "string", pattern })),
        ["/properties/a/pattern the pattern repeats too much to run in linear time"],
        pattern.slice(0, 40)
      )
    }
    assert.match(
      String(reasons(contractOf({ type: "string", pattern: "a".repeat(10_001) }))),
      /longer than 10000 characters/
    )
  })

  it("13.1 a large pattern says up to which length texts are compared, and accepts longer texts", () => {
    const contract = contractOf({ type: "string", pattern: "^(?:[ab]{1,500}){1,2}c$" })
    const [, longest] = /at most (\d+) characters only$/.exec(String(reasons(contract))) ?? []
    assert.isTrue(accepts(contract, { a: "abc" }))
    assert.isFalse(accepts(contract, { a: "a".repeat(Number(longest)) }))
    assert.isTrue(accepts(contract, { a: "a".repeat(Number(longest) + 1) }))
  })

  it("13.1 of listed values alongside a pattern, the import keeps exactly those that match", () => {
    const contract = contractOf(
      { enum: ["ab", "a/\n😀b", "xb", 3], allOf: [{ type: "string", pattern: "^a(?:[^]|x)*b$" }] },
      { required: ["a"] }
    )
    assert.deepStrictEqual(reasons(contract), [])
    assert.deepStrictEqual(
      ["ab", "a/\n😀b", "xb", 3, "axb"].filter((a) => accepts(contract, { a })),
      ["ab", "a/\n😀b"]
    )
  })

  it("13.1 the empty text is a listed value like any other", () => {
    const contract = contractOf({ type: "string", pattern: "^a?$", enum: ["", "a", "b"] })
    assert.deepStrictEqual(
      ["", "a", "b"].filter((a) => accepts(contract, { a })),
      ["", "a"]
    )
  })

  it("13.1 a pattern that RegExp runs in exponential time, alongside listed values, is not run by the import", () => {
    const contract = contractOf({ type: "string", pattern: "^(a+)+$", enum: ["a".repeat(200) + "b", "aa"] })
    assert.isTrue(accepts(contract, { a: "aa" }))
    assert.isFalse(accepts(contract, { a: "a".repeat(200) + "b" }))
  })

  it("13.1 an untranslatable pattern for names is left out together with the rule for additional fields", () => {
    const contract = ForeignContract.make({
      type: "object",
      patternProperties: { "^(?!x)": { type: "string" } },
      additionalProperties: false
    })
    assert.deepStrictEqual(reasons(contract), [
      "/patternProperties the pattern has a look-ahead, which cannot run in linear time"
    ])
    assert.isTrue(accepts(contract, { y: 1 }))
  })

  it("13.1 a pattern for names decides which fields are allowed", () => {
    const contract = ForeignContract.make({
      type: "object",
      patternProperties: { "^(x+)+$": { type: "integer" } },
      additionalProperties: false
    })
    assert.deepStrictEqual(reasons(contract), [])
    assert.deepStrictEqual(
      [{ x: 1 }, { x: "1" }, { y: 1 }, { ["x".repeat(5_000) + "y"]: 1 }].map((value) => accepts(contract, value)),
      [true, false, false, false]
    )
  })

  it("13.1 checks alongside a pattern are kept", () => {
    const parts: ReadonlyArray<readonly [JsonSchema.JsonSchema, valid: unknown, invalid: unknown]> = [
      [{ type: "number" }, 1.5, "1"],
      [{ type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 9 }, 5, 9],
      [{ type: "number", minimum: 0, maximum: 9, multipleOf: 0.5 }, 8.5, 0.3],
      [{ type: "string", minLength: 1 }, "a", ""],
      [{ type: "string", minLength: 2, maxLength: 3 }, "😀😀😀", "😀"],
      [{ type: "array", minItems: 1, maxItems: 2, uniqueItems: true, items: { type: "integer" } }, [1, 2], [1, 1]],
      [
        { type: "array", uniqueItems: true },
        [{ a: 1, b: 2 }, [1]],
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 }
        ]
      ],
      [{ type: "array", prefixItems: [{ type: "string" }], items: false }, ["a"], ["a", 1]],
      [{ type: "object", minProperties: 1, maxProperties: 1 }, { x: 1 }, {}],
      [{ type: "object", propertyNames: { pattern: "^x" } }, { x: 1 }, { y: 1 }],
      [
        {
          oneOf: [
            { type: "string", pattern: "a" },
            { type: "string", pattern: "b" }
          ]
        },
        "a",
        "ab"
      ],
      [{ anyOf: [{ type: "null" }, { const: 1 }, { type: "boolean" }] }, true, 2],
      [{ $ref: "#/$defs/Tree" }, { inner: { inner: {} } }, { inner: { name: "y" } }],
      [
        {
          allOf: [
            { type: "string", pattern: "^a" },
            { type: "string", pattern: "b$" }
          ]
        },
        "ab",
        "a"
      ],
      [{ not: {} }, undefined, 1]
    ]
    for (const [schema, valid, invalid] of parts) {
      const contract = ForeignContract.make({
        type: "object",
        properties: { a: schema, p: { type: "string", pattern: "^p$" } },
        $defs: {
          Tree: {
            type: "object",
            properties: { inner: { $ref: "#/$defs/Tree" }, name: { type: "string", pattern: "^x" } }
          }
        }
      })
      const text = JSON.stringify(schema)
      assert.deepStrictEqual(reasons(contract), [], text)
      assert.isTrue(accepts(contract, valid === undefined ? {} : { a: valid }), text)
      assert.isFalse(accepts(contract, { a: invalid }), text)
      assert.isFalse(accepts(contract, { p: "q" }), text)
    }
  })

  it("13.1 a pattern is named at each place where it is not enforced, or only in short texts", () => {
    const lookAhead = "^(?=a)"
    const reason = "the pattern has a look-ahead, which cannot run in linear time"
    const text = { type: "string", pattern: lookAhead }
    for (const [schema, places] of [
      [
        { properties: { "a/b": text, c: { anyOf: [text, { type: "null" }] } } },
        ["/properties/a~1b", "/properties/c/anyOf/0"]
      ],
      [{ $defs: { d: text }, properties: { a: { $ref: "#/$defs/d" }, b: { $ref: "#/$defs/d" } } }, ["/$defs/d"]],
      [{ additionalProperties: text }, ["/additionalProperties"]],
      [{ propertyNames: text, properties: { a: { items: text } } }, ["/propertyNames", "/properties/a/items"]],
      [{ allOf: [{ properties: { a: text } }] }, ["/allOf/0/properties/a"]]
    ] as const) {
      const contract = ForeignContract.make({ type: "object", ...schema })
      assert.deepStrictEqual(
        reasons(contract),
        places.map((place) => `${place}/pattern ${reason}`)
      )
      assert.isTrue(accepts(contract, { a: "b" }))
    }
    assert.deepStrictEqual(reasons(contractOf({ type: "string", pattern: "a".repeat(997) })), [])
    assert.deepStrictEqual(reasons(contractOf({ type: "string", pattern: "a".repeat(998) })), [
      "/properties/a/pattern is checked in texts of at most 999 characters only"
    ])
  })

  it("13.1 a pattern for names that cannot run opens only its own object", () => {
    const named = (pattern: string) => ({
      type: "object",
      patternProperties: { [pattern]: { type: "string" } },
      additionalProperties: false
    })
    const contract = ForeignContract.make({ type: "object", properties: { a: named("^(?!x)"), b: named("^x") } })
    assert.deepStrictEqual(reasons(contract), [
      "/properties/a/patternProperties the pattern has a look-ahead, which cannot run in linear time"
    ])
    assert.deepStrictEqual(
      [{ a: { y: 1 } }, { a: { x: 1 } }, { b: { x: "1" } }, { b: { x: 1 } }, { b: { y: "1" } }].map((value) =>
        accepts(contract, value)
      ),
      [true, true, true, false, false]
    )
  })

  it("13.1 patterns are compared with at most 2,000 listed texts of at most 100,000 characters", () => {
    const reason = " lists more than 2000 values and names: patterns are not compared with them"
    const listed = (texts: ReadonlyArray<string>) => contractOf({ type: "string", pattern: "^x", enum: texts })
    const numbers = (length: number) => Array.from({ length }, (_, index) => `x${index}`)
    // the name of the property is a text too
    for (const [texts, reported] of [
      [numbers(1_999), []],
      [numbers(2_000), [reason]],
      [numbers(2_001), [reason]],
      [["x".repeat(49_999), "x".repeat(49_998) + "y", "x"], []],
      [["x".repeat(50_000), "x".repeat(49_998) + "y", "x"], [reason]]
    ] as const) {
      const contract = listed(texts)
      assert.deepStrictEqual(reasons(contract), [...reported])
      assert.deepStrictEqual(
        [texts[0], texts.at(-1), "x?", "y"].map((a) => accepts(contract, { a })),
        [true, true, false, false]
      )
    }
    const required = Array.from({ length: 1_500 }, (_, index) => `r${index}`)
    const properties = Object.fromEntries(Array.from({ length: 499 }, (_, index) => [`p${index}`, true]))
    const a = { type: "string", pattern: "^x" }
    const lists = (more: object) =>
      reasons(ForeignContract.make({ type: "object", required, properties: { a, ...properties, ...more } }))
    assert.deepStrictEqual(lists({}), [])
    assert.deepStrictEqual(lists({ b: true }), [reason])
    assert.deepStrictEqual(lists({ p1: { const: "r1" } }), [])
    assert.deepStrictEqual(lists({ p1: { const: "other" } }), [reason])
    assert.deepStrictEqual(lists({ p1: { const: 7 } }), [])
  })

  it("13.1 a hundred thousand unique items with equal hashes are compared", () => {
    const contract = contractOf({ type: "array", uniqueItems: true })
    const pair = ["Aa", "BB"]
    const items = Array.from({ length: 100_000 }, (_, index) =>
      Array.from({ length: 17 }, (_, bit) => pair[(index >> bit) & 1]).join("")
    )
    assert.isTrue(accepts(contract, { a: items }))
    assert.isFalse(accepts(contract, { a: [...items, items[0]] }))
  })

  it("13.1 after many texts that each need new states, further texts are accepted without a comparison", () => {
    const contract = contractOf({ type: "array", items: { type: "string", pattern: "[ab]*a[ab]{400}[cd]" } })
    let state = 1
    const texts = Array.from({ length: 100 }, () =>
      Array.from({ length: 1_000 }, () => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
        return state >>> 31 === 0 ? "a" : "b"
      }).join("")
    )
    assert.isFalse(accepts(contract, { a: texts.slice(0, 1) }))
    assert.isTrue(accepts(contract, { a: [`${"a".repeat(402)}c`] }))
    assert.isFalse(accepts(contract, { a: texts }))
    assert.isTrue(accepts(contract, { a: ["none"] }))
  })
})
