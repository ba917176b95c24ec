/**
 * Validates keywords that contain no schemas: types, listed values, bounds, lengths and names.
 *
 * - A keyword ignores values of other types. A keyword other than `type` and `enum` accepts every value if its own
 *   value has the wrong type.
 * - Lengths count code points. Formats are annotations.
 */
import * as Effort from "./Effort.ts"
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as Allowance from "effect-toolguard/internal/domain/schema/pattern/Allowance"
import * as ForeignPattern from "effect-toolguard/internal/domain/schema/pattern/ForeignPattern"
import * as Pattern from "effect-toolguard/internal/domain/schema/json/Pattern"
import * as Result from "effect/Result"
import { hasType } from "effect-toolguard/internal/domain/schema/json/Types"

const listed = new WeakMap<object, ReadonlySet<string>>()

/** Returns whether a list contains a value. The texts of a list are cached, because many values may be looked up. */
const isAmong = (values: ReadonlyArray<unknown>, value: unknown): boolean => {
  const texts = listed.get(values) ?? new Set(values.map((one) => CallKey.canonical(one)))
  listed.set(values, texts)
  return texts.has(CallKey.canonical(value))
}

/** Whether a value meets a keyword; `undefined` if that is undecided. `constraint` is the keyword's own value. */
type Assertion = (constraint: unknown, value: unknown) => boolean | undefined

type CompiledPattern = Pick<ForeignPattern.ForeignPattern, "longest" | "test">

const patterns = new Map<string, CompiledPattern>()

/** The maximum number of compiled patterns that are kept. */
const maxPatterns = 1_000

/** Limits the steps of all patterns together, because the schemas of one command may have many patterns. */
const allowance = Allowance.make()

/** False if the patterns have taken so many steps that `matches` returns `undefined`. */
export const areStepsLeft = allowance.isLeft

const compile = (pattern: string): CompiledPattern => {
  if (!Pattern.isValid(pattern)) return { longest: Infinity, test: () => false }
  const foreign = ForeignPattern.make(pattern, allowance)
  return Result.isFailure(foreign) ? { longest: Infinity, test: () => undefined } : foreign.success
}

const compiledOf = (pattern: string): CompiledPattern => {
  const compiled = patterns.get(pattern)
  // a pattern takes as many steps as several schemas
  Effort.spend(compiled === undefined ? 50 : 5)
  const known = compiled ?? compile(pattern)
  if (patterns.size >= maxPatterns) patterns.clear()
  patterns.set(pattern, known)
  return known
}

/**
 * Returns true if a pattern matches somewhere in a text. Returns `undefined` if the pattern cannot run in linear time,
 * if the text is too long, or if no steps are left. A pattern that does not compile matches nothing; lint reports it.
 */
export const matches = (pattern: string, text: string): boolean | undefined => compiledOf(pattern).test(text)

/** True if `matches` decides texts of this length. */
export const isDecided = (pattern: string, length: number): boolean => {
  const { longest, test } = compiledOf(pattern)
  return length <= longest && test("") !== undefined
}

/** Returns the items of a list; no items for any other value. */
export const list = (constraint: unknown): ReadonlyArray<unknown> => (Array.isArray(constraint) ? constraint : [])

const equal: Assertion = (one, other) => CallKey.canonical(one) === CallKey.canonical(other)

/** Compares a measure of a value with the number of the keyword. A value without the measure is accepted. */
const bound =
  (
    measure: (value: unknown) => number | undefined,
    holds: (measured: number, constraint: number) => boolean
  ): Assertion =>
  (constraint, value) => {
    const measured = measure(value)
    return measured === undefined || typeof constraint !== "number" || holds(measured, constraint)
  }

const number = (value: unknown) => (typeof value === "number" ? value : undefined)
const length = (value: unknown) => (typeof value === "string" ? [...value].length : undefined)
const items = (value: unknown) => (Array.isArray(value) ? value.length : undefined)
const size = (value: unknown) => (isJsonObject(value) ? Object.keys(value).length : undefined)

const atLeast = (measured: number, constraint: number): boolean => measured >= constraint
const atMost = (measured: number, constraint: number): boolean => measured <= constraint

const hasAll = (value: object, names: unknown): boolean =>
  list(names).every((name) => Object.hasOwn(value, String(name)))

/** The assertion of each keyword. */
export const assertions = {
  type: (constraint, value) => [constraint].flat().some((type) => hasType(value, type)),
  enum: (constraint, value) => isAmong(list(constraint), value),
  const: equal,
  minimum: bound(number, atLeast),
  maximum: bound(number, atMost),
  exclusiveMinimum: bound(number, (value, constraint) => value > constraint),
  exclusiveMaximum: bound(number, (value, constraint) => value < constraint),
  multipleOf: bound(number, (value, constraint) => Number.isInteger(value / constraint)),
  minLength: bound(length, atLeast),
  maxLength: bound(length, atMost),
  pattern: (constraint, value) =>
    typeof value !== "string" || typeof constraint !== "string" || matches(constraint, value),
  minItems: bound(items, atLeast),
  maxItems: bound(items, atMost),
  uniqueItems: (constraint, value) =>
    constraint !== true || !Array.isArray(value) || new Set(value.map(CallKey.canonical)).size === value.length,
  minProperties: bound(size, atLeast),
  maxProperties: bound(size, atMost),
  required: (constraint, value) => !isJsonObject(value) || hasAll(value, constraint),
  dependentRequired: (constraint, value) =>
    !isJsonObject(value) ||
    !isJsonObject(constraint) ||
    Object.entries(constraint).every(([name, needed]) => !Object.hasOwn(value, name) || hasAll(value, needed))
} satisfies Readonly<Record<string, Assertion>>
