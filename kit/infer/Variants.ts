/**
 * Decides whether objects are one struct, a union of structs, or records whose field names are data.
 *
 * - A union by discriminator has a common field whose few values determine the other fields.
 * - A union by fields consists of groups of similar objects. No field is common to all objects.
 */
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { prior, isSure } from "./Certainty.ts"
import { kindOf } from "./Sample.ts"
import type { Observation } from "./Shape.ts"
import * as FieldNames from "./FieldNames.ts"

/** A sample that is an object. */
export type ObjectSample = Observation & { readonly value: JsonObject }

/** Objects in groups, one group for each struct. */
interface Variants {
  /** The discriminator. Absent for a union by fields and for a single struct. */
  readonly by?: string
  readonly groups: ReadonlyArray<ReadonlyArray<ObjectSample>>
}

type Names = ReadonlySet<string>

const namesIn = (objects: ReadonlyArray<ObjectSample>): ReadonlyMap<string, number> => {
  const names = new Map<string, number>()
  for (const { value } of objects) for (const name of Object.keys(value)) names.set(name, (names.get(name) ?? 0) + 1)
  return names
}

/** Returns the fields that all objects have. */
const common = (objects: ReadonlyArray<ObjectSample>): Names =>
  new Set([...namesIn(objects)].flatMap(([name, count]) => (count === objects.length ? [name] : [])))

/** The minimum number of different field names of a record. */
const minNames = 3

/** True if a name is more likely data than the name of a field: a code, a number, a date or a sentence. */
const isData = (name: string): boolean => /\d|[^\w$]|^[A-Z]{2,5}$/.test(name) || name === ""

/**
 * True if every JavaScript object has a member of this name, so a struct cannot detect whether a value has the field.
 */
const isInherited = (name: string): boolean => name in {}

/**
 * True if field names are data (ids, dates, codes) and all values have one kind, or if a struct cannot have a field's
 * name.
 */
export const isRecord = (objects: ReadonlyArray<ObjectSample>): boolean => {
  const names = namesIn(objects)
  if ([...names.keys()].some(isInherited)) return true
  const kinds = new Set(objects.flatMap(({ value }) => Object.values(value).map(kindOf)))
  kinds.delete("null")
  if (names.size < minNames || kinds.size > 1) return false
  return [...names.keys()].every(isData) || (isScattered(objects) && countOfUnique(names) * 2 > names.size)
}

const countOfUnique = (names: ReadonlyMap<string, number>): number =>
  [...names.values()].filter((count) => count === 1).length

/** The minimum number of different field names of scattered objects. */
const manyNames = 12

/** True if objects have so many rare field names that no struct describes the objects. */
export const isScattered = (objects: ReadonlyArray<ObjectSample>): boolean => {
  const names = namesIn(objects)
  const used = [...names.values()].reduce((sum, count) => sum + count, 0)
  return names.size >= manyNames && common(objects).size === 0 && used < 0.25 * names.size * objects.length
}

/** Groups objects by a discriminator, or by their fields. Returns one group if the objects are one struct. */
export const variants = (objects: ReadonlyArray<ObjectSample>, isRoot: boolean): Variants => {
  const shared = common(objects)
  const discriminated = byDiscriminator(objects, shared)
  if (discriminated !== undefined) return discriminated
  const groups = shared.size === 0 && objects.length > 1 ? distinct(grouped(objects, isRoot)) : [objects]
  const isClear = groups.length <= maxGroups && (isRoot || groups.every((group) => group.length >= minCount))
  return { groups: isClear ? groups : [objects] }
}

/**
 * Groups objects with similar fields. In a group of complete results, all objects have at least one field in common.
 */
const grouped = (objects: ReadonlyArray<ObjectSample>, isRoot: boolean): ReadonlyArray<ReadonlyArray<ObjectSample>> => {
  const groups = clusters(objects).map(({ objects }) => objects)
  return isRoot ? groups.flatMap(byPresence) : groups
}

/** Splits off the objects with the most frequent field, then splits the others in the same way. */
const byPresence = (objects: ReadonlyArray<ObjectSample>): ReadonlyArray<ReadonlyArray<ObjectSample>> => {
  const [[name, count] = ["", 0]] = [...namesIn(objects)].sort(([, a], [, b]) => b - a)
  if (count === objects.length || count === 0) return [objects]
  const [having, lacking] = [true, false].map((has) =>
    objects.filter(({ value }) => Object.hasOwn(value, name) === has)
  )
  return [having ?? [], ...byPresence(lacking ?? [])]
}

const maxGroups = 8

/** The minimum number of objects of a variant. */
const minCount = 3

const byDiscriminator = (objects: ReadonlyArray<ObjectSample>, shared: Names): Variants | undefined => {
  let best: (Variants & { readonly gain: number }) | undefined
  for (const name of shared) {
    const groups = groupsBy(objects, name)
    if (groups === undefined || groups.length < 2 || groups.length > maxGroups) continue
    if (groups.some((group) => new Set(group.map(({ entity }) => entity)).size < minCount)) continue
    const entities = new Set(objects.map(({ entity }) => entity)).size
    const gain = determinedFields(groups)
    if (gain > (best?.gain ?? 0) && isSure(prior.choice * groups.length, entities)) best = { by: name, groups, gain }
  }
  return best
}

/**
 * Counts the fields that a discriminator determines: all objects of some groups have the field, and no other object has
 * it.
 */
const determinedFields = (groups: ReadonlyArray<ReadonlyArray<ObjectSample>>): number => {
  const names = groups.map((group) => ({ all: common(group), some: namesIn(group) }))
  const all = new Set(names.flatMap(({ all }) => [...all]))
  return [...all].filter(
    (name) =>
      names.every(({ all, some }) => all.has(name) || !some.has(name)) && names.some(({ some }) => !some.has(name))
  ).length
}

/**
 * Groups objects by their value of a field. Returns `undefined` if a value is not a word, or if there are too many
 * values.
 */
const groupsBy = (
  objects: ReadonlyArray<ObjectSample>,
  name: string
): ReadonlyArray<ReadonlyArray<ObjectSample>> | undefined => {
  const groups = new Map<string, Array<ObjectSample>>()
  for (const object of objects) {
    const value = object.value[name]
    if (typeof value !== "string" || !FieldNames.isWord(value)) return undefined
    const group = groups.get(value)
    if (group === undefined) groups.set(value, [object])
    else group.push(object)
    if (groups.size > maxGroups) return undefined
  }
  return [...groups.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group)
}

/** The minimum share of an object's fields that a cluster has when the object joins the cluster. */
const similarity = 0.5

interface Cluster {
  readonly names: Set<string>
  readonly objects: Array<ObjectSample>
}

const clusters = (objects: ReadonlyArray<ObjectSample>): ReadonlyArray<Cluster> => {
  const found: Array<Cluster> = []
  const largestFirst = objects.toSorted((a, b) => Object.keys(b.value).length - Object.keys(a.value).length)
  for (const object of largestFirst) {
    const names = Object.keys(object.value)
    const [nearest, share] = found.reduce<readonly [Cluster | undefined, number]>(
      (best, cluster) => {
        const both = names.filter((name) => cluster.names.has(name)).length / Math.max(1, names.length)
        return both > best[1] ? [cluster, both] : best
      },
      [undefined, 0]
    )
    if (nearest === undefined || share < similarity) found.push({ names: new Set(names), objects: [object] })
    else {
      nearest.objects.push(object)
      for (const name of names) nearest.names.add(name)
    }
  }
  return found
}

/**
 * Merges groups that a decoder cannot distinguish. A decoder uses the first member of a union that fits, and drops the
 * fields that this member lacks. So groups with more required fields come first. If an object of a group would fit an
 * earlier group, the two groups are merged.
 */
const distinct = (found: ReadonlyArray<ReadonlyArray<ObjectSample>>): ReadonlyArray<ReadonlyArray<ObjectSample>> => {
  const sorted = found
    .map((objects) => ({ objects, required: common(objects) }))
    .toSorted((a, b) => b.required.size - a.required.size)
  for (const [later, { objects }] of sorted.entries()) {
    const earlier = sorted
      .slice(0, later)
      .findIndex(({ required }) =>
        objects.some(({ value }) => [...required].every((name) => Object.hasOwn(value, name)))
      )
    if (earlier >= 0) {
      const merged = [...(sorted[earlier]?.objects ?? []), ...objects]
      const rest = sorted.filter((_, index) => index !== earlier && index !== later)
      return distinct([merged, ...rest.map(({ objects }) => objects)])
    }
  }
  return sorted.map(({ objects }) => objects)
}
