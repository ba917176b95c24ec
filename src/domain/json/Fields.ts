/** Reads foreign JSON field by field and never fails: a field that is missing or has another type is read as empty. */
import { isJsonObject, type JsonObject } from "./JsonObject.ts"

/** Returns an object unchanged, and an empty object for any other value. */
export const of = (value: unknown): JsonObject => (isJsonObject(value) ? value : {})

/** Returns a string unchanged, and an empty string for any other value. */
export const string = (value: unknown): string => (typeof value === "string" ? value : "")

/** Returns the items of a list as objects, and an empty list for any other value. */
export const list = (value: unknown): ReadonlyArray<JsonObject> => (Array.isArray(value) ? value.map(of) : [])

/** Returns an integer of at least 0 unchanged, and `undefined` for any other value. */
export const count = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined
