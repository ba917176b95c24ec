/**
 * Whether objects are of one struct, of several, or records whose names are data.
 *
 * - Several by discriminator: a field that all have, whose few values decide which other fields there are.
 * - Several by their fields: objects that have no field in common.
 */
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { doubt, isSure } from "./Certainty.ts"
import { kindOf } from "./Sample.ts"
import type { Observation } from "./Shape.ts"
import * as Words from "./Words.ts"

export type ObjectSample = Observation & { readonly value: JsonObject }

export interface Variants {
  /** The field that tells them apart; absent where their fields do. */
  readonly by?: string
  readonly groups: ReadonlyArray<ReadonlyArray<ObjectSample>>
}

type Names = ReadonlySet<string>

const namesIn = (objects: ReadonlyArray<ObjectSample>): ReadonlyMap<string, number> => {
  const names = new Map<string, number>()
  for (const { value } of objects) for (const name of Object.keys(value)) names.set(name, (names.get(name) ?? 0) + 1)
  return names
}

/** The names that all objects have. */
const common = (objects: ReadonlyArray<ObjectSample>): Names =>
  new Set([...namesIn(objects)].flatMap(([name, count]) => (count === objects.length ? [name] : [])))

/** Fewer names than this are a struct's. */
const fewestNames = 3

/** A name that no programmer gives a field: a code, a number, a date, a sentence. */
const isData = (name: string): boolean => /\d|[^\w$]|^[A-Z]{2,5}$/.test(name) || name === ""

/** A name that every JavaScript object has a member of: whether a value has such a field cannot be asked of a struct. */
const isInherited = (name: string): boolean => name in {}

/** Whether the names of objects are data: ids, dates, codes, and the values are all of one kind. */
export const isRecord = (objects: ReadonlyArray<ObjectSample>): boolean => {
  const names = namesIn(objects)
  if ([...names.keys()].some(isInherited)) return true
  const kinds = new Set(objects.flatMap(({ value }) => Object.values(value).map(kindOf)))
  kinds.delete("null")
  if (names.size < fewestNames || kinds.size > 1) return false
  return [...names.keys()].every(isData) || (isScattered(objects) && onceIn(names) * 2 > names.size)
}

const onceIn = (names: ReadonlyMap<string, number>): number => [...names.values()].filter((count) => count === 1).length

/** Names of objects that are too many for a struct where each is seldom there. */
const manyNames = 12

/** Whether objects have so many names, each of them seldom, that no struct describes them. */
export const isScattered = (objects: ReadonlyArray<ObjectSample>): boolean => {
  const names = namesIn(objects)
  const used = [...names.values()].reduce((sum, count) => sum + count, 0)
  return names.size >= manyNames && common(objects).size === 0 && used < 0.25 * names.size * objects.length
}

/** Objects that are told apart by a field, or by having none in common; one group where they are of one struct. */
export const variants = (objects: ReadonlyArray<ObjectSample>, isRoot: boolean): Variants => {
  const shared = common(objects)
  const discriminated = byDiscriminator(objects, shared)
  if (discriminated !== undefined) return discriminated
  const groups = shared.size === 0 && objects.length > 1 ? distinct(parted(objects, isRoot)) : [objects]
  const isClear = groups.length <= mostGroups && (isRoot || groups.every((group) => group.length >= fewest))
  return { groups: isClear ? groups : [objects] }
}

/** Objects of one kin each; those of a whole result so that all of a kind have a field in common. */
const parted = (objects: ReadonlyArray<ObjectSample>, isRoot: boolean): ReadonlyArray<ReadonlyArray<ObjectSample>> => {
  const groups = clusters(objects).map(({ objects }) => objects)
  return isRoot ? groups.flatMap(byPresence) : groups
}

/** Those that have the most frequent field, and the others in the same way. */
const byPresence = (objects: ReadonlyArray<ObjectSample>): ReadonlyArray<ReadonlyArray<ObjectSample>> => {
  const [[name, count] = ["", 0]] = [...namesIn(objects)].sort(([, a], [, b]) => b - a)
  if (count === objects.length || count === 0) return [objects]
  const [having, lacking] = [true, false].map((has) =>
    objects.filter(({ value }) => Object.hasOwn(value, name) === has)
  )
  return [having ?? [], ...byPresence(lacking ?? [])]
}

const mostGroups = 8

/** Objects that a variant must have been seen in. */
const fewest = 3

const byDiscriminator = (objects: ReadonlyArray<ObjectSample>, shared: Names): Variants | undefined => {
  let best: (Variants & { readonly gain: number }) | undefined
  for (const name of shared) {
    const groups = groupsBy(objects, name)
    if (groups === undefined || groups.length < 2 || groups.length > mostGroups) continue
    if (groups.some((group) => new Set(group.map(({ entity }) => entity)).size < fewest)) continue
    const entities = new Set(objects.map(({ entity }) => entity)).size
    const gain = decided(groups)
    if (gain > (best?.gain ?? 0) && isSure(doubt.choice * groups.length, entities)) best = { by: name, groups, gain }
  }
  return best
}

/** How many fields all objects of one group have, and no object of another. */
const decided = (groups: ReadonlyArray<ReadonlyArray<ObjectSample>>): number => {
  const names = groups.map((group) => ({ all: common(group), some: namesIn(group) }))
  const all = new Set(names.flatMap(({ all }) => [...all]))
  return [...all].filter(
    (name) =>
      names.every(({ all, some }) => all.has(name) || !some.has(name)) && names.some(({ some }) => !some.has(name))
  ).length
}

/** Objects by their value of a field; undefined where a value is no word. */
const groupsBy = (
  objects: ReadonlyArray<ObjectSample>,
  name: string
): ReadonlyArray<ReadonlyArray<ObjectSample>> | undefined => {
  const groups = new Map<string, Array<ObjectSample>>()
  for (const object of objects) {
    const value = object.value[name]
    if (typeof value !== "string" || !Words.isWord(value)) return undefined
    const group = groups.get(value)
    if (group === undefined) groups.set(value, [object])
    else group.push(object)
    if (groups.size > mostGroups) return undefined
  }
  return [...groups.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group)
}

/** Share of the smaller of two sets of names that both have, from which they are of one struct. */
const kinship = 0.5

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
    if (nearest === undefined || share < kinship) found.push({ names: new Set(names), objects: [object] })
    else {
      nearest.objects.push(object)
      for (const name of names) nearest.names.add(name)
    }
  }
  return found
}

/**
 * Groups that a decoder tells apart: it takes the first member of a union that fits, and drops what that does not name. So
 * those with most required fields stand first, and two of which the first would take the second's objects are one.
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
