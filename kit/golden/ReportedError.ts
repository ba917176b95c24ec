/**
 * Reads and compares the error that a failed or partial call reported to its caller: its code, class, side effect and
 * next step.
 *
 * **Details**
 *
 * - The error is read from the guard's envelope, or from the guard's record, which has neither `retryable` nor
 *   `next_step`. The answer of another program has no such error.
 * - An envelope without `side_effect` means `none`, so an error with a class always has a side effect.
 * - A comparison covers only the fields that the golden file names.
 */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import { errorClass } from "effect-toolguard/internal/domain/envelope/EnvelopeError"
import type { Failure } from "effect-toolguard/internal/domain/failure/Failure"
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as Schema from "effect/Schema"
import type { FieldDifference } from "./FieldDiff.ts"

/** The fields of an error in a golden file. */
export const ErrorFields = Schema.Struct({
  code: Schema.optionalKey(Schema.String),
  error_class: Schema.optionalKey(Schema.String),
  side_effect: Schema.optionalKey(Schema.String),
  retryable: Schema.optionalKey(Schema.Boolean),
  next_step: Schema.optionalKey(Schema.String)
})
export type ErrorFields = typeof ErrorFields.Type

type Name = keyof ErrorFields
const names = Object.keys(ErrorFields.fields) as ReadonlyArray<Name> // the schema's own keys

/** The error of a call. `isOfRecord` is true if the error was read from a record. */
export interface ReportedError {
  readonly fields: ErrorFields
  readonly isOfRecord?: true
}

/**
 * Reads the error of an envelope. Returns `undefined` if it has no error. Ignores fields with a value of another type.
 */
export const ofEnvelope = (envelope: JsonObject): ReportedError | undefined => {
  const error = Fields.of(envelope["error"])
  const reported = {
    ...error,
    ...(typeof error["error_class"] === "string" ? { side_effect: error["side_effect"] ?? "none" } : {})
  }
  const fields = Object.fromEntries(
    names.flatMap((name) => {
      const value = Object.hasOwn(reported, name) ? (reported as JsonObject)[name] : undefined
      return typeof value === (name === "retryable" ? "boolean" : "string") ? [[name, value]] : []
    })
  )
  return Object.keys(fields).length === 0 ? undefined : { fields }
}

/** Returns the error of the failure in a record. */
export const ofFailure = ({ _tag, code, sideEffect }: Failure): ReportedError => ({
  fields: { code, error_class: errorClass(_tag), side_effect: sideEffect },
  isOfRecord: true
})

/** Returns the named fields whose values differ, or the whole expected error if the call reported no error. */
export const differences = (
  expected: ErrorFields | undefined,
  reported: ReportedError | undefined
): ReadonlyArray<FieldDifference> => {
  const named = expected === undefined ? [] : names.filter((name) => expected[name] !== undefined)
  if (named.length === 0) return []
  if (reported === undefined) return [{ path: "error", expected: CallKey.canonical(expected), got: "absent" }]
  return named.flatMap((name) => {
    const [one, other] = [expected?.[name], reported.fields[name]]
    if (one === other || (other === undefined && reported.isOfRecord === true && isMissingInRecords(name))) return []
    return [{ path: `error.${name}`, expected: text(one), got: text(other) }]
  })
}

const isMissingInRecords = (name: Name): boolean => name === "retryable" || name === "next_step"

const text = (value: string | boolean | undefined): string =>
  value === undefined ? "absent" : CallKey.canonical(value)

/**
 * Returns the error for the updated file. An error that matches is kept. An error that differs keeps its selection of
 * fields, with their new values. An absent error is added with all fields. Returns `undefined` if the call reported no
 * error.
 */
export const renewed = (
  expected: ErrorFields | undefined,
  reported: ReportedError | undefined
): ErrorFields | undefined => {
  if (reported === undefined || expected === undefined) return reported?.fields
  if (differences(expected, reported).length === 0) return expected
  return Object.fromEntries(
    names.flatMap((name) =>
      expected[name] === undefined || reported.fields[name] === undefined ? [] : [[name, reported.fields[name]]]
    )
  )
}
