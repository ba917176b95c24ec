/** One alternative of a schema: values of one type of JSON, with what is demanded of them. */
import type { Term } from "#kit/schema/Term"

/** A constraint that is only compared by its text. */
export type Opaque = ReadonlySet<string>

export interface Numbers {
  readonly _tag: "Numbers"
  readonly low: number
  readonly high: number
  /** The bound itself is out. */
  readonly isLowOpen: boolean
  readonly isHighOpen: boolean
  readonly isInteger: boolean
  readonly multiples: ReadonlyArray<number>
  readonly opaque: Opaque
}

export interface Texts {
  readonly _tag: "Texts"
  readonly least: number
  readonly most: number
  readonly patterns: ReadonlySet<string>
  readonly opaque: Opaque
}

export interface Lists {
  readonly _tag: "Lists"
  /** What the first items are; those behind them are `items`. */
  readonly first: ReadonlyArray<Term>
  readonly items: Term
  readonly least: number
  readonly most: number
  readonly isUnique: boolean
  readonly opaque: Opaque
}

export interface Objects {
  readonly _tag: "Objects"
  readonly properties: ReadonlyMap<string, Term>
  readonly patterns: ReadonlyMap<string, Term>
  /** What all other properties are. */
  readonly others: Term
  readonly required: ReadonlySet<string>
  readonly least: number
  readonly most: number
  /** What the names of properties are. */
  readonly names: Term
  readonly opaque: Opaque
}

export interface Values {
  readonly _tag: "Values"
  readonly values: ReadonlyArray<unknown>
}

export type Alternative = Numbers | Texts | Lists | Objects | Values

/** Alternatives, or why there is no normal form. */
export type Normal = ReadonlyArray<Alternative> | string

const anyOpaque: Opaque = new Set()

/** All of JSON. */
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
