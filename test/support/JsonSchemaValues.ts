/**
 * Generates values for a JSON Schema: valid values, values on the schema's bounds, and nearly valid values.
 *
 * Supports the keywords that contracts produce. Tests decide with a validator whether a generated value is valid.
 */

/** A JSON Schema. */
export type JsonSchema = { readonly [key: string]: unknown }

/** Returns a source of pseudorandom numbers from 0 to 1 that depend only on the seed (mulberry32). */
export const random = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

type Random = () => number

const pick = <A>(from: ReadonlyArray<A>, next: Random): A => from[Math.floor(next() * from.length)]!

const characters = ["a", "Z", "0", " ", "-", ".", "é", "😀", "\ud83d", "\u0000", "\n", '"', "ß", "İ", "\u200d", "_"]

const texts = [
  "",
  " ",
  "a",
  "ab",
  "abc",
  "abcd",
  "ABC",
  "x".repeat(40),
  "12",
  "-7",
  "1.5",
  "1e3",
  "true",
  "null",
  "a-b",
  "A-1",
  "C-12",
  "😀",
  "😀😀",
  "😀a",
  "\ud83d",
  "\ud83da",
  "é",
  "e\u0301",
  " a",
  "a ",
  "a\n",
  "\t",
  "2026-01-31",
  "2026-02-30",
  "2026-01-31T10:00:00Z",
  "01234567-89ab-4def-8123-456789abcdef",
  "01234567-89AB-4DEF-8123-456789ABCDEF",
  "a@b.de",
  "01ARZ3NDEKTSV4RRFFQ69G5FAV",
  "https://x.y/z?q=1",
  "constructor",
  "İ",
  "ß",
  "ſ",
  "K",
  "aGVsbG8=",
  "aGVsbG8",
  "ZZZZZZZZZZZZZZZZZZZZZZZZZZ"
]

const numbers = [
  0,
  -0,
  1,
  -1,
  2,
  3,
  5,
  10,
  99,
  100,
  101,
  0.1,
  0.5,
  1.5,
  -1.5,
  1e-9,
  1e21,
  2 ** 31,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 53 + 2,
  -(2 ** 53 - 1),
  -(2 ** 53),
  1.7976931348623157e308,
  5e-324,
  Infinity,
  -Infinity
]

const string = (schema: JsonSchema, next: Random): string => {
  const { minLength = 0, maxLength = 8 } = schema as { readonly minLength?: number; readonly maxLength?: number }
  if (schema["pattern"] !== undefined || next() < 0.4) return pick(texts, next)
  const length = pick(
    [minLength, maxLength, minLength - 1, maxLength + 1, Math.ceil((minLength + maxLength) / 2)],
    next
  )
  return Array.from({ length: Math.max(0, Math.min(length, 60)) }, () => pick(characters, next)).join("")
}

const number = (schema: JsonSchema, next: Random): number => {
  const bounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"].flatMap((key) => {
    const bound = schema[key]
    return typeof bound === "number" ? [bound, bound - 1, bound + 1, bound + 0.5, bound * 3] : []
  })
  return pick(bounds.length > 0 && next() < 0.6 ? bounds : numbers, next)
}

const anything: ReadonlyArray<unknown> = [null, true, false, 0, 1, "", "a", [], [1], {}, { a: 1 }]

/** Generates a value that is valid or nearly valid for the schema. `root` contains the definitions. */
export const generate = (schema: JsonSchema, root: JsonSchema, next: Random, depth = 0): unknown => {
  const reference = schema["$ref"]
  if (typeof reference === "string") {
    const target = reference
      .slice(2)
      .split("/")
      .reduce<unknown>((at, key) => (at as JsonSchema)[key], root)
    return depth > 4 ? pick(anything, next) : generate(target as JsonSchema, root, next, depth + 1)
  }
  const members = (schema["anyOf"] ?? schema["oneOf"]) as ReadonlyArray<JsonSchema> | undefined
  if (members !== undefined) return generate(pick(members, next), root, next, depth)
  if (Array.isArray(schema["enum"])) return pick(schema["enum"], next)
  if (Array.isArray(schema["type"])) {
    return generate({ ...schema, type: pick(schema["type"], next) }, root, next, depth)
  }
  switch (schema["type"]) {
    case "string":
      return string(schema, next)
    case "integer":
      return next() < 0.8 ? Math.trunc(number(schema, next)) : number(schema, next)
    case "number":
      return number(schema, next)
    case "boolean":
      return next() < 0.5
    case "null":
      return null
    case "array": {
      const { minItems = 0, maxItems = 4 } = schema as { readonly minItems?: number; readonly maxItems?: number }
      const length = pick([minItems, maxItems, minItems - 1, maxItems + 1, minItems + 1, 2], next)
      const items = (schema["items"] ?? {}) as JsonSchema
      const list = Array.from({ length: Math.max(0, Math.min(length, 6)) }, () =>
        generate(items, root, next, depth + 1)
      )
      return list.length > 1 && next() < 0.2 ? [...list, list[0]] : list
    }
    case "object":
      return object(schema, root, next, depth)
    default:
      return pick(anything, next)
  }
}

const object = (schema: JsonSchema, root: JsonSchema, next: Random, depth: number): unknown => {
  const required = (schema["required"] ?? []) as ReadonlyArray<string>
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>)
  const result: Record<string, unknown> = {}
  for (const [name, field] of properties) {
    const isSent = required.includes(name) ? next() < 0.97 : next() < 0.6
    if (isSent) result[name] = generate(field, root, next, depth + 1)
  }
  const open = [schema["additionalProperties"], ...Object.values((schema["patternProperties"] ?? {}) as object)].filter(
    (each): each is JsonSchema => typeof each === "object" && each !== null
  )
  for (let i = 0; open.length > 0 && i < 2; i++) {
    if (next() < 0.6) result[pick(texts, next)] = generate(pick(open, next), root, next, depth + 1)
  }
  return result
}

/** Changes one place in a value, in a way that is typical of model mistakes. */
export const damage = (value: unknown, next: Random): unknown => {
  if (typeof value === "object" && value !== null && next() < 0.8) {
    const keys = Object.keys(value)
    const key = pick(keys, next)
    if (Array.isArray(value)) {
      if (key === undefined || next() < 0.2) return [...value, pick(anything, next)]
      return value.map((item: unknown, i) => (String(i) === key ? damage(item, next) : item))
    }
    const chance = next()
    if (key === undefined || chance < 0.15) return { ...value, [pick(["extra", "constructor", "A", "0", ""], next)]: 1 }
    const { [key]: field, ...rest } = value as Record<string, unknown>
    if (chance < 0.25) return rest
    if (chance < 0.3) return { ...rest, [key.toUpperCase()]: field }
    return { ...rest, [key]: damage(field, next) }
  }
  if (typeof value === "string" && next() < 0.6) {
    return pick([value.slice(1), value + pick(characters, next), value + value, value.toUpperCase(), ` ${value}`], next)
  }
  if (typeof value === "number" && next() < 0.6) {
    return pick([value + 1, value - 1, -value, value + 0.5, String(value), value * 10], next)
  }
  return pick([...anything, ...texts, ...numbers], next)
}
