/**
 * Finds the changes of a schema that explain why a recorded value is refused.
 *
 * **Details**
 *
 * - A change explains a value if a fault of the value is at the place of the change, and the value there violates what
 *   the change adds. A value that several changes refuse has several causes.
 * - Some changes cannot be tested alone, such as alternatives. If no other change explains the value, those at the
 *   deepest place of a fault do.
 */
import * as FieldPath from "effect-toolguard/internal/domain/text/FieldPath"
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import type { Fault } from "effect-toolguard/internal/domain/faults/Fault"
import type { Path, Reason } from "#kit/containment/Gap"
import * as Effort from "#kit/schema/Effort"
import { valid } from "#kit/schema/Judge"
import { opener } from "#kit/schema/Term"
import type { Change } from "./Change.ts"

/** The maximum number of values of one place that are tested. */
const maxValues = 10_000

/** Returns the changes that explain the faults of a value, among the changes that may have caused them. */
export const of = (
  changes: ReadonlyArray<Change>,
  value: unknown,
  faults: ReadonlyArray<Fault>
): ReadonlyArray<Change> => {
  const located = changes.filter((change) => faults.some((fault) => isAt(change, fault)))
  const proven = located.filter(({ path, reason }) => reason !== undefined && isViolated(reason, path, value))
  if (proven.length > 0) return proven
  const deepest = Math.max(0, ...located.map(({ path }) => path.length))
  const unproven = located.filter(({ path }) => path.length === deepest)
  // a place inside a recursive schema has no change of its own
  return unproven.length > 0 || changes.length > 1 ? unproven : changes
}

/** True if the fault is at the place of the change, inside it or around it. */
const isAt = ({ path, reason }: Change, { kind, path: at }: Fault): boolean => {
  const place = textOf(path)
  if (reason?._tag === "Closed") return kind === "excess" && isInside(at, place)
  const name = reason !== undefined && "name" in reason ? textOf([...path, reason.name]) : place
  return isInside(at, name) || isInside(name, at)
}

/** Formats the path of a change like the path of a fault. */
const textOf = (path: Path): string =>
  FieldPath.format(
    path.map((part) =>
      part === "[]" ? FieldPath.anyIndex : part === "{}" || isPattern(part) ? FieldPath.anyName : part
    )
  )

const isPattern = (part: string | number): boolean =>
  typeof part === "string" && part.length > 1 && part.startsWith("/") && part.endsWith("/")

const isInside = (path: string, other: string): boolean =>
  other === "" || path === other || path.startsWith(`${other}.`) || path.startsWith(`${other}[`)

const isViolated = (reason: Reason, path: Path, value: unknown): boolean => {
  const schema = schemaOf(reason)
  if (schema === undefined) return false
  const term = opener()(schema)
  return valuesAt(value, path).some((each) => Effort.bounded(() => valid(term, each) === false, false))
}

/** Returns the schema of the values that the change still allows; `undefined` if the change cannot be tested alone. */
const schemaOf = (reason: Reason): unknown => {
  switch (reason._tag) {
    case "Values":
      return { not: { enum: reason.values } }
    case "Type":
      return { not: { type: reason.type } }
    case "Bound":
      return { [reason.keyword]: reason.to }
    case "Integer":
      return { anyOf: [{ type: "integer" }, { not: { type: "number" } }] }
    case "Multiple":
      return { multipleOf: reason.of }
    case "Pattern":
      return { pattern: reason.pattern }
    case "Unique":
      return { uniqueItems: true }
    case "Required":
      return { required: [reason.name] }
    case "Removed":
      return { properties: { [reason.name]: false } }
    case "Closed":
    case "Listed":
    case "Constraint":
    case "Alternatives":
    case "Unknown":
      return undefined
  }
}

/** Returns the values at a path: all items for `[]`, and all values of an object for `{}` and for a pattern. */
const valuesAt = (value: unknown, path: Path): ReadonlyArray<unknown> => {
  let found: ReadonlyArray<unknown> = [value]
  for (const part of path) found = found.flatMap((each) => partsOf(each, part)).slice(0, maxValues)
  return found
}

const partsOf = (value: unknown, part: string | number): ReadonlyArray<unknown> => {
  if (Array.isArray(value)) {
    if (part === "[]") return value
    return typeof part === "number" && part < value.length ? [value[part]] : []
  }
  if (!isJsonObject(value)) return []
  if (Object.hasOwn(value, part)) return [value[part]]
  return part === "{}" || isPattern(part) ? Object.values(value) : []
}
