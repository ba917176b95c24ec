/** Finds objects that one alternative accepts and another may refuse. */
import type { Objects } from "./Alternative.ts"
import type { Compare, Draft, Gap, Reason } from "./Gap.ts"
import { propertyAt } from "./Intersection.ts"
import { normal } from "./NormalForm.ts"
import { objectWith, samples, undeclaredNames } from "./Samples.ts"
import type { Term } from "#kit/schema/Term"
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { matches } from "#kit/schema/Assertions"
import { valid } from "#kit/schema/Judge"

const isNothing = (term: Term): boolean => normal(term).length === 0

const defined = (candidates: ReadonlyArray<JsonObject | undefined>): ReadonlyArray<JsonObject> =>
  candidates.filter((one) => one !== undefined)

/** Returns objects that have a property with a given value. */
const objectsHaving = (a: Objects, name: string, value: unknown): ReadonlyArray<JsonObject> =>
  name === "__proto__"
    ? []
    : defined([objectWith(a, { [name]: value }, 0), objectWith(a, { [name]: value }, 0, { full: true })])

/** Returns the objects of `a` that `b` may refuse, one draft for each reason. */
export const drafts = (a: Objects, b: Objects, compare: Compare): ReadonlyArray<Draft> => [
  ...requiredDrafts(a, b),
  ...[...new Set([...a.properties.keys(), ...b.properties.keys()])].flatMap((name) =>
    propertyDrafts(a, b, name, compare)
  ),
  ...patternDrafts(a, b, compare),
  ...otherDrafts(a, b, compare),
  ...nameDrafts(a, b, compare),
  ...sizeDrafts(a, b)
]

const requiredDrafts = (a: Objects, b: Objects): ReadonlyArray<Draft> =>
  [...b.required]
    .filter((name) => !a.required.has(name))
    .map((name) => ({
      path: [],
      reason: { _tag: "Required", name },
      candidates: defined([
        objectWith(a, {}, 0, { without: name }),
        objectWith(a, {}, 0, { without: name, full: true })
      ])
    }))

const propertyDrafts = (a: Objects, b: Objects, name: string, compare: Compare): ReadonlyArray<Draft> => {
  const [mine, theirs] = [propertyAt(a, name), propertyAt(b, name)]
  const isListed = a.properties.has(name)
  if (isListed && isNothing(theirs) && !isNothing(mine)) {
    const candidates = samples(mine, 1)
      .slice(0, 4)
      .flatMap((value) => objectsHaving(a, name, value))
    return [{ path: [], reason: { _tag: "Removed", name }, candidates }]
  }
  const found = compare(mine, theirs)
  if (!isListed && mine.length === 0 && found.length > 0) {
    const values = found.flatMap(({ witness }) => (witness === undefined ? [] : [witness.value]))
    const candidates = values.flatMap((value) => objectsHaving(a, name, value))
    return [{ path: [], reason: { _tag: "Listed", name }, candidates }]
  }
  return found.map((gap) => within(gap, name, a))
}

const within = ({ path, reason, witness }: Gap, name: string, a: Objects): Draft => ({
  path: [name, ...path],
  reason,
  candidates: witness === undefined ? [] : objectsHaving(a, name, witness.value)
})

/** Compares the properties whose names match a pattern of either side. */
const patternDrafts = (a: Objects, b: Objects, compare: Compare): ReadonlyArray<Draft> => {
  const all = [...new Set([...a.patterns.keys(), ...b.patterns.keys()])]
  const isAlike = all.every((pattern) => a.patterns.has(pattern) && b.patterns.has(pattern))
  return all.flatMap((pattern) => {
    const mine = a.patterns.get(pattern) ?? a.others
    const targets = isAlike
      ? [b.patterns.get(pattern) ?? []]
      : [...(b.patterns.has(pattern) ? [] : [b.others]), ...b.patterns.values()]
    return targets.flatMap((theirs) =>
      compare(mine, theirs).map((gap): Draft => {
        const names = undeclaredNames(a).filter((name) => matches(pattern, name))
        const values = gap.witness === undefined ? samples(mine, 1) : [gap.witness.value]
        const candidates = names.slice(0, 3).flatMap((name) => values.flatMap((value) => objectsHaving(a, name, value)))
        return { path: [`/${pattern}/`, ...gap.path], reason: gap.reason, candidates }
      })
    )
  })
}

/** Compares the properties that neither side declares. */
const otherDrafts = (a: Objects, b: Objects, compare: Compare): ReadonlyArray<Draft> => {
  if (isNothing(a.others)) return []
  const isClosed = isNothing(b.others)
  return compare(a.others, b.others).map((gap): Draft => {
    const reason: Reason = isClosed ? { _tag: "Closed" } : gap.reason
    const values = gap.witness === undefined ? samples(a.others, 1) : [gap.witness.value]
    const names = undeclaredNames(a).filter((name) => !b.properties.has(name))
    const candidates = names
      .slice(0, 3)
      .flatMap((name) => values.slice(0, 3).flatMap((value) => objectsHaving(a, name, value)))
    return { path: isClosed ? [] : ["{}", ...gap.path], reason, candidates }
  })
}

const nameDrafts = (a: Objects, b: Objects, compare: Compare): ReadonlyArray<Draft> => {
  if (b.names.length === 0) return []
  const isListed = isNothing(a.others) && a.patterns.size === 0
  const listed = [...a.properties.keys()].filter((name) => !isNothing(propertyAt(a, name)))
  if (isListed && listed.every((name) => valid(b.names, name) === true)) return []
  return compare(a.names, b.names).map((gap): Draft => {
    const names = [...undeclaredNames(a), ...listed].filter((name) => valid(b.names, name) !== true).slice(0, 4)
    const candidates = names.flatMap((name) =>
      samples(propertyAt(a, name), 1)
        .slice(0, 2)
        .flatMap((value) => objectsHaving(a, name, value))
    )
    return { path: ["{}"], reason: gap.reason, candidates }
  })
}

const sizeDrafts = (a: Objects, b: Objects): ReadonlyArray<Draft> => {
  const isListed = isNothing(a.others) && a.patterns.size === 0
  const listed = [...a.properties].filter(([, term]) => !isNothing(term)).length
  const [least, most] = [Math.max(a.least, a.required.size), isListed ? Math.min(a.most, listed) : a.most]
  const bound = (keyword: "minProperties" | "maxProperties", from: number, to: number): Reason => ({
    _tag: "Bound",
    keyword,
    from: Number.isFinite(from) ? from : undefined,
    to
  })
  const full = objectWith(a, {}, 0, { full: true })
  const more = Object.fromEntries(
    undeclaredNames(a)
      .slice(0, 20)
      .flatMap((name) =>
        samples(propertyAt(a, name), 1)
          .slice(0, 1)
          .map((value) => [name, value])
      )
  )
  const growing = Object.keys(more).map((_, count) => Object.fromEntries(Object.entries(more).slice(0, count + 1)))
  const large = defined([
    full,
    ...growing.flatMap((some) => [objectWith(a, some, 0), objectWith(a, some, 0, { full: true })])
  ])
  return [
    ...(least < b.least
      ? [{ path: [], reason: bound("minProperties", a.least, b.least), candidates: defined([objectWith(a, {}, 0)]) }]
      : []),
    ...(most > b.most ? [{ path: [], reason: bound("maxProperties", a.most, b.most), candidates: large }] : [])
  ]
}
