/** Compares the arguments of two calls, field by field. */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as FieldPath from "effect-toolguard/internal/domain/text/FieldPath"

/** A field whose value differs. */
export interface FieldDifference {
  readonly path: string
  /** The value as JSON, or `absent` if the field is missing. */
  readonly expected: string
  readonly got: string
}

const absent = "absent"

/** Returns all differences between two values. The path of the root is empty. */
export const diff = (expected: unknown, got: unknown): ReadonlyArray<FieldDifference> => {
  const found: Array<FieldDifference> = []
  walk(expected, got, [], found)
  return found
}

const walk = (
  expected: unknown,
  got: unknown,
  path: ReadonlyArray<PropertyKey>,
  found: Array<FieldDifference>
): void => {
  if (isJsonObject(expected) && isJsonObject(got)) {
    for (const name of [...new Set([...Object.keys(expected), ...Object.keys(got)])].toSorted()) {
      walk(own(expected, name), own(got, name), [...path, name], found)
    }
    return
  }
  if (Array.isArray(expected) && Array.isArray(got)) {
    const length = Math.max(expected.length, got.length)
    for (let index = 0; index < length; index++) walk(expected[index], got[index], [...path, index], found)
    return
  }
  const [one, other] = [canonical(expected), canonical(got)]
  if (one !== other) found.push({ path: FieldPath.format(path), expected: one, got: other })
}

const own = (value: JsonObject, name: string): unknown => (Object.hasOwn(value, name) ? value[name] : undefined)

const canonical = (value: unknown): string => (value === undefined ? absent : CallKey.canonical(value))
