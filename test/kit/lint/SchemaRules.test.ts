/** Tests the rules for schemas: the faults that each reports, and similar cases that it does not report. */
import { assert, describe, it } from "@effect/vitest"
import { found, places, tool } from "./support.ts"

const text = { type: "string" }
const number = { type: "integer" }

/** Returns the places of a rule's findings in a tool, relative to the tool's properties. */
const at = (rule: string, properties: object, rest: object = {}, options: Record<string, number> = {}) =>
  places(rule, [tool("get_x", "Gets x.", properties, rest)], options).map((pointer) =>
    pointer.replace("/0/inputSchema", "").replace("/properties/", ".")
  )

describe("rules for bounds", () => {
  it("13.3 string-bounds accepts lengths, patterns, formats and enums, in each alternative", () => {
    const bounded = ["maxLength", "pattern", "enum", "const", "format"].map((keyword) => [
      keyword,
      { ...text, [keyword]: keyword === "maxLength" ? 9 : keyword === "enum" ? ["a"] : "a" }
    ])
    assert.deepStrictEqual(at("string-bounds", Object.fromEntries(bounded)), [])
    assert.deepStrictEqual(at("string-bounds", { a: text, b: { ...text, minLength: 3 }, c: number }), [".a", ".b"])
    assert.deepStrictEqual(
      at("string-bounds", {
        a: { anyOf: [text, { type: "null" }] },
        b: { anyOf: [text, { type: "null" }], maxLength: 5 }
      }),
      [".a/anyOf/0"]
    )
    assert.deepStrictEqual(
      at("string-bounds", { a: { type: ["string", "null"] }, b: { type: "array", items: text } }),
      [".a", ".b/items"]
    )
    const defined = { a: { $ref: "#/$defs/A" }, b: { $ref: "#/$defs/A" } }
    assert.deepStrictEqual(at("string-bounds", defined, { $defs: { A: text } }), ["/$defs/A"])
  })

  it("13.3 number-bounds, array-bounds and array-items report missing keywords", () => {
    const reported = (properties: object) =>
      found("number-bounds", [tool("get_x", "…", properties)]).map((message) => /has (.*);/u.exec(message)?.[1])
    assert.deepStrictEqual(reported({ a: number }), ["no minimum and no maximum"])
    assert.deepStrictEqual(reported({ a: { ...number, exclusiveMinimum: 0 } }), ["no maximum"])
    assert.deepStrictEqual(
      reported({
        a: { ...number, minimum: 0, maximum: 9 },
        b: { ...number, enum: [1] },
        c: { type: "float", maximum: 1 }
      }),
      ["no minimum"]
    )
    assert.deepStrictEqual(
      at("array-bounds", {
        a: { type: "array", items: text },
        b: { type: "array", items: text, maxItems: 3 },
        c: { type: "array", prefixItems: [text], items: false }
      }),
      [".a"]
    )
    assert.deepStrictEqual(
      at("array-items", { a: { type: "array" }, b: { type: "array", items: {} }, c: { type: "list" } }),
      [".a", ".c"]
    )
  })
})

describe("rules for objects", () => {
  it("13.3 additional-properties ignores maps, and objects composed of several schemas", () => {
    const open = { type: "object", properties: { a: text } }
    assert.deepStrictEqual(at("additional-properties", { a: open }), ["", ".a"])
    const closed = { additionalProperties: false }
    assert.deepStrictEqual(
      at(
        "additional-properties",
        {
          map: { type: "object", additionalProperties: text },
          any: { type: "object" },
          all: { type: "object", allOf: [open] },
          either: { type: "object", anyOf: [{ properties: { a: text } }, { properties: { b: text } }] },
          late: { ...open, unevaluatedProperties: false },
          patterns: { type: "object", properties: {}, patternProperties: { "^x": text } }
        },
        closed
      ),
      []
    )
    assert.deepStrictEqual(at("additional-properties", { a: { anyOf: [{ ...open, ...closed }, open] } }, closed), [
      ".a/anyOf/1"
    ])
    assert.deepStrictEqual(at("additional-properties", { a: { ...open, additionalProperties: true } }, closed), [".a"])
  })

  it("13.3 required-missing ignores parameters with a default or an optional description", () => {
    assert.deepStrictEqual(at("required-missing", { a: text, b: { ...text, default: "x" } }), [""])
    for (const optional of [
      { ...text, default: "x" },
      { type: ["string", "null"] },
      { ...text, description: "Optional filter." },
      { ...text, description: "If omitted, all are listed." }
    ]) {
      assert.deepStrictEqual(at("required-missing", { a: optional }), [])
    }
    assert.deepStrictEqual(at("required-missing", { a: text }, { required: [] }), [])
    assert.deepStrictEqual(at("required-missing", {}), [])
  })

  it("13.3 required-unknown names the nearest property", () => {
    assert.deepStrictEqual(
      found("required-unknown", [tool("get_x", "…", { orderId: text }, { required: ["order_id", "zzz"] })]),
      [
        "/0/inputSchema/required `order_id` is required, but no property has that name; nearest: orderId.",
        "/0/inputSchema/required `zzz` is required, but no property has that name; declare it, or remove it from required."
      ]
    )
    assert.deepStrictEqual(
      at(
        "required-unknown",
        { a: text },
        { anyOf: [{ required: ["a"] }, { required: ["b"], properties: { b: text } }] }
      ),
      []
    )
    assert.deepStrictEqual(at("required-unknown", {}, { required: ["a"], additionalProperties: text }), [])
  })

  it("13.3 required-contradicted needs an explicit statement", () => {
    const reported = (description: string, required: ReadonlyArray<string>) =>
      at("required-contradicted", { a: { ...text, description } }, { required }).length
    assert.strictEqual(reported("Optional. A filter.", ["a"]), 1)
    assert.strictEqual(reported("The store (optional)", ["a"]), 1)
    assert.strictEqual(reported("A filter (string, required)", []), 1)
    assert.strictEqual(reported("Optionally quoted text", ["a"]), 0)
    assert.strictEqual(reported("Required if b is given", []), 0)
    assert.strictEqual(reported("The number of required copies", []), 0)
    assert.strictEqual(reported("Not required.", []), 0)
    assert.deepStrictEqual(
      at("required-contradicted", { a: { type: ["string", "null"], description: "Optional." } }, { required: ["a"] }),
      []
    )
    assert.deepStrictEqual(at("required-contradicted", { a: { ...text, description: "Required.", default: "x" } }), [])
  })

  it("13.3 nesting-depth counts properties, not arrays", () => {
    const inside = (levels: number): object =>
      levels === 0 ? text : { type: "array", items: { type: "object", properties: { a: inside(levels - 1) } } }
    assert.deepStrictEqual(at("nesting-depth", { a: inside(2) }), [])
    assert.deepStrictEqual(at("nesting-depth", { a: inside(3) }).length, 1)
    assert.deepStrictEqual(at("nesting-depth", { a: inside(3) }, {}, { max: 4 }), [])
  })
})

describe("rules for values", () => {
  it("13.3 default-invalid checks types, enums, bounds and null", () => {
    assert.deepStrictEqual(
      at("default-invalid", {
        a: { ...text, default: null },
        b: { ...number, default: "10" },
        c: { ...text, enum: ["x"], default: "y" },
        d: { ...number, minimum: 1, default: 0 },
        e: { anyOf: [text, { type: "null" }], default: null },
        f: { type: "number", default: 1 },
        g: { type: "array", items: text, default: [] },
        h: { default: 7 },
        i: { type: "object", properties: {}, default: {} }
      }),
      [".a/default", ".b/default", ".c/default", ".d/default"]
    )
  })

  it("13.3 schema-contradiction needs every alternative to be impossible", () => {
    assert.deepStrictEqual(
      at("schema-contradiction", {
        a: { ...number, minimum: 2, maximum: 1 },
        b: { type: "boolean", enum: ["yes", "no"] },
        c: { ...text, enum: [] },
        d: { type: ["integer", "string"], enum: ["1"] },
        e: { anyOf: [{ ...number, minimum: 2, maximum: 1 }, text] },
        f: { ...number, minimum: 1, maximum: 1 }
      }),
      [".a", ".b", ".c"]
    )
  })

  it("13.3 pattern-unenforced names each pattern that does not run in linear time, in parameters and result", () => {
    const patterns = {
      a: { ...text, pattern: "^(?=.*x)y" },
      b: { ...text, pattern: "(a)\\1" },
      c: { ...text, pattern: "^(?:[a-z]{1000}){1000}$" },
      d: { ...text, pattern: "^[\\w\\-]+\\@x$" },
      e: { type: "array", items: { anyOf: [{ ...text, pattern: "(?<!x)y" }] } },
      f: { type: "object", patternProperties: { "^(?!x)": text } },
      // the first runs in linear time, the second is invalid, and the third is not a pattern
      g: { ...text, pattern: "^(a+)+$" },
      h: { ...text, pattern: "(" },
      pattern: { ...text, const: { pattern: "(?=x)" } }
    }
    assert.deepStrictEqual(at("pattern-unenforced", patterns), [
      ".a/pattern",
      ".b/pattern",
      ".c/pattern",
      ".d/pattern",
      ".e/items/anyOf/0/pattern",
      ".f/patternProperties/^(?!x)"
    ])
    const outputSchema = { type: "object", properties: { id: patterns.a } }
    const [finding] = found("pattern-unenforced", [{ ...tool("get_x", "Gets x."), outputSchema }])
    assert.strictEqual(
      finding,
      '/0/outputSchema/properties/id/pattern The pattern "^(?=.*x)y" is not enforced: it has a look-ahead, which cannot run in linear time; rewrite it, or check the value in the handler.'
    )
  })

  it("13.3 free-form ignores maps, enums and typed objects", () => {
    assert.deepStrictEqual(
      at("free-form", {
        options: { type: "object" },
        value: {},
        rows: { type: "array", items: { type: "object", additionalProperties: true } },
        mode: text,
        data: text,
        params: { ...text, description: "One of: a, b." },
        file_mode: { ...text, enum: ["r", "w"] },
        headers: { type: "object", additionalProperties: text },
        none: { type: "object", additionalProperties: false },
        name: text,
        either: { enum: ["a", 1] },
        self: { $ref: "#" }
      }),
      [".options", ".value", ".mode", ".data", ".rows/items"]
    )
  })

  it("13.3 keyword-unknown finds the intended keyword, and ignores extensions", () => {
    const reported = (schema: object) =>
      found("keyword-unknown", [tool("get_x", "…", { a: schema })]).map(
        (message) => /^\S+ JSON Schema ignores the unknown keyword \S+; (.*)\.$/u.exec(message)?.[1]
      )
    assert.deepStrictEqual(
      reported({ maxlength: 3, requried: [], Description: "x", min_length: 1, nullable: true, choices: [] }),
      [
        "write maxLength",
        "write required",
        "write description",
        "write minLength",
        'add "null" to the types',
        "write enum"
      ]
    )
    assert.deepStrictEqual(
      reported({
        "x-order": 1,
        example_value: "x",
        optional: [],
        title: "A",
        unit: "m",
        properties: { maxlength: text }
      }),
      []
    )
    assert.deepStrictEqual(reported({ items: { Enum: [] } }), ["write enum"])
  })

  it("13.3 enum-in-description ignores parameters with an enum, a pattern or a format", () => {
    const listing = { ...text, description: "One of: asc, desc." }
    assert.deepStrictEqual(
      at("enum-in-description", {
        a: listing,
        b: { ...listing, enum: ["asc"] },
        c: { ...listing, pattern: "a" },
        d: { ...number, description: "One of: 1, 2." }
      }),
      [".a"]
    )
    const documented = tool("get_x", "Gets x.\n\nArgs:\n    sort: Either 'asc' or 'desc'.\n", { sort: text })
    assert.deepStrictEqual(places("enum-in-description", [documented]), ["/0/inputSchema/properties/sort"])
  })
})

describe("rules for whole schemas", () => {
  it("13.3 schema-root requires an object, and in MCP a schema", () => {
    const roots = (...schemas: ReadonlyArray<unknown>) =>
      places(
        "schema-root",
        schemas.map((inputSchema) => ({ name: "x", description: "x", inputSchema }))
      )
    assert.deepStrictEqual(roots({ type: "object" }, { type: "dict" }, { type: ["object", "null"] }), [])
    assert.deepStrictEqual(
      roots({ type: "string" }, {}, "none", { $ref: "#/$defs/A", $defs: { A: { type: "object" } } }, null),
      ["/0/inputSchema", "/1/inputSchema", "/2/inputSchema", "/3/inputSchema", "/4/inputSchema"]
    )
    assert.deepStrictEqual(places("schema-root", [{ type: "function", function: { name: "x" } }]), [])
  })

  it("13.3 schema-reference finds definitions, anchors and parts of a bundle", () => {
    const referring = ($ref: string, rest: object = {}) => at("schema-reference", { a: { $ref } }, rest)
    assert.deepStrictEqual(referring("#/$defs/A"), [".a/$ref"])
    assert.deepStrictEqual(referring("https://example.com/a.json"), [".a/$ref"])
    for (const [reference, rest] of [
      ["#", {}],
      ["#/$defs/A", { $defs: { A: text } }],
      ["#/properties/a", {}],
      ["#here", { $defs: { A: { $anchor: "here" } } }],
      ["https://example.com/a.json", { $defs: { A: { $id: "https://example.com/a.json" } } }],
      ["#/$defs/A~1B", { $defs: { "A/B": text } }]
    ] as const) {
      assert.deepStrictEqual(referring(reference, rest), [], reference)
    }
    assert.deepStrictEqual(
      at("schema-reference", { a: { default: { $ref: "#/nowhere" }, enum: [{ $ref: "#/nowhere" }] } }),
      []
    )
  })

  it("13.3 schema-valid and schema-dialect also check results", () => {
    const tools = [
      { ...tool("get_x", "…"), outputSchema: { $schema: "http://json-schema.org/draft-04/schema#", type: "float" } }
    ]
    assert.deepStrictEqual(places("schema-valid", tools), ["/0/outputSchema/type"])
    assert.deepStrictEqual(places("schema-dialect", tools), ["/0/outputSchema/$schema"])
  })
})
