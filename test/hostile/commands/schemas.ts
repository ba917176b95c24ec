/** Hostile JSON Schemas, in pairs of two versions, for lists of tools, OpenAPI documents and logs. */

type Schema = Record<string, unknown>

const object = (q: unknown, more: Schema = {}): Schema => ({ type: "object", properties: { q }, ...more })

const times = <A>(count: number, make: (index: number) => A): Array<A> =>
  Array.from({ length: count }, (_, i) => make(i))

/** Nests a schema in a number of levels. */
const nested = (levels: number, around: (inner: unknown) => unknown, innermost: unknown): unknown => {
  let schema = innermost
  for (let level = 0; level < levels; level++) schema = around(schema)
  return schema
}

/** Returns a schema with definitions that each refer several times to the next. */
const laughs = (leaf: string, combine: (next: Schema) => Schema): Schema =>
  object(
    { $ref: "#/$defs/d0" },
    {
      $defs: {
        ...Object.fromEntries(times(20, (level) => [`d${level}`, combine({ $ref: `#/$defs/d${level + 1}` })])),
        d20: { type: leaf }
      }
    }
  )

const text = (pattern: string): Schema => object({ type: "string", pattern })

const field = (name: string, next: unknown): Schema => ({ type: "object", properties: { [name]: next } })

/** Returns a union of many objects, each with additional keywords. */
const union = (keyword: string, count: number, more: Schema): Schema =>
  object({ [keyword]: times(count, (n) => ({ ...field("kind", { const: `k${n}` }), required: ["kind"], ...more })) })

export const pairs: Readonly<Record<string, () => readonly [Schema, Schema]>> = {
  "90 levels": () => [
    object(nested(90, (inner) => ({ type: "array", items: inner }), { type: "string" })),
    object(nested(90, (inner) => ({ type: "array", items: inner }), { type: "integer" }))
  ],
  "`$ref` cycle": () => [
    object({ $ref: "#/$defs/a" }, { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }),
    object({ $ref: "#/$defs/b" }, { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } })
  ],
  "`$ref` chain of 20,000": () => [
    object({ $ref: "#/$defs/d0" }, { $defs: chain("string") }),
    object({ $ref: "#/$defs/d0" }, { $defs: chain("integer") })
  ],
  "exponential anyOf": () => {
    const six = (next: Schema): Schema => ({
      anyOf: times(6, (n) => ({ type: "object", properties: { [`a${n}`]: next, x: next, y: next }, required: ["x"] }))
    })
    return [laughs("string", six), laughs("integer", six)]
  },
  "exponential allOf": () => {
    const two = (next: Schema): Schema => ({ allOf: [field("a", next), field("b", next), next] })
    return [laughs("string", two), laughs("integer", two)]
  },
  "allOf of anyOf": () => {
    const all = (n: number): Schema =>
      object({ allOf: times(40, (i) => ({ anyOf: times(n, (j) => field(`f${i}_${j}`, { type: "string" })) })) })
    return [all(6), all(7)]
  },
  "oneOf in not in if": () => {
    const three = (next: Schema): Schema => ({
      if: { not: next },
      else: { oneOf: [next, { type: "null" }] }
    })
    return [laughs("string", three), laughs("integer", three)]
  },
  "union of 5,000 branches": () => [union("anyOf", 5_000, {}), union("anyOf", 5_000, { required: ["kind", "more"] })],
  "oneOf of 5,000 branches": () => [union("oneOf", 5_000, {}), union("oneOf", 5_001, {})],
  "type unions of 5,000 texts": () => [
    object({ anyOf: times(5_000, (n) => ({ type: "string", pattern: `^a${n}.*$` })) }),
    object({ anyOf: times(5_000, (n) => ({ type: "string", pattern: `^b${n}.*$` })) })
  ],
  "enum of 200,000": () => [
    object({ enum: times(200_000, (n) => `value-${n}`) }),
    object({ enum: times(200_000, (n) => `value-${n + 1}`) })
  ],
  "enum of 50,000 objects": () => [
    object({ enum: times(50_000, (n) => ({ n, list: [n] })) }),
    object({ enum: times(50_000, (n) => ({ n: n + 1, list: [n] })) })
  ],
  "100,000 properties": () => [
    { type: "object", properties: wide("string") },
    { type: "object", properties: wide("integer") }
  ],
  "100,000 required": () => [
    { type: "object", required: times(100_000, (n) => `r${n}`) },
    { type: "object", required: times(100_001, (n) => `r${n}`) }
  ],
  "20,000 patternProperties": () => [
    { type: "object", patternProperties: patterned("string") },
    { type: "object", patternProperties: patterned("integer") }
  ],
  "numbers without bounds": () => [
    object({ type: "number", multipleOf: 1e-300, minimum: -1e308, maximum: 1e308 }),
    object({ type: "number", multipleOf: 3e-300, minimum: -1e308, maximum: 1e300 })
  ],
  "lengths without bounds": () => [
    object({ type: "string", minLength: 1e15, maxLength: 1e18 }),
    object({ type: "array", minItems: 1e15, uniqueItems: true, contains: { const: 1 }, minContains: 1e12 })
  ],
  "exponential pattern": () => [text("^(?:a|a){34}$"), text("^(?:a|a){35}$")],
  "polynomial pattern": () => [text("^a*a*a*a*a*a*a*a*b$"), text("^a*a*a*a*a*a*a*a*c$")],
  "nested repetition": () => [
    text("^((((a{1,30}){1,30}){1,30}){1,30}){1,30}$"),
    text("^((((a{30}){30}){30}){30}){30}b$")
  ],
  "10,000 alternatives": () => [text(`^(${words("a").join("|")})$`), text(`^(${words("b").join("|")})$`)],
  "2,000 unicode classes": () => [
    text("\\p{L}[^\\p{N}]{0,999}".repeat(1_000)),
    text("\\p{L}[\\p{N}]{0,999}".repeat(1_000))
  ],
  "look-around": () => [text("^(?=(a+)+$)(?!b)a*$"), text("^(?=(a+)+$)(?<!b)a*$")],
  "back references": () => [text("^(a*)*\\1\\1b$"), text("^(a*)*\\1\\1c$")],
  "`$ref` to itself in allOf": () => [
    object({ type: "string" }, { allOf: [{ $ref: "#" }] }),
    object({ type: "integer" }, { allOf: [{ $ref: "#" }, { $ref: "#" }] })
  ],
  "40,000 mutually recursive definitions": () => [mutual(40_000, 7), mutual(40_000, 11)],
  "20,000 dynamic anchors": () => [anchored("string"), anchored("integer")],
  "3,000 conditions in allOf": () => [conditions(3_000), conditions(2_999)],
  "const of 2 MB": () => [object({ const: "x".repeat(2_000_000) }), object({ const: "y".repeat(2_000_000) })],
  "references to other documents": () => [
    object({ $ref: "http://169.254.169.254/latest" }),
    object({ $ref: "file:///etc/passwd" }, { $defs: { a: { $ref: "#/../../a" } } })
  ],
  "values of wrong types": () => [
    { type: "object", properties: [1, 2], required: "x", enum: 5, pattern: 7, items: "a", allOf: {}, $ref: 9 },
    { type: ["object", 3], properties: null, required: [1], enum: {}, pattern: [], items: 0, anyOf: "x" }
  ],
  "lone surrogates and NUL": () => [
    object({ const: "\ud800\u0000\u202e" }, { title: "\udfff\u001b[31m" }),
    object({ const: "\ud801\u0000\u202e", description: "\u0000".repeat(10_000) })
  ]
}

const mutual = (count: number, step: number): Schema =>
  object(
    { $ref: "#/$defs/d0" },
    {
      $defs: Object.fromEntries(
        times(count, (n) => [
          `d${n}`,
          { anyOf: [{ $ref: `#/$defs/d${(n * step + 1) % count}` }, { $ref: `#/$defs/d${(n * 13 + 5) % count}` }] }
        ])
      )
    }
  )

const anchored = (type: string): Schema =>
  object(
    { $dynamicRef: "#x" },
    { $defs: Object.fromEntries(times(20_000, (n) => [`d${n}`, { $dynamicAnchor: "x", type }])) }
  )

const conditions = (count: number): Schema => ({
  type: "object",
  unevaluatedProperties: false,
  allOf: times(count, (n) => ({
    properties: { [`p${n}`]: {} },
    if: { required: [`p${n}`] },
    else: { required: [`p${n + 1}`] }
  }))
})

const wide = (type: string): Schema => Object.fromEntries(times(100_000, (n) => [`p${n}`, { type }]))
const patterned = (type: string): Schema => Object.fromEntries(times(20_000, (n) => [`^p${n}.*(x|y)$`, { type }]))
const words = (letter: string): Array<string> => times(10_000, (n) => `${letter}${n}`)

const chain = (leaf: string): Schema => ({
  ...Object.fromEntries(times(20_000, (n) => [`d${n}`, { $ref: `#/$defs/d${n + 1}` }])),
  d20000: { type: leaf }
})
