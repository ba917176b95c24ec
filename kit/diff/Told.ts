/** Finds what a schema tells a model beside what it demands: descriptions, defaults, formats, the order of an enum. */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import type { Path } from "#kit/containment/Gap"
import { shown } from "./Wording.ts"

/** A difference in what is told at a place. */
export interface Telling {
  readonly path: Path
  readonly text: string
}

const keywords = ["description", "default", "format", "title", "deprecated", "examples"] as const

/** The nodes of a schema by their places; references are not followed, and definitions have places of their own. */
const nodes = (schema: unknown, path: Path, found: Map<string, readonly [Path, JsonObject]>): typeof found => {
  if (!isJsonObject(schema) || path.length > 40) return found
  found.set(CallKey.canonical(path), [path, schema])
  for (const holder of ["properties", "patternProperties"]) {
    for (const [name, inner] of Object.entries(isJsonObject(schema[holder]) ? schema[holder] : {})) {
      nodes(inner, [...path, name], found)
    }
  }
  for (const holder of ["$defs", "definitions"]) {
    for (const [name, inner] of Object.entries(isJsonObject(schema[holder]) ? schema[holder] : {})) {
      nodes(inner, [...path, `#${name}`], found)
    }
  }
  nodes(schema["items"], [...path, "[]"], found)
  nodes(schema["additionalProperties"], [...path, "{}"], found)
  for (const holder of ["anyOf", "oneOf", "allOf"]) {
    const members = Array.isArray(schema[holder]) ? (schema[holder] as ReadonlyArray<unknown>) : []
    for (const [index, member] of members.entries()) nodes(member, [...path, `${holder} ${index + 1}`], found)
  }
  return found
}

const changed = (keyword: string, before: unknown, after: unknown): string => {
  if (keyword === "description" || keyword === "title") return `has another ${keyword}`
  if (before === undefined) return `has the ${keyword} ${shown(after)} now`
  return after === undefined
    ? `no longer has the ${keyword} ${shown(before)}`
    : `has the ${keyword} ${shown(after)}, it was ${shown(before)}`
}

const isReordered = (before: unknown, after: unknown): boolean => {
  if (!Array.isArray(before) || !Array.isArray(after)) return false
  const [one, other] = [before, after].map((values) => values.map(CallKey.canonical))
  return one?.join() !== other?.join() && one?.toSorted().join() === other?.toSorted().join()
}

/** What is told in another way, where both schemas have the place. */
export const tellings = (before: unknown, after: unknown): ReadonlyArray<Telling> => {
  const old = nodes(before, [], new Map())
  return [...nodes(after, [], new Map())].flatMap(([key, [path, now]]) => {
    const then = old.get(key)?.[1]
    if (then === undefined) return []
    const told = keywords
      .filter((keyword) => CallKey.canonical(then[keyword]) !== CallKey.canonical(now[keyword]))
      .map((keyword) => changed(keyword, then[keyword], now[keyword]))
    return [...told, ...(isReordered(then["enum"], now["enum"]) ? ["lists its values in another order"] : [])].map(
      (text) => ({ path, text })
    )
  })
}
