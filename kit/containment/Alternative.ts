/** Describes an alternative of a schema: values of one JSON type within constraints, or listed values. */
import type { Term } from "#kit/schema/Term"

/** Constraints that are compared only by their text. */
type Opaque = ReadonlySet<string>

/** Numbers within bounds. */
export interface Numbers {
  readonly _tag: "Numbers"
  readonly low: number
  readonly high: number
  /** True if the bound itself is excluded. */
  readonly isLowOpen: boolean
  readonly isHighOpen: boolean
  readonly isInteger: boolean
  readonly multiples: ReadonlyArray<number>
  readonly opaque: Opaque
}

/** Strings of a range of lengths that match all patterns. */
export interface Texts {
  readonly _tag: "Texts"
  readonly least: number
  readonly most: number
  readonly patterns: ReadonlySet<string>
  readonly opaque: Opaque
}

/** Arrays with schemas for their items and a range of lengths. */
export interface Lists {
  readonly _tag: "Lists"
  /** The schemas of the first items; `items` is the schema of the rest. */
  readonly first: ReadonlyArray<Term>
  readonly items: Term
  readonly least: number
  readonly most: number
  readonly isUnique: boolean
  readonly opaque: Opaque
}

/** Objects with schemas for their properties and a range of sizes. */
export interface Objects {
  readonly _tag: "Objects"
  readonly properties: ReadonlyMap<string, Term>
  readonly patterns: ReadonlyMap<string, Term>
  /** The schema of all other properties. */
  readonly others: Term
  readonly required: ReadonlySet<string>
  readonly least: number
  readonly most: number
  /** The schema of property names. */
  readonly names: Term
  readonly opaque: Opaque
}

/** Listed values. */
export interface Values {
  readonly _tag: "Values"
  readonly values: ReadonlyArray<unknown>
}

/** Any alternative. */
export type Alternative = Numbers | Texts | Lists | Objects | Values

/** Alternatives, or the reason why there is no normal form, as a clause. */
export type NormalForm = ReadonlyArray<Alternative> | string

const anyOpaque: Opaque = new Set()

/** The alternatives of a schema that accepts every JSON value. */
export const anything: ReadonlyArray<Alternative> = [
  { _tag: "Values", values: [null, true, false] },
  {
    _tag: "Numbers",
    low: -Infinity,
    high: Infinity,
    isLowOpen: false,
    isHighOpen: false,
    isInteger: false,
    multiples: [],
    opaque: anyOpaque
  },
  { _tag: "Texts", least: 0, most: Infinity, patterns: new Set(), opaque: anyOpaque },
  { _tag: "Lists", first: [], items: [], least: 0, most: Infinity, isUnique: false, opaque: anyOpaque },
  {
    _tag: "Objects",
    properties: new Map(),
    patterns: new Map(),
    others: [],
    required: new Set(),
    least: 0,
    most: Infinity,
    names: [],
    opaque: anyOpaque
  }
]
