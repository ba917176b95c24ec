/** The type of JSON objects, and functions that recognise and read them. */

/** The fields of a JSON object, not yet validated. */
export type JsonObject = Readonly<Record<string, unknown>>

/**
 * True if a value is an object and not an array. Instances of classes and objects without a prototype are objects too.
 */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Returns an own field of an object; `undefined` if the field is absent or inherited, or the value is not an object.
 */
export const field = (value: unknown, name: string): unknown =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
