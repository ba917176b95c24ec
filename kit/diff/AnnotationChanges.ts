/**
 * Compares the annotations of two schemas, such as descriptions, defaults and formats, and the order of their enums.
 */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { schemasIn } from "effect-toolguard/internal/domain/schema/json/KeywordValue"
import { draft2020, kindOf } from "effect-toolguard/internal/domain/schema/json/Keywords"
import type { Path } from "#kit/containment/Gap"
import { shown } from "./GapText.ts"

interface AnnotationDifference {
  readonly path: Path
  readonly text: string
}

const keywords = ["description", "default", "format", "title", "deprecated", "examples"] as const

/** The keywords whose subschemas are compared. `step` returns the last part of a subschema's path. */
const steps: ReadonlyArray<readonly [keyword: string, step: (key: string | number | undefined) => string]> = [
  ["properties", String],
  ["patternProperties", String],
  ["$defs", (name) => `#${name}`],
  ["definitions", (name) => `#${name}`],
  ["items", () => "[]"],
  ["additionalProperties", () => "{}"],
  ["anyOf", (index) => `anyOf ${Number(index) + 1}`],
  ["oneOf", (index) => `oneOf ${Number(index) + 1}`],
  ["allOf", (index) => `allOf ${Number(index) + 1}`]
]

/**
 * Collects the subschemas of a schema by path. Does not follow references, because definitions have their own paths.
 */
const nodes = (
  schema: unknown,
  path: Path,
  found: Map<string, readonly [Path, JsonObject]>,
  key = ""
): typeof found => {
  if (!isJsonObject(schema) || path.length > 40) return found
  found.set(key, [path, schema])
  for (const [keyword, step] of steps) {
    if (!Object.hasOwn(schema, keyword)) continue
    for (const [inner, [name]] of schemasIn(kindOf(keyword, draft2020) ?? "anything", schema[keyword])) {
      const last = step(name)
      // the length of the step keeps the keys of different paths different
      nodes(inner, [...path, last], found, `${key}${last.length}:${last}`)
    }
  }
  return found
}

const changeText = (keyword: string, before: unknown, after: unknown): string => {
  if (keyword === "description" || keyword === "title") return `has a different ${keyword}`
  if (before === undefined) return `now has the ${keyword} ${shown(after)}`
  return after === undefined
    ? `no longer has the ${keyword} ${shown(before)}`
    : `has the ${keyword} ${shown(after)}, was ${shown(before)}`
}

const isReordered = (before: unknown, after: unknown): boolean => {
  if (!Array.isArray(before) || !Array.isArray(after)) return false
  const [one, other] = [before, after].map((values) => values.map(CallKey.canonical))
  return one?.join() !== other?.join() && one?.toSorted().join() === other?.toSorted().join()
}

/** Returns the differences at the paths that both schemas have. */
export const annotationDifferences = (before: unknown, after: unknown): ReadonlyArray<AnnotationDifference> => {
  const old = nodes(before, [], new Map())
  return [...nodes(after, [], new Map())].flatMap(([key, [path, now]]) => {
    const then = old.get(key)?.[1]
    if (then === undefined) return []
    const texts = keywords
      .filter(
        (keyword) =>
          then[keyword] !== now[keyword] && CallKey.canonical(then[keyword]) !== CallKey.canonical(now[keyword])
      )
      .map((keyword) => changeText(keyword, then[keyword], now[keyword]))
    return [...texts, ...(isReordered(then["enum"], now["enum"]) ? ["lists its values in a different order"] : [])].map(
      (text) => ({ path, text })
    )
  })
}
