/**
 * Describes the inferred shape of a value: its kind, the parts that may be absent, and the evidence for each guess.
 *
 * Only *different* samples count: a hundred equal results are one sample.
 */
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"

/** One sample, and the entity that it describes. Two states of one order are two samples of one entity. */
export interface Observation {
  readonly value: unknown
  readonly entity: string
}

/** The place where samples were found. */
export interface Place {
  readonly name: string
  /** Says whether `name` is the name of a field or of a tool. The name of a tool says less about a value. */
  readonly of: "field" | "tool"
  /** True if the samples are complete results. */
  readonly isRoot: boolean
  /** True if the samples are inside an optional field and therefore fewer. */
  readonly isSeldom?: boolean
}

/** The inferred shape of a value. */
export interface Shape {
  readonly kind: Kind
  /** The number of samples, including nulls. */
  readonly seen: number
  readonly nulls: number
  /** True if null is allowed, because a sample was null or the field's name suggests null. */
  readonly isNullable: boolean
}

/** The common format of texts. */
export interface Format {
  /** The name of the format's constant in the module. Absent for the pattern of a single field. */
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
  /** The kind is unknown, for example because all samples were null or all lists were empty. */
  | { readonly _tag: "Unseen" }
  | { readonly _tag: "Flag" }
  | {
      readonly _tag: "Number"
      readonly isInteger: boolean
      /** True if all samples were whole numbers, even if `isInteger` is not certain enough. */
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
      /** The chance that the next sample violates the guess. Absent if nothing was guessed. */
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
  /** A record, whose field names are data. If `names` is 0, the objects have no fields in common. */
  | { readonly _tag: "Entries"; readonly values: Shape; readonly names: number }
  | { readonly _tag: "Either"; readonly members: ReadonlyArray<Shape>; readonly by?: string }

/** A struct. */
export interface FieldsKind {
  readonly _tag: "Fields"
  readonly properties: ReadonlyArray<Property>
  /** The objects, which are inferred again together with objects of the same shape elsewhere. */
  readonly samples: ReadonlyArray<Observation & { readonly value: JsonObject }>
  /** The place where the objects were found, from which their name is derived. */
  readonly place: Place
  /** The discriminator. Present only in a member of a discriminated union. */
  readonly by?: string
  /** The identity of a recursive struct, to which `Recursion` refers. */
  readonly loop?: object
}

/** Returns the shapes directly inside a kind. */
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
