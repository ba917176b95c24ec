/** Finds numbers that one alternative accepts and another may refuse. */
import type { Alternative, Numbers } from "./Alternative.ts"
import type { Draft, Reason } from "./Gap.ts"
import { whole } from "./Intersection.ts"
import { numbersIn } from "./Samples.ts"

const bound = (keyword: "minimum" | "maximum", from: number, to: number): Reason => ({
  _tag: "Bound",
  keyword,
  from: Number.isFinite(from) ? from : undefined,
  to
})

/** Returns true if all numbers of an alternative are multiples of a number. */
const isMultiple = ({ isInteger, multiples }: Numbers, of: number): boolean =>
  multiples.some((one) => Number.isInteger(one / of)) || (isInteger && Number.isInteger(1 / of))

const isWhole = ({ isInteger, multiples }: Numbers): boolean => isInteger || multiples.some(Number.isInteger)

/** Returns the numbers of `a` that `b` may refuse, one draft for each reason. */
export const numberDrafts = (a: Numbers, b: Numbers): ReadonlyArray<Draft> => {
  const candidates = numbersIn(a, [b.low, b.high, ...b.multiples].filter(Number.isFinite))
  const reasons: ReadonlyArray<Reason> = [
    ...(isBelow(a, b) ? [bound("minimum", a.low, b.low)] : []),
    ...(isAbove(a, b) ? [bound("maximum", a.high, b.high)] : []),
    ...(b.isInteger && !isWhole(a) ? [{ _tag: "Integer" } as const] : []),
    ...b.multiples.filter((of) => !isMultiple(a, of)).map((of) => ({ _tag: "Multiple", of }) as const)
  ]
  return reasons.map((reason) => ({ path: [], reason, candidates: fitting(reason, candidates, b) }))
}

const isBelow = (a: Numbers, b: Numbers): boolean => a.low < b.low || (a.low === b.low && b.isLowOpen && !a.isLowOpen)

const isAbove = (a: Numbers, b: Numbers): boolean =>
  a.high > b.high || (a.high === b.high && b.isHighOpen && !a.isHighOpen)

/** Sorts the candidates: the candidates that are most likely to prove this reason come first. */
const fitting = (reason: Reason, candidates: ReadonlyArray<number>, b: Numbers): ReadonlyArray<number> => {
  const inRange = (value: number) => value >= b.low && value <= b.high
  const fits = (value: number): boolean => {
    if (reason._tag === "Bound") return reason.keyword === "minimum" ? value <= b.low : value >= b.high
    return inRange(value)
  }
  return [...candidates.filter(fits), ...candidates.filter((value) => !fits(value))]
}

/** Returns true if several intervals of the other side together cover all numbers of `a`. */
export const covers = (a: Numbers, theirs: ReadonlyArray<Alternative>): boolean => {
  const usable = theirs.filter((each): each is Numbers => {
    if (each._tag !== "Numbers") return false
    const isFree = (!each.isInteger || isWhole(a)) && each.multiples.every((of) => isMultiple(a, of))
    return isFree && [...each.opaque].every((text) => a.opaque.has(text))
  })
  return a.isInteger ? coversWhole(a, usable) : coversAll(a, usable)
}

const coversWhole = ({ high, low }: Numbers, usable: ReadonlyArray<Numbers>): boolean => {
  let next = low
  for (const each of usable
    .map((one) => whole({ ...one, isInteger: true }))
    .toSorted((one, other) => one.low - other.low)) {
    if (each.low > next) return false
    next = Math.max(next, each.high + 1)
    if (next > high || next === Infinity) return true
  }
  return false
}

const coversAll = (a: Numbers, usable: ReadonlyArray<Numbers>): boolean => {
  /** The start of the part that is not covered yet. If `isOpen`, the start itself is covered or not in `a`. */
  let { low } = a
  let isOpen = a.isLowOpen
  const sorted = usable.toSorted((one, other) => one.low - other.low || Number(one.isLowOpen) - Number(other.isLowOpen))
  for (const each of sorted) {
    if (each.low > low || (each.low === low && each.isLowOpen && !isOpen)) return false
    if (each.high > low || (each.high === low && !each.isHighOpen && !isOpen)) {
      low = each.high
      isOpen = !each.isHighOpen
    }
    if (low > a.high || (low === a.high && (isOpen || a.isHighOpen))) return true
  }
  return false
}
