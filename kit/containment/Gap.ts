/** Where one schema accepts what another refuses, why, and a value that shows it. */
import type { Term } from "#kit/schema/Term"

export type Path = ReadonlyArray<string | number>

export type Reason =
  /** Values that were listed. */
  | { readonly _tag: "Values"; readonly values: ReadonlyArray<unknown> }
  /** A type of JSON as a whole. */
  | { readonly _tag: "Type"; readonly type: string }
  | { readonly _tag: "Bound"; readonly keyword: Bound; readonly from: number | undefined; readonly to: number }
  | { readonly _tag: "Integer" }
  | { readonly _tag: "Multiple"; readonly of: number }
  | { readonly _tag: "Pattern"; readonly pattern: string }
  | { readonly _tag: "Unique" }
  /** A property may be absent on one side and not on the other. */
  | { readonly _tag: "Required"; readonly name: string }
  /** A property that the one side lists and the other refuses. */
  | { readonly _tag: "Removed"; readonly name: string }
  /** Properties that are not listed. */
  | { readonly _tag: "Closed" }
  /** A property that the one side does not list, and takes as it comes, and the other lists. */
  | { readonly _tag: "Listed"; readonly name: string }
  /** A constraint that is only compared by its text. */
  | { readonly _tag: "Constraint"; readonly text: string }
  /** There are several alternatives, and none takes all. */
  | { readonly _tag: "Alternatives" }
  | { readonly _tag: "Unknown"; readonly because: string }

export type Bound =
  | "minimum"
  | "maximum"
  | "minLength"
  | "maxLength"
  | "minItems"
  | "maxItems"
  | "minProperties"
  | "maxProperties"

export interface Gap {
  readonly path: Path
  readonly reason: Reason
  /** Accepted by the one and refused by the other; absent where that could not be shown, nor that there is none. */
  readonly witness?: { readonly value: unknown }
}

/** Compares two terms. */
export type Compare = (one: Term, other: Term) => ReadonlyArray<Gap>

/** A gap that is not proven yet, with values that may prove it. */
export interface Draft {
  readonly path: Path
  readonly reason: Reason
  readonly candidates: ReadonlyArray<unknown>
}
