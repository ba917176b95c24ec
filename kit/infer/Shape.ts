/**
 * The inferred shape of a value: its kind, what may be absent, and the evidence for each guess.
 *
 * Only *different* samples count: a hundred equal results are one sample.
 */
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"

/** One sample and its entity: two states of one order are two samples of one entity. */
export interface Observation {
  readonly value: unknown
  readonly entity: string
}

/** Where samples were found. */
export interface Place {
  readonly name: string
  /** Whether a field or a tool has this name. The name of a tool says less about a value. */
  readonly of: "field" | "tool"
  /** The samples are whole results. */
  readonly isRoot: boolean
  /** The samples are inside an optional field, so there are fewer of them. */
  readonly isSeldom?: boolean
}

/** The inferred shape of a value. */
export interface Shape {
  readonly kind: Kind
  /** The number of samples, including nulls. */
  readonly seen: number
  readonly nulls: number
  /** Null is allowed: it was seen, or the field's name suggests it. */
  readonly isNullable: boolean
}

/** The common format of texts. */
export interface Format {
  /** The name of its constant in the module; absent for a pattern that only this field has. */
  readonly name?: string
  readonly pattern: RegExp
}

/** A field of a struct. */
export interface Property {
  readonly name: string
  readonly shape: Shape
  readonly isOptional: boolean
  /** The number of objects that could have the field. */
  readonly of: number
}

/** The kind of a shape. */
export type Kind =
  /** Unknown: all samples were null, or all lists were empty. */
  | { readonly _tag: "Unseen" }
  | { readonly _tag: "Flag" }
  | {
      readonly _tag: "Number"
      readonly isInteger: boolean
      /** All samples were whole numbers, even if that is not certain enough for `isInteger`. */
      readonly isWhole: boolean
      readonly different: number
      /** The chance that the next sample violates the guess. */
      readonly chance: number
    }
  | {
      readonly _tag: "Text"
      /** The number of different texts. */
      readonly different: number
      /** The most frequent texts, each with the number of its entities. */
      readonly values: ReadonlyArray<readonly [text: string, entities: number]>
      readonly isChoice: boolean
      readonly format?: Format
      /** The chance that the next sample violates the guess; absent without a guess. */
      readonly chance?: number
    }
  /** A reference to an enclosing struct. */
  | { readonly _tag: "Recursion"; readonly loop: object }
  /** A text that contains a value as JSON or as a Python repr. */
  | { readonly _tag: "Held"; readonly notation: "json" | "python"; readonly inside: Shape }
  | { readonly _tag: "List"; readonly items: Shape; readonly empty: number }
  | FieldsKind
  /** An object without fields. */
  | { readonly _tag: "Empty" }
  /** A record, whose names are data. If `names` is 0, the objects have no fields in common. */
  | { readonly _tag: "Entries"; readonly values: Shape; readonly names: number }
  | { readonly _tag: "Either"; readonly members: ReadonlyArray<Shape>; readonly by?: string }

/** A struct. */
export interface FieldsKind {
  readonly _tag: "Fields"
  readonly properties: ReadonlyArray<Property>
  /** The objects, to be inferred together with objects of the same shape elsewhere. */
  readonly samples: ReadonlyArray<Observation & { readonly value: JsonObject }>
  /** Where the objects were found; provides their name. */
  readonly place: Place
  /** The discriminator, for a member of a union. */
  readonly by?: string
  /** The identity of a recursive struct, to which `Recursion` refers. */
  readonly loop?: object
}

/** The shapes inside a kind. */
export const children = (kind: Kind): ReadonlyArray<Shape> => {
  switch (kind._tag) {
    case "Fields":
      return kind.properties.map(({ shape }) => shape)
    case "List":
      return [kind.items]
    case "Entries":
      return [kind.values]
    case "Held":
      return [kind.inside]
    case "Either":
      return kind.members
    default:
      return []
  }
}
