/**
 * Decides whether one JSON Schema contains another, that is, whether it accepts every value that the other accepts.
 * Each difference includes a witness, a value that proves the difference, if one is found.
 *
 * **Details**
 *
 * - The comparison is sound: if there is no gap, the schema is contained. The validator confirms every witness. A gap
 *   without a witness could be neither proven nor ruled out.
 * - These are compared exactly: types, enums and constants, bounds, lengths, equal patterns, required and declared
 *   properties, records, additional properties, lists and tuples, conjunctions, alternatives, recursion. These are
 *   compared only by their text: `not`, `if`, `contains`, dependencies.
 * - In recursive schemas, a pair counts as contained while it is being compared, which is sound because values are
 *   finite.
 * - Formats are annotations.
 */
import { cut } from "effect-toolguard/internal/domain/json/ValueDepth"
import { hasAtMost } from "effect-toolguard/internal/domain/json/ValueSize"
import { maxDepth, tooDeep } from "effect-toolguard/internal/domain/schema/foreign/WellFormedSchema"
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import type { Alternative, Numbers, Objects, Values } from "./Alternative.ts"
import { constraintText } from "./ConstraintText.ts"
import type { Compare, Draft, Gap, Reason } from "./Gap.ts"
import * as ListDrafts from "./ListDrafts.ts"
import { isEmpty, itemAt, propertyAt } from "./Intersection.ts"
import { normal } from "./NormalForm.ts"
import { covers, numberDrafts } from "./NumberDrafts.ts"
import * as ObjectDrafts from "./ObjectDrafts.ts"
import { numbersIn, samplesOf } from "./Samples.ts"
import { both, constant, keyOf, opener, type Term } from "#kit/schema/Term"
import * as Effort from "#kit/schema/Effort"
import { areStepsLeft } from "#kit/schema/Assertions"
import { textDrafts } from "./TextDrafts.ts"
import { valid } from "#kit/schema/Judge"

/** The maximum number of pairs of terms that one comparison visits. */
const maxSteps = 20_000

/** The maximum number of keywords and values of a schema that is compared. */
const maxSize = 50_000

/**
 * Returns the gaps between schemas, where `one` accepts a value that `other` refuses. Returns no gaps if `other`
 * contains `one`.
 */
export const gaps = (one: unknown, other: unknown): ReadonlyArray<Gap> => {
  if (constraintText(one) === constraintText(other)) return []
  if (![one, other].every((schema) => hasAtMost(cut(schema, maxDepth), maxSize)))
    return unknown(`a schema has more than ${maxSize} parts`)
  const found = Effort.bounded(
    () => {
      let isCut = false
      const open = opener(({ reason }) => {
        if (reason === tooDeep) isCut = true
      })
      const gaps = makeCompare()(open(one), open(other))
      return isCut ? [...gaps, ...unknown(`parts below ${maxDepth} levels are not compared`)] : gaps
    },
    unknown(`this takes more than ${Effort.maxSteps} steps`)
  )
  // an undecided pattern counts as not matching, which could hide a gap
  return areStepsLeft() ? found : unknown("its patterns take too many steps")
}

const unknown = (because: string): ReadonlyArray<Gap> => [{ path: [], reason: { _tag: "Unknown", because } }]

/** Starts a comparison of terms from the same opener. */
const makeCompare = (): Compare => {
  const open = new Set<string>()
  let steps = 0

  const compare = (one: Term, other: Term): ReadonlyArray<Gap> => {
    Effort.spend()
    const ids = new Set(one.map(({ id }) => id))
    if (other.every(({ id }) => ids.has(id))) return []
    const pair = `${keyOf(one)}|${keyOf(other)}`
    if (open.has(pair)) return []
    if (++steps > maxSteps) return unknown("the schemas are too large to compare")
    const [mine, theirs] = [normal(one), normal(other)]
    if (typeof mine === "string") return unknown(mine)
    if (typeof theirs === "string") return unknown(theirs)
    open.add(pair)
    try {
      return distinct(mine.flatMap((alternative) => gapsOf(alternative, theirs, one, other, 0)))
    } finally {
      open.delete(pair)
    }
  }

  /** Returns the gaps between an alternative of `one` and all alternatives of `other`. */
  const gapsOf = (
    alternative: Alternative,
    theirs: ReadonlyArray<Alternative>,
    one: Term,
    other: Term,
    splits: number
  ): ReadonlyArray<Gap> => {
    if (isVoid(alternative, 0)) return []
    if (alternative._tag === "Values") return valueGaps(alternative, one, other)
    if (alternative._tag === "Numbers") {
      const few = theirs.filter(({ _tag }) => _tag === "Numbers").length === 1 ? undefined : finite(alternative)
      if (few !== undefined) return valueGaps(few, one, other)
      if (covers(alternative, theirs)) return []
    }
    const tried = theirs.flatMap((target) => {
      const drafts = draftsOf(alternative, target)
      return drafts === undefined ? [] : [drafts]
    })
    if (tried.some((drafts) => drafts.length === 0)) return []
    const parts = alternative._tag === "Objects" && splits < 3 ? split(alternative, theirs) : undefined
    if (parts !== undefined) return parts.flatMap((each) => gapsOf(each, theirs, one, other, splits + 1))
    return provenGaps(tried, alternative, one, other)
  }

  /**
   * Returns the drafts of values that `a` accepts and `b` may refuse; `undefined` if `a` and `b` have different types.
   */
  const draftsOf = (a: Alternative, b: Alternative): ReadonlyArray<Draft> | undefined => {
    const opaque =
      a._tag === "Values" || b._tag === "Values"
        ? []
        : [...b.opaque].filter((text) => !a.opaque.has(text)).map((text): Reason => ({ _tag: "Constraint", text }))
    const more = opaque.map((reason): Draft => ({ path: [], reason, candidates: samplesOf(a, 0) }))
    if (a._tag === "Numbers" && b._tag === "Numbers") return [...numberDrafts(a, b), ...more]
    if (a._tag === "Texts" && b._tag === "Texts") return [...textDrafts(a, b), ...more]
    if (a._tag === "Lists" && b._tag === "Lists") return [...ListDrafts.drafts(a, b, compare), ...more]
    return a._tag === "Objects" && b._tag === "Objects" ? [...ObjectDrafts.drafts(a, b, compare), ...more] : undefined
  }

  return compare
}

/** Merges equal gaps of several alternatives, and prefers a gap with a witness. */
const distinct = (found: ReadonlyArray<Gap>): ReadonlyArray<Gap> => {
  const byText = new Map<string, Gap>()
  for (const gap of found) {
    const text = CallKey.canonical([gap.path, gap.reason])
    const known = byText.get(text)
    if (known === undefined || known.witness === undefined) byText.set(text, gap)
  }
  return [...byText.values()]
}

const witnessAmong = (candidates: ReadonlyArray<unknown>, one: Term, other: Term): Gap["witness"] => {
  const index = candidates.findIndex((value) => valid(one, value) === true && valid(other, value) === false)
  return index < 0 ? undefined : { value: candidates[index] }
}

const gap = ({ path, reason }: Draft, witness: Gap["witness"]): Gap => ({
  path,
  reason,
  ...(witness === undefined ? {} : { witness })
})

const valueGaps = ({ values }: Values, one: Term, other: Term): ReadonlyArray<Gap> => {
  const refused = values.filter((value) => valid(other, value) === false)
  const undecided = values.filter((value) => valid(other, value) === undefined)
  const accepted = refused.filter((value) => valid(one, value) === true)
  const [first] = accepted
  return [
    ...(accepted.length === 0
      ? []
      : [{ path: [], reason: { _tag: "Values", values: accepted } as const, witness: { value: first } }]),
    ...(undecided.length === 0 ? [] : unknown("it is undecided whether a listed value is accepted"))
  ]
}

/**
 * The maximum size of a range of integers that is compared value by value. If the other side is a single range, the
 * ranges are compared instead.
 */
const maxListed = 64

const finite = (numbers: Numbers): Values | undefined => {
  const { high, isInteger, low, multiples, opaque } = numbers
  if (!isInteger || !(high - low < maxListed) || multiples.length > 0 || opaque.size > 0) return undefined
  return { _tag: "Values", values: Array.from({ length: high - low + 1 }, (_, index) => low + index) }
}

/** Returns true if an alternative certainly accepts nothing. */
const isVoid = (alternative: Alternative, depth: number): boolean => {
  if (isEmpty(alternative)) return true
  if (depth > 3) return false
  if (alternative._tag === "Lists") {
    const { first, least } = alternative
    const places = Math.min(least, first.length + 1)
    return Array.from({ length: places }, (_, index) => itemAt(alternative, index)).some((term) => isNone(term, depth))
  }
  if (alternative._tag !== "Objects") return false
  return [...alternative.required].some(
    (name) => valid(alternative.names, name) === false || isNone(propertyAt(alternative, name), depth)
  )
}

const isNone = (term: Term, depth: number): boolean => {
  const form = normal(term)
  return typeof form !== "string" && form.every((each) => isVoid(each, depth + 1))
}

/** The maximum number of parts into which objects are split. */
const maxParts = 64

/**
 * Splits objects by a required property that has few values and distinguishes the alternatives of the other side;
 * `undefined` if there is no such property.
 */
const split = (objects: Objects, theirs: ReadonlyArray<Alternative>): ReadonlyArray<Objects> | undefined => {
  const others = theirs.filter((each) => each._tag === "Objects")
  if (others.length < 2) return undefined
  for (const name of objects.required) {
    const term = propertyAt(objects, name)
    const values = valuesOf(term)
    const isDiscriminator = others.some((each) => valuesOf(propertyAt(each, name)) !== undefined)
    const document = term[0]?.document
    const isUsable = values !== undefined && values.length >= 2 && values.length <= maxParts
    if (!isUsable || !isDiscriminator || document === undefined) continue
    return values.map((value) => ({
      ...objects,
      properties: new Map([...objects.properties, [name, both(term, constant(document, value))]])
    }))
  }
  return undefined
}

const valuesOf = (term: Term): ReadonlyArray<unknown> | undefined => {
  const form = normal(term)
  if (typeof form === "string" || form.length === 0) return undefined
  return form.every((each) => each._tag === "Values") ? form.flatMap(({ values }) => values) : undefined
}

const typeNames: Readonly<Record<Exclude<Alternative["_tag"], "Values">, string>> = {
  Numbers: "number",
  Texts: "string",
  Lists: "array",
  Objects: "object"
}

/**
 * Returns the proven gaps to the alternative with the fewest proven gaps. If no gap is proven, returns one gap, whose
 * witness is a sample if one of the samples proves the gap.
 */
const provenGaps = (
  tried: ReadonlyArray<ReadonlyArray<Draft>>,
  alternative: Exclude<Alternative, Values>,
  one: Term,
  other: Term
): ReadonlyArray<Gap> => {
  const some = samplesOf(alternative, 0)
  if (tried.length === 0) {
    const numbers = alternative._tag === "Numbers" ? numbersIn(alternative, [0.5, 7, 1_000]) : []
    const reason: Reason = { _tag: "Type", type: typeNames[alternative._tag] }
    return [gap({ path: [], reason, candidates: [] }, witnessAmong([...some, ...numbers], one, other))]
  }
  const judged = tried.map((drafts) => drafts.map((draft) => gap(draft, witnessAmong(draft.candidates, one, other))))
  const shown = ({ witness }: Gap): boolean => witness !== undefined
  if (judged.length === 1) return judged[0] ?? []
  const [nearest = []] = judged
    .map((each) => each.filter(shown))
    .filter((each) => each.length > 0)
    .toSorted((a, b) => a.length - b.length)
  if (nearest.length > 0) return nearest
  const witness = witnessAmong(some, one, other)
  return [gap({ path: [], reason: { _tag: "Alternatives" }, candidates: [] }, witness)]
}
