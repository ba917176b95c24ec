/**
 * What infer has learnt of a value: its kind, what may be absent, and what each guess rests on.
 *
 * Counts are of *different* samples: a hundred equal results are one.
 */
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"

/** One sample, and the thing that it is of: two states of one order are two samples of one entity. */
export interface Observation {
  readonly value: unknown
  readonly entity: string
}

/** Where samples were found. */
export interface Place {
  readonly name: string
  /** Whose name it is; a tool's says less about a value than a field's. */
  readonly of: "field" | "tool"
  /** The result as a whole. */
  readonly isRoot: boolean
  /** Within a field that is often absent: there is more to come of it. */
  readonly isSeldom?: boolean
}

export interface Shape {
  readonly kind: Kind
  /** Samples, those that were null included. */
  readonly seen: number
  readonly nulls: number
  /** Null is allowed: it was seen, or the field's name says that it may come. */
  readonly isNullable: boolean
}

/** What a text looks like throughout. */
export interface Format {
  /** Name of the constant that holds it; absent for a pattern of this field alone. */
  readonly name?: string
  readonly pattern: RegExp
}

export interface Property {
  readonly name: string
  readonly shape: Shape
  readonly isOptional: boolean
  /** Objects that could have had the field. */
  readonly of: number
}

export type Kind =
  /** Nothing is known: there was only null, or lists were always empty. */
  | { readonly _tag: "Unseen" }
  | { readonly _tag: "Flag" }
  | {
      readonly _tag: "Number"
      readonly isInteger: boolean
      /** All samples were whole, whether that is certain or not. */
      readonly isWhole: boolean
      readonly different: number
      /** That the next sample breaks the guess. */
      readonly chance: number
    }
  | {
      readonly _tag: "Text"
      /** Different texts. */
      readonly different: number
      /** Where there are few: each with the number of entities that had it, most frequent first. */
      readonly values: ReadonlyArray<readonly [text: string, entities: number]>
      readonly isChoice: boolean
      readonly format?: Format
      /** That the next sample breaks the guess; absent where there is none. */
      readonly chance?: number
    }
  /** The struct that this stands in, again. */
  | { readonly _tag: "Again"; readonly loop: object }
  /** A text that holds a value. */
  | { readonly _tag: "Held"; readonly notation: "json" | "python"; readonly inside: Shape }
  | { readonly _tag: "List"; readonly items: Shape; readonly empty: number }
  | FieldsKind
  /** An object without fields. */
  | { readonly _tag: "Empty" }
  /** A record: names are data. With no names at all: objects that have nothing in common. */
  | { readonly _tag: "Entries"; readonly values: Shape; readonly names: number }
  | { readonly _tag: "Either"; readonly members: ReadonlyArray<Shape>; readonly by?: string }

export interface FieldsKind {
  readonly _tag: "Fields"
  readonly properties: ReadonlyArray<Property>
  /** The objects themselves: what is of the same shape elsewhere is inferred together with these. */
  readonly samples: ReadonlyArray<Observation & { readonly value: JsonObject }>
  /** What the objects are called by whoever holds them. */
  readonly place: Place
  /** The field that tells them from the other members of their union. */
  readonly by?: string
  /** It holds itself; told from others by identity. */
  readonly loop?: object
}

/** The shapes inside of a kind. */
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
