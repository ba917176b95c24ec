/** Converts a shape directly to an Effect Schema, which is equivalent to the schema in the printed module. */
import { fromReprString } from "effect-toolguard/internal/checks/PythonRepr"
import * as Schema from "effect/Schema"
import type { Property, Shape } from "./Shape.ts"

/** The type of inferred schemas, which have no static type. A cast to this type discards the types of their parts. */
type Codec = Schema.Codec<unknown, unknown>

/** The schemas of the recursive structs, by `loop`. */
type Loops = Map<object, Codec>

/** Converts a shape to a schema. */
export const toSchema = ({ isNullable, kind }: Shape, loops: Loops = new Map()): Codec => {
  const schema = schemaOf(kind, loops)
  return isNullable ? Schema.NullOr(schema) : schema
}

const literals = (values: ReadonlyArray<readonly [string, number]>): Codec => {
  const [first = "", ...more] = values.map(([text]) => text).toSorted()
  return more.length === 0 ? Schema.Literal(first) : Schema.Literals([first, ...more])
}

const schemaOf = (kind: Shape["kind"], loops: Loops): Codec => {
  switch (kind._tag) {
    case "Unseen":
      return Schema.Json as Codec
    case "Flag":
      return Schema.Boolean
    case "Number":
      return kind.isInteger ? Schema.Int : Schema.Finite
    case "Text":
      if (kind.isChoice) return literals(kind.values)
      return kind.format === undefined ? Schema.String : Schema.String.check(Schema.isPattern(kind.format.pattern))
    case "Recursion":
      return Schema.suspend(() => loops.get(kind.loop) ?? Schema.Never)
    case "Held": {
      const inside = toSchema(kind.inside, loops)
      return kind.notation === "json" ? Schema.fromJsonString(inside) : fromReprString(inside)
    }
    case "List":
      return Schema.Array(toSchema(kind.items, loops))
    case "Empty":
      return Schema.Record(Schema.String, Schema.Never) as Codec
    case "Entries":
      return Schema.Record(Schema.String, toSchema(kind.values, loops))
    case "Either":
      return Schema.Union(kind.members.map((member) => toSchema(member, loops)))
    default: {
      const fields = kind.properties.map(({ name, ...property }) => [name, field(property, loops)])
      // the fields are known only at run time, so the struct has no static type
      const struct = Schema.Struct(Object.fromEntries(fields)) as unknown as Codec
      if (kind.loop !== undefined) loops.set(kind.loop, struct)
      return struct
    }
  }
}

const field = ({ isOptional, shape }: Omit<Property, "name">, loops: Loops): Codec => {
  const schema = toSchema(shape, loops)
  // an optional key alone is not a codec, but it is only used as a field of the struct above
  return isOptional ? (Schema.optionalKey(schema) as unknown as Codec) : schema
}
