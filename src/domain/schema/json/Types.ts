/** The types of JSON Schema, their names in other languages, and the types of values. */

export type JsonType = "string" | "number" | "integer" | "boolean" | "object" | "array" | "null"

const types: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "object", "array", "null"])

/** Other names that published schemas use: those of Python, Java, C and Protocol Buffers. */
const aliases: Readonly<Record<string, JsonType>> = {
  dict: "object",
  map: "object",
  hashmap: "object",
  struct: "object",
  float: "number",
  double: "number",
  decimal: "number",
  int: "integer",
  int32: "integer",
  int64: "integer",
  long: "integer",
  bool: "boolean",
  str: "string",
  text: "string",
  list: "array",
  arraylist: "array",
  tuple: "array",
  set: "array",
  none: "null"
}

export const isType = (name: unknown): name is JsonType => types.has(name)

/** Returns the type that a name means, ignoring case; `undefined` if the name does not mean a type. */
export const typeNamed = (name: unknown): JsonType | undefined => {
  if (typeof name !== "string") return undefined
  const lower = name.toLowerCase()
  if (isType(lower)) return lower
  return Object.hasOwn(aliases, lower) ? aliases[lower] : undefined
}

/** Returns the narrowest type of a JSON value. A whole number is an `integer`. */
export const typeOf = (value: unknown): JsonType => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number"
  return typeof value === "string" ? "string" : typeof value === "boolean" ? "boolean" : "object"
}

/** True if a JSON value is of the given type. False for a name that is not a type. */
export const hasType = (value: unknown, type: unknown): boolean => {
  const own = typeOf(value)
  return own === type || (own === "integer" && type === "number")
}
