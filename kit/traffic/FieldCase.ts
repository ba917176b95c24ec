/** Reads fields whose names are in camel case in some logs of a product, and in snake case in others. */
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"

/** Returns the field of a name in camel case, otherwise of the same name in snake case. */
export const either = (fields: JsonObject, name: string): unknown =>
  fields[name] ?? fields[name.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)]
