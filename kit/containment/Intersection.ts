/** Computes the intersection of two normal forms: the values that both forms accept. */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import type { Alternative, Lists, NormalForm, Numbers, Objects } from "./Alternative.ts"
import { lengths } from "./PatternSamples.ts"
import { both, keyOf, type Term } from "#kit/schema/Term"
import * as Effort from "#kit/schema/Effort"
import { matches } from "#kit/schema/Assertions"
import { hasType } from "effect-toolguard/internal/domain/schema/json/Types"

/** The maximum number of alternatives of a normal form. */
const maxAlternatives = 200

/** Returns the alternatives that both forms accept, or the reason why there is no normal form. */
export const intersection = (one: ReadonlyArray<Alternative>, other: ReadonlyArray<Alternative>): NormalForm => {
  const found = one.flatMap((a) =>
    other.flatMap((b) => {
      const met = meet(a, b)
      return met === undefined || isEmpty(met) ? [] : [met]
    })
  )
  return found.length > maxAlternatives ? `it has more than ${maxAlternatives} alternatives` : found
}

const union = <A>(one: ReadonlySet<A>, other: ReadonlySet<A>): ReadonlySet<A> => new Set([...one, ...other])

const meet = (a: Alternative, b: Alternative): Alternative | undefined => {
  if (a._tag === "Values" && b._tag === "Values") {
    const texts = new Set(b.values.map(CallKey.canonical))
    return { _tag: "Values", values: a.values.filter((value) => texts.has(CallKey.canonical(value))) }
  }
  if (a._tag === "Values") return { _tag: "Values", values: a.values.filter((value) => accepts(b, value)) }
  if (b._tag === "Values") return meet(b, a)
  if (a._tag === "Numbers" && b._tag === "Numbers") return meetNumbers(a, b)
  if (a._tag === "Texts" && b._tag === "Texts") {
    return {
      _tag: "Texts",
      least: Math.max(a.least, b.least),
      most: Math.min(a.most, b.most),
      patterns: union(a.patterns, b.patterns),
      opaque: union(a.opaque, b.opaque)
    }
  }
  if (a._tag === "Lists" && b._tag === "Lists") return meetLists(a, b)
  return a._tag === "Objects" && b._tag === "Objects" ? meetObjects(a, b) : undefined
}

const meetNumbers = (a: Numbers, b: Numbers): Numbers => {
  const [low, high] = [Math.max(a.low, b.low), Math.min(a.high, b.high)]
  const isInteger = a.isInteger || b.isInteger
  const isLowOpen = (a.low === low && a.isLowOpen) || (b.low === low && b.isLowOpen)
  const isHighOpen = (a.high === high && a.isHighOpen) || (b.high === high && b.isHighOpen)
  return whole({
    _tag: "Numbers",
    low,
    high,
    isLowOpen,
    isHighOpen,
    isInteger,
    multiples: [...union(new Set(a.multiples), new Set(b.multiples))],
    opaque: union(a.opaque, b.opaque)
  })
}

/** Rounds the bounds of integers to included integers. */
export const whole = (numbers: Numbers): Numbers => {
  const { high, isHighOpen, isInteger, isLowOpen, low } = numbers
  if (!isInteger) return numbers
  return {
    ...numbers,
    low: isLowOpen ? Math.floor(low) + 1 : Math.ceil(low),
    high: isHighOpen ? Math.ceil(high) - 1 : Math.floor(high),
    isLowOpen: false,
    isHighOpen: false
  }
}

/** Returns the schema of the item at an index. */
export const itemAt = ({ first, items }: Lists, index: number): Term => first[index] ?? items

const meetLists = (a: Lists, b: Lists): Lists => ({
  _tag: "Lists",
  first: Array.from({ length: Math.max(a.first.length, b.first.length) }, (_, index) =>
    both(itemAt(a, index), itemAt(b, index))
  ),
  items: both(a.items, b.items),
  least: Math.max(a.least, b.least),
  most: Math.min(a.most, b.most),
  isUnique: a.isUnique || b.isUnique,
  opaque: union(a.opaque, b.opaque)
})

/**
 * Returns the declared schema of a property and all schemas whose pattern matches its name; if there are none,
 * `others`.
 */
export const propertyAt = ({ others, patterns, properties }: Objects, name: string): Term => {
  Effort.spend()
  const own = properties.get(name)
  const matched = [...patterns].flatMap(([pattern, term]) => (matches(pattern, name) ? [term] : []))
  return own === undefined && matched.length === 0 ? others : both(...(own === undefined ? [] : [own]), ...matched)
}

/**
 * Returns the intersection of objects. For a name that only one side declares, the other side's `patterns` and `others`
 * apply. If names match a pattern of one side and the other side constrains them, the result has an opaque constraint.
 */
const meetObjects = (a: Objects, b: Objects): Objects => {
  const names = new Set([...a.properties.keys(), ...b.properties.keys()])
  const patterns = new Set([...a.patterns.keys(), ...b.patterns.keys()])
  const isFree = ({ others, patterns: own }: Objects, pattern: string) => own.has(pattern) || others.length === 0
  const isExact = [...patterns].every((pattern) => isFree(a, pattern) && isFree(b, pattern))
  return {
    _tag: "Objects",
    properties: new Map([...names].map((name) => [name, both(propertyAt(a, name), propertyAt(b, name))])),
    patterns: new Map(
      [...patterns].map((each) => [each, both(a.patterns.get(each) ?? [], b.patterns.get(each) ?? [])])
    ),
    others: both(a.others, b.others),
    required: union(a.required, b.required),
    least: Math.max(a.least, b.least),
    most: Math.min(a.most, b.most),
    names: both(a.names, b.names),
    opaque: union(
      union(a.opaque, b.opaque),
      new Set(isExact ? [] : [`closed by ${keyOf(a.others)} and ${keyOf(b.others)} except for patterns`])
    )
  }
}

/** Returns true if an alternative has the type of a value. The validator checks the other constraints. */
const accepts = (alternative: Alternative, value: unknown): boolean => {
  switch (alternative._tag) {
    case "Values":
      return alternative.values.some((one) => CallKey.canonical(one) === CallKey.canonical(value))
    case "Numbers":
      return hasType(value, "number")
    case "Texts":
      return hasType(value, "string")
    case "Lists":
      return hasType(value, "array")
    default:
      return hasType(value, "object")
  }
}

/** Returns true if an alternative certainly accepts nothing. Items and properties are not examined. */
export const isEmpty = (alternative: Alternative): boolean => {
  switch (alternative._tag) {
    case "Values":
      return alternative.values.length === 0
    case "Numbers": {
      const { high, isHighOpen, isLowOpen, low } = alternative
      return low > high || (low === high && (isLowOpen || isHighOpen))
    }
    case "Texts": {
      const bounds = [...alternative.patterns].map(lengths)
      const least = Math.max(alternative.least, ...bounds.map(({ least }) => least))
      return least > Math.min(alternative.most, ...bounds.map(({ most }) => most))
    }
    default:
      return alternative.least > alternative.most
  }
}

/** Returns true if types, values and constant properties show that no value belongs to two of the forms. */
export const areDisjoint = (forms: ReadonlyArray<NormalForm>, normal: (term: Term) => NormalForm): boolean =>
  forms.every((one, index) =>
    forms.slice(index + 1).every((other) => {
      if (typeof one === "string" || typeof other === "string") return false
      return one.every((a) => other.every((b) => isDisjoint(a, b, normal)))
    })
  )

const isDisjoint = (a: Alternative, b: Alternative, normal: (term: Term) => NormalForm): boolean => {
  const met = meet(a, b)
  if (met === undefined || isEmpty(met)) return true
  if (met._tag !== "Objects" || a._tag !== "Objects" || b._tag !== "Objects") return false
  return [...met.required].some((name) => {
    const form = normal(propertyAt(met, name))
    return typeof form !== "string" && form.length === 0
  })
}
