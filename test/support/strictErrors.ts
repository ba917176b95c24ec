/**
 * Makes `assert.deepStrictEqual` compare all fields of errors. A setup file of vitest.
 *
 * chai compares only the name, the message and the code of two errors, also in an Exit or a Result. Two failures of the
 * guard with one message and different fields would be equal.
 */
import { assert } from "vitest"

type Fields = readonly [path: string, fields: Readonly<Record<string, unknown>>]

/** Returns the own fields of all errors in a value, with their paths. */
const errorsIn = (value: unknown): ReadonlyArray<Fields> => {
  const found: Array<Fields> = []
  const ancestors = new Set<object>()
  const walk = (part: unknown, path: string): void => {
    if (typeof part !== "object" || part === null || ancestors.has(part)) return
    if (part instanceof Error) found.push([path, { ...part }])
    ancestors.add(part)
    const entries: Iterable<readonly [unknown, unknown]> =
      part instanceof Map ? part : part instanceof Set ? [...part].entries() : Object.entries(part)
    for (const [name, field] of entries) walk(field, `${path}.${String(name)}`)
    ancestors.delete(part)
  }
  walk(value, "")
  return found
}

const compare = assert.deepStrictEqual

const strict = <T>(actual: T, expected: T, message?: string): void => {
  compare(actual, expected, message)
  const fields = errorsIn(expected)
  if (fields.length > 0) compare(errorsIn(actual), fields, message)
}

// files share their modules and this function: it is replaced once
if (compare.name !== strict.name) assert.deepStrictEqual = strict
