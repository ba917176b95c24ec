/**
 * Reads a recorded result as JSON, but distinguishes `1.0` from `1`.
 *
 * If a service writes a whole number with a decimal point, the field can contain decimals: the next value may be `1.5`.
 */
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as PythonRepr from "effect-toolguard/internal/domain/json/PythonRepr"
import * as JsonText from "effect-toolguard/internal/domain/json/JsonText"
import * as Result from "effect/Result"

/** A whole number that was written as a decimal: `65.0`. */
export class WholeDecimal {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }

  toJSON(): number {
    return this.value
  }
}

/** The placeholder of an object that is nested in an object of the same kind. `loop` identifies the kind. */
export class Inner {
  readonly loop: object

  constructor(loop: object) {
    this.loop = loop
  }
}

/** The kinds of values that a schema distinguishes. */
export type Kind = "null" | "boolean" | "number" | "string" | "array" | "object" | "inner"

/** Returns the kind of a sample. */
export const kindOf = (value: unknown): Kind => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  if (value instanceof WholeDecimal) return "number"
  if (value instanceof Inner) return "inner"
  // a JSON value can have no other type
  return typeof value as "boolean" | "number" | "string" | "object"
}

const numberOf: PythonRepr.ReadNumber = (source) => {
  const value = Number(source)
  return Number.isInteger(value) && /[.eE]/.test(source) ? new WholeDecimal(value) : value
}

/** Matches a text that may contain a number such as `1.0` or `1e3`, because inspecting every number is slow. */
const mayHaveDecimals = /\d(?:\.0|[eE][-+]?\d)/

/**
 * Parses JSON, and reads `1.0` as a `WholeDecimal`. TypeScript does not declare a reviver's third parameter, hence the
 * cast.
 */
const parseDecimals = (text: string): unknown =>
  JSON.parse(text, ((_key: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === "number" && context?.source !== undefined ? numberOf(context.source) : value) as (
    this: unknown,
    key: string,
    value: unknown
  ) => unknown)

/** A text read as JSON within the guard's limits, or as the repr of a Python value. */
type Notation =
  | { readonly _tag: "Read"; readonly value: unknown; readonly notation: "json" | "python" }
  /** The text is well-formed JSON up to its end, but truncated. */
  | { readonly _tag: "Cut" }
  | { readonly _tag: "Other" }

/** Reads a text as a value. */
export const read = (text: string): Notation => {
  const parsed = JsonText.parse(text, JsonText.resultLimits)
  if (Result.isSuccess(parsed)) {
    const value = mayHaveDecimals.test(text) ? parseDecimals(text.replace(/^\uFEFF/, "")) : parsed.success
    return { _tag: "Read", value, notation: "json" }
  }
  const repr = PythonRepr.read(text, numberOf)
  if (repr._tag === "Read") return { ...repr, notation: "python" }
  return parsed.failure._tag === "Truncated" && /^\s*[[{]/.test(text) ? { _tag: "Cut" } : repr
}

/** Replaces each `WholeDecimal` in a value with a plain number. */
export const plain = (sample: unknown): unknown => {
  if (sample instanceof WholeDecimal) return sample.value
  if (Array.isArray(sample)) return sample.map(plain)
  if (kindOf(sample) !== "object") return sample
  // kindOf has checked that the value is an object
  return Object.fromEntries(Object.entries(sample as JsonObject).map(([name, value]) => [name, plain(value)]))
}
