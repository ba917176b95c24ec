/** Tests which values a keyword of JSON Schema accepts, kind by kind, and that keywords are looked up by dialect. */
import { draft07, draft2020, type Kind, kindOf } from "#domain/schema/json/Keywords"
import { isAnything, isDistinct, isNames, isOf, mapSchemas, schemasIn } from "#domain/schema/json/KeywordValue"
import { isValid } from "#domain/schema/json/Pattern"
import { assert, describe, it } from "@effect/vitest"

/** Values that a keyword of each kind accepts, and values that it refuses. */
const kinds: Readonly<Record<Kind, readonly [accepted: ReadonlyArray<unknown>, refused: ReadonlyArray<unknown>]>> = {
  anything: [[null, "a", 1, [], {}], []],
  schema: [
    [{}, { type: "string" }, true, false],
    [null, "string", 1, [], [{}]]
  ],
  schemas: [
    [[{}], [true, {}]],
    [[], {}, true]
  ],
  "schema or schemas": [
    [{}, true, [{}]],
    [[], null, "string"]
  ],
  "schemas by name": [
    [{}, { a: {} }],
    [[], null, true]
  ],
  "schemas or names by name": [
    [{}, { a: ["b"] }],
    [[], null, true]
  ],
  "names by name": [
    [{}, { a: [] }, { a: ["b", "c"], d: ["b"] }],
    [null, [], { a: ["b", "b"] }, { a: ["b"], c: {} }, { a: ["b"], c: [1] }, { a: "b" }]
  ],
  text: [
    ["", "a"],
    [null, 1, {}, ["a"]]
  ],
  flag: [
    [true, false],
    ["true", 0, null]
  ],
  number: [
    [0, -1.5],
    ["1", null, true]
  ],
  "positive number": [
    [0.1, 3],
    [0, -1, "1", null]
  ],
  count: [
    [0, 1, 2.0],
    [-1, 0.5, "1", null]
  ],
  names: [
    [[], ["a", "b"]],
    [["a", "a"], ["a", 1], "a", null, {}]
  ],
  list: [
    [[], [1, 1]],
    [{}, "a", null]
  ],
  values: [
    [
      [1],
      [1, "1", null],
      [{ a: 1 }, { a: 2 }],
      [
        [1, 2],
        [2, 1]
      ]
    ],
    [
      [],
      [1, 1],
      [
        { a: 1, b: [{ c: 1, d: 2 }] },
        { b: [{ d: 2, c: 1 }], a: 1 }
      ],
      {},
      "a"
    ]
  ],
  type: [
    ["string", ["string"], ["string", "null"]],
    ["dict", [], ["string", "string"], ["string", "dict"], [["string"]], null, 1]
  ],
  pattern: [
    ["^a+$", String.raw`\-`, ""],
    ["(", "a{2,1}", 1, null]
  ],
  anchor: [
    ["a", "_", "A-b.c_9"],
    ["", "9a", "-a", "a b", "é", " a", "a\n", 1, null]
  ],
  identifier: [
    ["", "https://example.com/a", "https://example.com/a#"],
    ["#a", "https://example.com/a#b", "a##", 1, null]
  ],
  vocabulary: [
    [{}, { a: true, b: false }],
    [{ a: true, b: 1 }, null, true]
  ]
}

describe("the value of a keyword", () => {
  for (const [kind, [accepted, refused]] of Object.entries(kinds) as ReadonlyArray<
    [Kind, readonly [ReadonlyArray<unknown>, ReadonlyArray<unknown>]]
  >)
    it(`13.3 of the kind "${kind}" is accepted or refused`, () => {
      assert.deepStrictEqual(
        accepted.filter((value) => !isOf(kind, value)),
        [],
        "refused"
      )
      assert.deepStrictEqual(
        refused.filter((value) => isOf(kind, value)),
        [],
        "accepted"
      )
    })

  it("13.3 names are a list of texts; values are distinct if they differ in more than the order of their fields", () => {
    assert.deepStrictEqual([["a"], [], ["a", 1], "a", null].map(isNames), [true, true, false, false, false])
    assert.isTrue(isDistinct([{ a: 1 }, { a: 2 }, { b: 1 }]))
    assert.isFalse(
      isDistinct([
        { a: 1, b: 2, c: 3 },
        { c: 3, b: 2, a: 1 }
      ])
    )
    assert.isTrue(isDistinct([[1, 2], { 0: 1, 1: 2 }]))
  })

  it("13.3 a schema without constraints accepts anything", () => {
    assert.deepStrictEqual([true, {}, false, { type: "string" }, [], null].map(isAnything), [
      true,
      true,
      false,
      false,
      false,
      false
    ])
  })

  it("13.3 a pattern is valid if it compiles with the flag u", () => {
    assert.deepStrictEqual(["^[a-z]+$", String.raw`\p{L}`, String.raw`\-`, "("].map(isValid), [
      true,
      true,
      false,
      false
    ])
  })

  it("13.3 has the kind of the only dialect that has the keyword, and no kind for the name of an Object method", () => {
    assert.deepStrictEqual(
      ["items", "enum", "prefixItems", "additionalItems", "toString", "minimum"].map((name) => [
        kindOf(name, draft07),
        kindOf(name, draft2020),
        kindOf(name)
      ]),
      [
        ["schema or schemas", "schema", "schema or schemas"],
        ["values", "list", "values"],
        [undefined, "schemas", "schemas"],
        ["schema", undefined, "schema"],
        [undefined, undefined, undefined],
        ["number", "number", "number"]
      ]
    )
  })
})

describe("the schemas inside the value of a keyword", () => {
  it("13.1 include lists that are not distinct names, and are none if the value is of another kind", () => {
    assert.deepStrictEqual(schemasIn("schemas or names by name", { a: ["b"], c: ["d", "d"], e: {} }), [
      [["d", "d"], ["c"]],
      [{}, ["e"]]
    ])
    assert.deepStrictEqual(schemasIn("schema or schemas", {}), [[{}, []]])
    assert.deepStrictEqual(schemasIn("schemas by name", null), [])
  })

  it("13.1 are replaced with their path, and names alongside them stay", () => {
    const paths = (kind: Kind, value: unknown) => mapSchemas(kind, value, (_, path) => path)
    assert.deepStrictEqual(paths("schemas", [{}, {}]), [[0], [1]])
    assert.deepStrictEqual(paths("schemas by name", { a: {}, b: {} }), { a: ["a"], b: ["b"] })
    assert.deepStrictEqual(paths("schemas or names by name", { a: ["b"], c: {} }), { a: ["b"], c: ["c"] })
    assert.deepStrictEqual(paths("schema or schemas", [{}]), [[0]])
    assert.deepStrictEqual(paths("schema", {}), [])
    assert.deepStrictEqual(paths("schemas", []), [])
  })
})
