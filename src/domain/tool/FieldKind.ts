/**
 * Checks the fields of definitions and policies of untyped programs, which the compiler cannot check.
 *
 * A field with an unknown name would otherwise be ignored, and a value of another type would fail inside the library. Each
 * fault throws a `RangeError` that names the tool, the field and the remedy.
 */
import { isJsonObject } from "#domain/json/JsonObject"
import { cut } from "#domain/text/Cut"
import * as NearestName from "#domain/text/NearestName"
import * as Duration from "effect/Duration"

/** The values that a field accepts. `undefined` counts as unset, and is accepted unless the field is required. */
export interface FieldKind {
  /** The remedy, as the end of a sentence that begins with "write". */
  readonly remedy: string
  readonly accepts: (value: unknown) => boolean
  readonly isRequired?: true
  /** The fields that a value has if it is an object. */
  readonly fields?: FieldKinds
  /** The kind of each entry, if the value is a list or an object with any names. */
  readonly each?: FieldKind | undefined
}

/** The kinds of the fields of an object, by name. */
export type FieldKinds = Readonly<Record<string, FieldKind>>

/** One of some texts. */
export const oneOf = (...texts: ReadonlyArray<string>): FieldKind => {
  const quoted = texts.map((text) => JSON.stringify(text))
  return {
    remedy: quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`,
    accepts: (value) => texts.some((text) => text === value)
  }
}

export const flag: FieldKind = { remedy: "true or false", accepts: (value) => typeof value === "boolean" }

export const text = (remedy: string): FieldKind => ({ remedy, accepts: (value) => typeof value === "string" })

export const fn = (remedy = "a function"): FieldKind => ({ remedy, accepts: (value) => typeof value === "function" })

/** A number whose range `Setting` checks. */
export const number: FieldKind = { remedy: "a whole number", accepts: (value) => value !== null }

/** A time, which `Setting` checks. */
export const time: FieldKind = { remedy: 'a time such as "30 seconds"', accepts: () => true }

/** An object with some of these fields. */
export const object = (fields: FieldKinds): FieldKind => {
  const names = Object.keys(fields).map((name) => `\`${name}\``)
  return { remedy: `an object with ${names.join(", ")}`, accepts: isJsonObject, fields }
}

/** An object whose fields have any names. */
export const record = (remedy: string, each: FieldKind): FieldKind => ({ remedy, accepts: isJsonObject, each })

export const list = (remedy: string, each?: FieldKind): FieldKind => ({
  remedy,
  accepts: Array.isArray,
  each
})

/** Returns a kind that also accepts `false`. */
export const orFalse = (kind: FieldKind): FieldKind => ({
  ...kind,
  remedy: `${kind.remedy}, or false`,
  accepts: (value) => value === false || kind.accepts(value)
})

/** A value of one of two kinds. Only the fields of the second kind are checked. */
export const either = (first: FieldKind, second: FieldKind): FieldKind => ({
  ...second,
  remedy: `${first.remedy.replace(" or ", ", ")} or ${second.remedy}`,
  accepts: (value) => first.accepts(value) || second.accepts(value)
})

export const required = (kind: FieldKind): FieldKind => ({ ...kind, isRequired: true })

/** Throws unless the object has only fields of these names, and each value is of its kind. `prefix` is their path. */
export const check = (tool: string, prefix: string, input: object, fields: FieldKinds): void => {
  checkNames(tool, prefix, input, Object.keys(fields))
  checkValues(tool, prefix, input, fields)
}

/** Throws unless the values are of their kinds. Names are not checked. */
export const checkValues = (tool: string, prefix: string, input: object, fields: FieldKinds): void => {
  for (const [name, kind] of Object.entries(fields)) {
    checkValue(tool, prefix + name, (input as Readonly<Record<string, unknown>>)[name], kind)
  }
}

const checkValue = (tool: string, path: string, value: unknown, kind: FieldKind): void => {
  if (value === undefined && kind.isRequired !== true) return
  if (!kind.accepts(value)) throw new RangeError(`${tool}: \`${path}\` is ${shown(value)}; write ${kind.remedy}.`)
  if (kind.fields !== undefined && isJsonObject(value)) check(tool, `${path}.`, value, kind.fields)
  if (kind.each === undefined) return
  const isList = Array.isArray(value)
  for (const [name, entry] of Object.entries(value as object)) {
    checkValue(tool, isList ? `${path}[${name}]` : `${path}.${name}`, entry, kind.each)
  }
}

/** Throws a RangeError if a field has an unknown name. */
const checkNames = (tool: string, prefix: string, input: object, known: ReadonlyArray<string>): void => {
  const unknown = Object.keys(input).find((name) => !known.includes(name))
  if (unknown === undefined) return
  const [near] = NearestName.nearest(unknown, known)
  const remedy =
    near === undefined
      ? `the fields are ${known.map((name) => prefix + name).join(", ")}.`
      : `did you mean \`${prefix}${near}\`?`
  throw new RangeError(`${tool}: \`${prefix}${unknown}\` is not a field here; ${remedy}`)
}

/** Returns a value for a message, in at most 40 characters. */
export const shown = (value: unknown): string => cut(textOf(value), 40)

const textOf = (value: unknown): string => {
  switch (typeof value) {
    case "function":
      return "a function"
    case "object":
      return Duration.isDuration(value) ? Duration.format(value) : jsonOf(value)
    case "string":
      return JSON.stringify(value)
    default:
      return String(value)
  }
}

const jsonOf = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? "an object"
  } catch {
    return "an object"
  }
}
