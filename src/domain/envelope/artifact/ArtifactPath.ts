/**
 * Paths into a stored result, as a model writes them: `orders[10].items[0].cents`, `["odd name"]`, empty for the whole
 * result.
 *
 * **Details**
 *
 * - Paths are written as in errors (`FieldPath`), but are never cut, so that a model can send them back.
 * - A leading `$` is accepted, because many path syntaxes have one.
 * - Only own fields are followed, so `__proto__` is an ordinary name.
 */
import type { JsonObject } from "#domain/json/JsonObject"
import * as Result from "effect/Result"
import { cut } from "#domain/text/Cut"
import * as FieldPath from "#domain/text/FieldPath"
import { nearest } from "#domain/text/NearestName"

/** A field name or an index. */
export type Step = string | number

/** Why a path cannot be followed, in one line. */
type PathError = string

const plainName = /^[\p{L}\p{N}_$-]+$/u
const start = /^\$(?=[.[]|$)/
const step = /\.?([^.[\]"]+)|\[(-?\d+)\]|\[("(?:[^"\\]|\\.)*")\]/uy

/** Returns the steps of a path. Fails with the first invalid part. Takes linear time. */
export const parse = (path: string): Result.Result<ReadonlyArray<Step>, PathError> => {
  const text = path.trim().replace(start, "")
  const steps: Array<Step> = []
  step.lastIndex = 0
  while (step.lastIndex < text.length) {
    const at = step.lastIndex
    const match = step.exec(text)
    const [, name, index, quoted] = match ?? []
    const found = name ?? (index === undefined ? unquoted(quoted) : Number(index))
    if (found === undefined) {
      const rest = JSON.stringify(cut(text.slice(at), 40))
      return Result.fail(`The path is not valid from ${rest} on; write it like orders[10].cents.`)
    }
    steps.push(found)
  }
  return Result.succeed(steps)
}

const unquoted = (text = ""): string | undefined => Result.getOrUndefined(Result.try(() => JSON.parse(text) as string))

/** Returns a path as text that `parse` reads; empty for the whole result. */
export const format = (steps: ReadonlyArray<Step>): string => {
  let out = ""
  for (const one of steps) {
    if (typeof one === "number") out += `[${one}]`
    else if (!plainName.test(one) || (out === "" && one.startsWith("$"))) out += `[${JSON.stringify(one)}]`
    else out += out === "" ? one : `.${one}`
  }
  return out
}

/**
 * Returns a path as the subject of a sentence: `The result` for an empty path, and at most 120 characters of any other
 * path.
 */
export const label = (steps: ReadonlyArray<Step>): string => FieldPath.format(steps) || "The result"

/** Returns the value at a path. The error names the nearest existing fields, or the length of the list. */
export const find = (whole: unknown, path: ReadonlyArray<Step>): Result.Result<unknown, PathError> => {
  let value = whole
  for (const [depth, one] of path.entries()) {
    const above = path.slice(0, depth)
    if (Array.isArray(value)) {
      const index = /^\d+$/.test(String(one)) ? Number(one) : undefined
      if (index === undefined || index >= value.length) return Result.fail(notInList(above, one, value))
      value = value[index]
    } else if (typeof value === "object" && value !== null) {
      if (!Object.hasOwn(value, one)) return Result.fail(notInObject(above, String(one), Object.keys(value)))
      value = (value as JsonObject)[one]
    } else {
      return Result.fail(`${label(path.slice(0, depth + 1))} does not exist: ${lower(above)} has no parts.`)
    }
  }
  return Result.succeed(value)
}

const lower = (steps: ReadonlyArray<Step>): string => (steps.length === 0 ? "the result" : label(steps))

const notInList = (above: ReadonlyArray<Step>, one: Step, { length }: ReadonlyArray<unknown>): PathError => {
  const what = `${label([...above, one])} does not exist: ${lower(above)} is a list of ${length}`
  return length === 0 ? `${what}.` : `${what}, ${label([...above, 0])} to ${label([...above, length - 1])}.`
}

const maxNames = 10

/**
 * The maximum number of names that are compared with a missing name, so that an object with a million members does not
 * block the process.
 */
const maxCompared = 10_000

const notInObject = (above: ReadonlyArray<Step>, name: string, names: ReadonlyArray<string>): PathError => {
  const what = `${label([...above, name])} does not exist`
  const near = nearest(name, names.slice(0, maxCompared), 3)
  if (near.length > 0) return `${what}; nearest: ${near.map((other) => label([...above, other])).join(", ")}.`
  const shown = names.slice(0, maxNames).map(FieldPath.name)
  const more = names.length > maxNames ? ` (+${names.length - maxNames} more)` : ""
  return names.length === 0
    ? `${what}: ${lower(above)} is empty.`
    : `${what}; ${lower(above)} has: ${shown.join(", ")}${more}.`
}
