/**
 * Removes secrets from an encoded result, field by field.
 *
 * **Details**
 *
 * Most results contain no secret, so a first walk only decides whether there is a secret (`isClean`). It takes half the
 * time of the second walk, which finds the secrets and copies the changed parts (`redactClosely`). A property test
 * checks that the two walks agree.
 */
import type { JsonObject } from "#domain/json/JsonObject"
import { type Steps, stepLength, whole } from "#domain/json/Steps"
import { holdsSentences, isHolder, kindAmongSentences, kindBelow, kindOf } from "./FieldNames.ts"
import { mark } from "./HostPaths.ts"
import { redactSecrets, redactSecretsInSteps } from "./RedactedText.ts"
import * as SecretFinder from "./SecretFinder.ts"
import { type FieldKind, isSecretField, isSecretNumber, shortestField } from "./SecretLike.ts"

/**
 * Removes secrets from an encoded result and keeps its structure. A value without secrets is returned unchanged.
 *
 * **Details**
 *
 * The name of a field applies to the text, or the list of texts, in the field. The name of a password or a key also
 * applies to numbers and to the fields of an object in the field. Class instances and cycles are left unchanged.
 */
export const redactJson = (finders: SecretFinder.Finders, value: unknown): unknown =>
  isClean(finders, value) ? value : redactClosely(finders, value)

/** The minimum length of a field name that may itself be a secret. */
export const shortestName = 16

const isPlainObject = (value: object): value is JsonObject => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** The limits of the first walk, which has to end for cycles too. Beyond the limits the second walk decides. */
const maxDepth = 64
const maxObjects = 100_000

interface Look {
  readonly finders: SecretFinder.Finders
  objectsLeft: number
}

/** True if a value certainly contains no secret: `redactClosely` would return it unchanged. */
export const isClean = (finders: SecretFinder.Finders, value: unknown): boolean => {
  if (typeof value === "string") return !SecretFinder.finds(finders, value)
  return typeof value !== "object" || value === null || isCleanObject({ finders, objectsLeft: maxObjects }, value, 0)
}

const isCleanObject = (look: Look, value: object, depth: number): boolean => {
  look.objectsLeft -= 1
  if (look.objectsLeft < 0 || depth > maxDepth) return false
  if (Array.isArray(value)) return isCleanArray(look, value, depth + 1)
  return !isPlainObject(value) || isCleanRecord(look, value, depth + 1)
}

// The tests of an item and of a field are inlined, because a call for each number and flag would cost a third more.

const isCleanArray = (look: Look, values: ReadonlyArray<unknown>, depth: number): boolean => {
  for (let i = 0; i < values.length; i++) {
    const item = values[i]
    if (typeof item === "string") {
      if (SecretFinder.finds(look.finders, item)) return false
    } else if (typeof item === "object" && item !== null && !isCleanObject(look, item, depth)) return false
  }
  return true
}

const isCleanRecord = (look: Look, record: JsonObject, depth: number): boolean => {
  for (const key in record) {
    const field = record[key]
    if (key.length >= shortestName && SecretFinder.finds(look.finders, key)) return false
    if (typeof field === "string") {
      if (field.length < shortestField) continue
      if (kindOf(record, key) !== "none" || SecretFinder.finds(look.finders, field)) return false
    } else if (typeof field === "object" && field !== null) {
      if (kindOf(record, key) !== "none" || !isCleanObject(look, field, depth)) return false
    } else if (typeof field === "number" && isSecretNumber("secret", field) && kindOf(record, key) === "secret") {
      return false
    }
  }
  return true
}

interface Walk {
  readonly finders: SecretFinder.Finders
  readonly ancestors: Array<object>
  /** The remaining characters of the current step. */
  room: number
}

/** Removes secrets like `redactJson`, but without the first walk. */
export const redactClosely = (finders: SecretFinder.Finders, value: unknown): unknown =>
  whole(redactInSteps(finders, value))

/** The number of characters that a step reads, in which all may be near a secret. */
const stepRoom = stepLength / 5

/** Returns the same as `redactJson`, in steps. */
export const redactInSteps = (finders: SecretFinder.Finders, value: unknown): Steps<unknown> =>
  redactValue({ finders, ancestors: [], room: stepRoom }, value, { kind: "none", reach: "texts" })

/** Counts a part of a value. Returns true if the step ends after it. */
const endsStep = (walk: Walk, value: unknown): boolean => {
  walk.room -= typeof value === "string" ? value.length + 16 : 16
  if (walk.room > 0) return false
  walk.room = stepRoom
  return true
}

/** The implications of the names of the enclosing fields for a value. */
interface Above {
  readonly kind: FieldKind
  /**
   * The fields of an object to which the kind applies: all fields (the data of a Kubernetes secret), the fields that
   * can hold the secret, or none, because the fields hold sentences about other fields.
   */
  readonly reach: "all" | "texts" | "sentences"
}

const scheme = /^(?:bearer|basic|token|digest|apikey|bot)[ \t]+/i

/** Returns the mark that replaces a text, after the scheme of a header: `Bearer [redacted]`. */
const marked = (text: string): string => (scheme.exec(text)?.[0] ?? "") + mark

function* redactValue(walk: Walk, value: unknown, above: Above): Steps<unknown> {
  if (typeof value === "string" && value.length > stepLength && !isMarked(value, above))
    return yield* redactSecretsInSteps(walk.finders, value, false)
  if (typeof value !== "object" || value === null) return redactScalar(walk, value, above)
  if (walk.ancestors.includes(value)) return value
  if (Array.isArray(value)) return yield* redactArray(walk, value, above)
  return isPlainObject(value) ? yield* redactRecord(walk, value, above) : value
}

const isMarked = (text: string, { kind }: Above): boolean => kind !== "none" && isSecretField(kind, text)

const redactScalar = ({ finders }: Walk, value: unknown, above: Above): unknown => {
  if (typeof value === "string") return isMarked(value, above) ? marked(value) : redactSecrets(finders, value, false)
  return typeof value === "number" && isSecretNumber(above.kind, value) ? mark : value
}

/** True if a value has parts, so that more than one step may read it. */
const isDivisible = (value: unknown): boolean =>
  typeof value === "string" ? value.length > stepLength : typeof value === "object"

function* redactArray(walk: Walk, values: ReadonlyArray<unknown>, above: Above): Steps<unknown> {
  // A list of objects, such as `messages`, does not hold sentences about fields.
  const inside: Above = above.reach === "sentences" ? { kind: above.kind, reach: "texts" } : above
  let copy: Array<unknown> | undefined
  walk.ancestors.push(values)
  for (let i = 0; i < values.length; i++) {
    const item = values[i]
    if (endsStep(walk, item)) yield
    const redacted = isDivisible(item) ? yield* redactValue(walk, item, inside) : redactScalar(walk, item, inside)
    if (Object.is(redacted, item)) continue
    copy ??= values.slice()
    copy[i] = redacted
  }
  walk.ancestors.pop()
  return copy ?? values
}

/** Returns the implications of a field's name for its value. */
const aboveOf = (record: JsonObject, key: string, above: Above): Above => {
  const own = kindOf(record, key)
  if (above.reach === "all") return { kind: above.kind === "none" ? own : above.kind, reach: "all" }
  if (above.reach === "sentences") return { kind: kindAmongSentences(own), reach: "texts" }
  const below = above.kind === "none" ? "none" : kindBelow(record, key, above.kind)
  const kind = own === "secret" || below === "none" ? own : below
  if (kind === "none") return { kind, reach: holdsSentences(key) ? "sentences" : "texts" }
  return { kind, reach: own !== "none" && isHolder(key) ? "all" : "texts" }
}

function* redactRecord(walk: Walk, record: JsonObject, above: Above): Steps<unknown> {
  let changes: Map<string, readonly [key: string, value: unknown]> | undefined
  walk.ancestors.push(record)
  for (const key in record) {
    const field = record[key]
    if (endsStep(walk, field)) yield
    const name = key.length < shortestName ? key : redactSecrets(walk.finders, key, false)
    const inside = aboveOf(record, key, above)
    const redacted = isDivisible(field) ? yield* redactValue(walk, field, inside) : redactScalar(walk, field, inside)
    if (Object.is(redacted, field) && name === key) continue
    changes ??= new Map()
    changes.set(key, [name, redacted])
  }
  walk.ancestors.pop()
  if (changes === undefined) return record
  const found = changes
  return Object.fromEntries(Object.entries(record).map((entry) => found.get(entry[0]) ?? entry))
}
