/** Reads foreign JSON field by field without failing: what is missing or of another type is empty. */
import { isJsonObject, type JsonObject } from "./JsonObject.ts"

/** Returns the fields of an object; empty for any other value. */
export const of = (value: unknown): JsonObject => (isJsonObject(value) ? value : {})

/** Returns a text; empty for any other value. */
export const string = (value: unknown): string => (typeof value === "string" ? value : "")

/** Returns the fields of each item of a list; empty for any other value. */
export const list = (value: unknown): ReadonlyArray<JsonObject> => (Array.isArray(value) ? value.map(of) : [])

/** Returns a count: an integer from 0 up, else `undefined`. */
export const count = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined
