/** Generates random JSON Schemas and small changes to them, reproducible by a seed. */
import { random } from "../../support/JsonSchemaValues.ts"

type Schema = Record<string, unknown> | boolean
type Next = () => number

const pick = <A>(from: ReadonlyArray<A>, next: Next): A => from[Math.floor(next() * from.length)]!
const chance = (share: number, next: Next): boolean => next() < share

const names = ["a", "b", "c", "kind", "x1"]
const words = ["open", "closed", "x", ""]
const patterns = ["^[a-z]+$", "^[A-Z]{3}$", "^C-\\d{4}$", "^a*$", "[0-9]"]

const bounds = (low: string, high: string, from: number, to: number, next: Next): Record<string, number> => {
  const values = [from, to].map((edge) => Math.floor(edge + next() * 5)).sort((one, other) => one - other)
  return {
    ...(chance(0.4, next) ? { [low]: values[0]! } : {}),
    ...(chance(0.4, next) ? { [high]: values[1]! } : {})
  }
}

const number = (next: Next): Schema => ({
  type: pick(["integer", "number"], next),
  ...bounds(pick(["minimum", "exclusiveMinimum"], next), pick(["maximum", "exclusiveMaximum"], next), -3, 6, next),
  ...(chance(0.15, next) ? { multipleOf: pick([1, 2, 3, 0.5], next) } : {})
})

const text = (next: Next): Schema => ({
  type: "string",
  ...bounds("minLength", "maxLength", 0, 4, next),
  ...(chance(0.25, next) ? { pattern: pick(patterns, next) } : {})
})

const list = (depth: number, next: Next): Schema => ({
  type: "array",
  ...(chance(0.7, next) ? { items: schema(depth - 1, next) } : {}),
  ...(chance(0.15, next) ? { prefixItems: [schema(depth - 1, next), schema(depth - 1, next)] } : {}),
  ...bounds("minItems", "maxItems", 0, 3, next),
  ...(chance(0.1, next) ? { uniqueItems: true } : {}),
  ...(chance(0.08, next) ? { contains: schema(depth - 1, next) } : {})
})

const object = (depth: number, next: Next): Schema => {
  const own = names.filter(() => chance(0.5, next))
  return {
    type: "object",
    properties: Object.fromEntries(own.map((name) => [name, schema(depth - 1, next)])),
    ...(chance(0.6, next) ? { required: names.filter(() => chance(0.3, next)) } : {}),
    ...(chance(0.5, next) ? { additionalProperties: chance(0.6, next) ? false : schema(depth - 1, next) } : {}),
    ...(chance(0.1, next)
      ? { patternProperties: { [pick(["^x", "^[a-c]$", "d"], next)]: schema(depth - 1, next) } }
      : {}),
    ...(chance(0.1, next) ? bounds("minProperties", "maxProperties", 0, 3, next) : {}),
    ...(chance(0.07, next) ? { propertyNames: text(next) } : {}),
    ...(chance(0.05, next) ? { dependentRequired: { a: ["b"] } } : {})
  }
}

const union = (depth: number, next: Next): Schema => {
  if (chance(0.3, next)) {
    return {
      [pick(["anyOf", "oneOf"], next)]: words.slice(0, 2).map((kind) => ({
        type: "object",
        properties: { kind: { const: kind }, [pick(names, next)]: schema(depth - 1, next) },
        required: ["kind"]
      }))
    }
  }
  const members = Array.from({ length: 2 + Math.floor(next() * 2) }, () => schema(depth - 1, next))
  return {
    [pick(["anyOf", "anyOf", "oneOf", "allOf"], next)]: members,
    ...(chance(0.2, next) ? { type: pick(["object", "string"], next) } : {})
  }
}

const values: ReadonlyArray<unknown> = [null, true, 0, 1, 2.5, "open", "closed", "", [], ["x"], {}, { a: 1 }]

/** Generates a random schema. */
export const schema = (depth: number, next: Next): Schema => {
  const roll = next()
  if (roll < 0.03) return chance(0.5, next)
  if (roll < 0.06) return {}
  if (roll < 0.14)
    return { enum: [...new Set(Array.from({ length: 1 + Math.floor(next() * 3) }, () => pick(values, next)))] }
  if (roll < 0.18) return { const: pick(values, next) }
  if (roll < 0.23) return { type: pick(["null", "boolean"], next) }
  if (roll < 0.38 || (depth <= 0 && roll < 0.7)) return number(next)
  if (roll < 0.55 || depth <= 0) return text(next)
  if (roll < 0.65) return list(depth, next)
  if (roll < 0.86) return object(depth, next)
  if (roll < 0.88) return { not: schema(depth - 1, next) }
  if (roll < 0.9) return { type: ["string", "null", "integer"].filter(() => chance(0.6, next)).concat("boolean") }
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  if (roll < 0.92) return { if: schema(depth - 1, next), then: schema(depth - 1, next), else: schema(depth - 1, next) }
  if (roll < 0.95) return { $ref: "#/$defs/node" }
  return union(depth, next)
}

/** Generates a schema with a definition that may be recursive. */
export const whole = (seed: number): Record<string, unknown> => {
  const next = random(seed)
  const node = {
    type: "object",
    properties: {
      v: schema(0, next),
      more: { type: "array", items: { $ref: "#/$defs/node" } },
      ...(chance(0.5, next) ? { next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } } : {})
    },
    ...(chance(0.5, next) ? { required: ["v"] } : {}),
    ...(chance(0.5, next) ? { additionalProperties: false } : {})
  }
  const made = schema(3, next)
  return { ...(typeof made === "boolean" ? { allOf: [made] } : made), $defs: { node } }
}

/** Returns the schema with one random change. */
export const mutated = (given: unknown, next: Next): unknown => {
  if (Array.isArray(given)) {
    if (given.length === 0 || chance(0.1, next)) return given
    const index = Math.floor(next() * given.length)
    if (chance(0.15, next)) return given.length > 1 ? given.toSpliced(index, 1) : given
    return given.with(index, mutated(given[index], next))
  }
  if (typeof given === "number") return pick([given + 1, given - 1, given * 2], next)
  if (typeof given === "boolean") return !given
  if (typeof given === "string") return given
  if (typeof given !== "object" || given === null) return given
  const keys = Object.keys(given)
  const key = pick(keys, next)
  const roll = next()
  const { [key]: value, ...rest } = given as Record<string, unknown>
  if (key === undefined || roll < 0.08) return { ...given, ...Object(schema(1, next)) }
  if (key === "$ref" || key === "pattern") return given
  if (roll < 0.16 && key !== "$defs" && key !== "node") return rest
  if (key === "required") return { ...rest, required: names.filter(() => chance(0.4, next)) }
  if (roll < 0.22 && "properties" in given) {
    const properties = given.properties as Record<string, unknown>
    return { ...given, properties: { ...properties, [pick(names, next)]: schema(1, next) } }
  }
  return { ...rest, [key]: mutated(value, next) }
}
