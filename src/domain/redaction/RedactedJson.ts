/**
 * Takes secrets out of an encoded result, field by field.
 *
 * **Details**
 *
 * Most results hold none. So a first walk only asks whether there is any (`isClean`), at half the cost of the second,
 * which looks again and copies what changes (`redactClosely`). A test holds the first to what the second would change.
 */
import { isHolder, kindOf } from "./FieldNames.ts"
import { mark } from "./HostPaths.ts"
import { redactSecrets } from "./RedactedText.ts"
import * as SecretFinder from "./SecretFinder.ts"
import { type FieldKind, isSecretField, shortestField } from "./SecretLike.ts"

/**
 * Takes secrets out of an encoded result. Keeps its structure; what holds none is the same object as before.
 *
 * **Details**
 *
 * A field's name counts for the texts in it and in a list in it. Values of classes, and cycles, are left as they are.
 */
export const redactJson = (finders: SecretFinder.Finders, value: unknown): unknown =>
  isClean(finders, value) ? value : redactClosely(finders, value)

/** Shorter names of fields are no secrets themselves. */
export const shortestName = 16

const isPlainObject = (value: object): value is Readonly<Record<string, unknown>> => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Where the first walk gives up, so that cycles end: what is deeper or larger is looked at closely. */
const deepest = 64
const mostObjects = 100_000

interface Look {
  readonly finders: SecretFinder.Finders
  objectsLeft: number
}

/** Whether a value certainly holds no secret: `redactClosely` would give it back as it is. */
export const isClean = (finders: SecretFinder.Finders, value: unknown): boolean => {
  if (typeof value === "string") return !SecretFinder.finds(finders, value)
  return typeof value !== "object" || value === null || isCleanObject({ finders, objectsLeft: mostObjects }, value, 0)
}

const isCleanObject = (look: Look, value: object, depth: number): boolean => {
  look.objectsLeft -= 1
  if (look.objectsLeft < 0 || depth > deepest) return false
  if (Array.isArray(value)) return isCleanArray(look, value, depth + 1)
  return !isPlainObject(value) || isCleanRecord(look, value, depth + 1)
}

// what is asked of an item and of a field is written out, since a call for each number and flag costs a third more

const isCleanArray = (look: Look, values: ReadonlyArray<unknown>, depth: number): boolean => {
  for (let i = 0; i < values.length; i++) {
    const item = values[i]
    if (typeof item === "string") {
      if (SecretFinder.finds(look.finders, item)) return false
    } else if (typeof item === "object" && item !== null && !isCleanObject(look, item, depth)) return false
  }
  return true
}

const isCleanRecord = (look: Look, record: Readonly<Record<string, unknown>>, depth: number): boolean => {
  for (const key in record) {
    const field = record[key]
    if (key.length >= shortestName && SecretFinder.finds(look.finders, key)) return false
    if (typeof field === "string") {
      if (field.length < shortestField) continue
      if (kindOf(record, key) !== "none" || SecretFinder.finds(look.finders, field)) return false
    } else if (typeof field === "object" && field !== null) {
      if (kindOf(record, key) !== "none" || !isCleanObject(look, field, depth)) return false
    }
  }
  return true
}

interface Walk {
  readonly finders: SecretFinder.Finders
  readonly above: Array<object>
}

/** The second walk, whatever the first one says. */
export const redactClosely = (finders: SecretFinder.Finders, value: unknown): unknown =>
  redactValue({ finders, above: [] }, value, "none", false)

/** `kind` is what the names above say; `holds`: also for fields below that have names of their own. */
const redactValue = (walk: Walk, value: unknown, kind: FieldKind, holds: boolean): unknown => {
  if (typeof value === "string") {
    return kind !== "none" && isSecretField(kind, value) ? mark : redactSecrets(walk.finders, value, false)
  }
  if (typeof value !== "object" || value === null || walk.above.includes(value)) return value
  if (Array.isArray(value)) return redactArray(walk, value, kind, holds)
  return isPlainObject(value) ? redactRecord(walk, value, holds ? kind : "none") : value
}

const redactArray = (walk: Walk, values: ReadonlyArray<unknown>, kind: FieldKind, holds: boolean): unknown => {
  let copy: Array<unknown> | undefined
  walk.above.push(values)
  for (let i = 0; i < values.length; i++) {
    const redacted = redactValue(walk, values[i], kind, holds)
    if (Object.is(redacted, values[i])) continue
    copy ??= values.slice()
    copy[i] = redacted
  }
  walk.above.pop()
  return copy ?? values
}

const redactRecord = (walk: Walk, record: Readonly<Record<string, unknown>>, inherited: FieldKind): unknown => {
  let changes: Map<string, readonly [key: string, value: unknown]> | undefined
  walk.above.push(record)
  for (const key in record) {
    const name = key.length < shortestName ? key : redactSecrets(walk.finders, key, false)
    const own = kindOf(record, key)
    const kind = inherited === "none" ? own : inherited
    const redacted = redactValue(walk, record[key], kind, inherited !== "none" || (own !== "none" && isHolder(key)))
    if (Object.is(redacted, record[key]) && name === key) continue
    changes ??= new Map()
    changes.set(key, [name, redacted])
  }
  walk.above.pop()
  if (changes === undefined) return record
  const found = changes
  return Object.fromEntries(Object.entries(record).map((entry) => found.get(entry[0]) ?? entry))
}
