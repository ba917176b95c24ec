/**
 * Finds objects of one shape in several places and infers them together. For example, orders in the results of
 * different tools become samples of one schema.
 *
 * Objects have one shape if they have the same fields, of the same kinds at every level. Formats, enums, nulls and
 * optional fields may differ: the common shape allows everything that any of the objects needs.
 */
import { children, type FieldsKind, type Kind, type Shape } from "./Shape.ts"
import { different, fieldsOf } from "./shapeOf.ts"
import type { ObjectSample } from "./Variants.ts"

/** Objects with fewer fields must also have the same name. */
const minFields = 5

const valuesOf = ({ properties }: FieldsKind, name: string | undefined): string | undefined => {
  const kind = properties.find((property) => property.name === name)?.shape.kind
  return kind?._tag === "Text" ? kind.values.map(([text]) => text).join("\n") : undefined
}

const sameFields = (one: FieldsKind, other: FieldsKind): boolean => {
  if (one.properties.length !== other.properties.length || one.by !== other.by) return false
  if (one.by !== undefined && valuesOf(one, one.by) !== valuesOf(other, one.by)) return false
  const shapes = new Map(other.properties.map(({ name, shape }) => [name, shape]))
  return one.properties.every(({ name, shape }) => {
    const counterpart = shapes.get(name)
    return counterpart !== undefined && sameKind(shape.kind, counterpart.kind)
  })
}

const sameKind = (one: Kind, other: Kind): boolean => {
  if (one._tag === "Unseen" || other._tag === "Unseen") return true
  switch (one._tag) {
    case "Fields":
      return other._tag === "Fields" && sameFields(one, other)
    case "List":
      return other._tag === "List" && sameKind(one.items.kind, other.items.kind)
    case "Entries":
      return other._tag === "Entries" && sameKind(one.values.kind, other.values.kind)
    case "Held":
      return other._tag === "Held" && sameKind(one.inside.kind, other.inside.kind)
    case "Either":
      return (
        other._tag === "Either" &&
        one.members.length === other.members.length &&
        one.members.every(({ kind }, index) => sameKind(kind, other.members[index]?.kind ?? { _tag: "Empty" }))
      )
    default:
      return one._tag === other._tag
  }
}

const haveOneShape = (one: FieldsKind, other: FieldsKind): boolean =>
  (one.properties.length >= minFields || one.place.name === other.place.name) && sameFields(one, other)

/** All objects of one shape. */
interface Class {
  readonly first: FieldsKind
  readonly samples: Array<ObjectSample>
  /** The places where the objects were found, from which their name is derived. */
  readonly places: Array<FieldsKind["place"]>
  resolved?: FieldsKind
}

/** Infers equal shapes from their joint samples. Add all shapes before you resolve a shape. */
export class SharedShapes {
  readonly #classes: Array<Class> = []
  readonly #places = new Map<FieldsKind, Class["places"]>()

  /** Adds all objects inside a shape. */
  add({ kind }: Shape): void {
    if (kind._tag === "Fields") this.#join(kind)
    for (const child of children(kind)) this.add(child)
  }

  /** Returns the shape, inferred from all samples of its objects. Objects of one shape resolve to the same value. */
  resolve(shape: Shape): Shape {
    return { ...shape, kind: this.#kind(shape.kind) }
  }

  /** Returns the places where the objects of a resolved shape were found. */
  placesOf(kind: FieldsKind): Class["places"] {
    return this.#places.get(kind) ?? [kind.place]
  }

  #join(kind: FieldsKind): Class {
    const known = this.#classes.find(({ first }) => haveOneShape(first, kind))
    const of = known ?? { first: kind, samples: [], places: [] }
    if (known === undefined) this.#classes.push(of)
    for (const sample of kind.samples) of.samples.push(sample)
    of.places.push(kind.place)
    return of
  }

  #kind(kind: Kind): Kind {
    switch (kind._tag) {
      case "Fields":
        return this.#fields(kind)
      case "List":
        return { ...kind, items: this.resolve(kind.items) }
      case "Entries":
        return { ...kind, values: this.resolve(kind.values) }
      case "Held":
        return { ...kind, inside: this.resolve(kind.inside) }
      case "Either":
        return { ...kind, members: kind.members.map((member) => this.resolve(member)) }
      default:
        return kind
    }
  }

  #fields(kind: FieldsKind): FieldsKind {
    const of = this.#classes.find(({ first }) => haveOneShape(first, kind)) ?? this.#join(kind)
    if (of.resolved !== undefined) return of.resolved
    const { by, place } = of.first
    const together = of.places.length === 1 ? kind : fieldsOf(different(of.samples), place, by)
    if (together._tag !== "Fields") return kind
    const properties = together.properties.map((property) => ({ ...property, shape: this.resolve(property.shape) }))
    of.resolved = { ...together, properties }
    this.#places.set(of.resolved, of.places)
    return of.resolved
  }
}
