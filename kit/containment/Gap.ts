/** Describes a place where one schema accepts a value that another refuses, with the reason and a witness. */
import type { Term } from "#kit/schema/Term"

/** A path of property names, indexes and placeholders, such as `[]` for all items. */
export type Path = ReadonlyArray<string | number>

/** The reason why one schema refuses a value of the other. */
export type Reason =
  /** Values that one side lists. */
  | { readonly _tag: "Values"; readonly values: ReadonlyArray<unknown> }
  /** All values of a JSON type. */
  | { readonly _tag: "Type"; readonly type: string }
  | { readonly _tag: "Bound"; readonly keyword: Bound; readonly from: number | undefined; readonly to: number }
  | { readonly _tag: "Integer" }
  | { readonly _tag: "Multiple"; readonly of: number }
  | { readonly _tag: "Pattern"; readonly pattern: string }
  | { readonly _tag: "Unique" }
  /** A property that is optional on one side and required on the other. */
  | { readonly _tag: "Required"; readonly name: string }
  /** A property that one side declares and the other refuses. */
  | { readonly _tag: "Removed"; readonly name: string }
  /** Undeclared properties, which one side refuses. */
  | { readonly _tag: "Closed" }
  /** A property that one side accepts without declaring it, and the other declares. */
  | { readonly _tag: "Listed"; readonly name: string }
  /** A constraint that is compared only by its text. */
  | { readonly _tag: "Constraint"; readonly text: string }
  /** No single alternative accepts everything. */
  | { readonly _tag: "Alternatives" }
  | { readonly _tag: "Unknown"; readonly because: string }

type Bound =
  | "minimum"
  | "maximum"
  | "minLength"
  | "maxLength"
  | "minItems"
  | "maxItems"
  | "minProperties"
  | "maxProperties"

/** A difference between two schemas. */
export interface Gap {
  readonly path: Path
  readonly reason: Reason
  /**
   * A value that one side accepts and the other refuses; absent if such a value could be neither found nor ruled out.
   */
  readonly witness?: { readonly value: unknown }
}

/** Compares two terms. */
export type Compare = (one: Term, other: Term) => ReadonlyArray<Gap>

/** A gap that is not proven yet, with candidates for its witness. */
export interface Draft {
  readonly path: Path
  readonly reason: Reason
  readonly candidates: ReadonlyArray<unknown>
}
