/** Makes the Effect Schema of a shape: what the printed source is, without the detour of a module. */
import { fromReprString } from "#src/PythonRepr"
import * as Schema from "effect/Schema"
import type { Property, Shape } from "./Shape.ts"

type Codec = Schema.Codec<unknown, unknown>

/** The schema of a shape. */
export const toSchema = ({ isNullable, kind }: Shape): Codec => {
  const schema = schemaOf(kind)
  return isNullable ? Schema.NullOr(schema) : schema
}

const literals = (values: ReadonlyArray<readonly [string, number]>): Codec => {
  const [first = "", ...more] = values.map(([text]) => text).toSorted()
  return more.length === 0 ? Schema.Literal(first) : Schema.Literals([first, ...more])
}

const schemaOf = (kind: Shape["kind"]): Codec => {
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
    case "Held":
      return kind.notation === "json"
        ? Schema.fromJsonString(toSchema(kind.inside))
        : fromReprString(toSchema(kind.inside))
    case "List":
      return Schema.Array(toSchema(kind.items))
    case "Empty":
      return Schema.Record(Schema.String, Schema.Never) as Codec
    case "Entries":
      return Schema.Record(Schema.String, toSchema(kind.values))
    case "Either":
      return Schema.Union(kind.members.map(toSchema))
    default:
      return Schema.Struct(Object.fromEntries(kind.properties.map(({ name, ...property }) => [name, field(property)])))
  }
}

const field = ({ isOptional, shape }: Omit<Property, "name">): Codec =>
  isOptional ? (Schema.optionalKey(toSchema(shape)) as unknown as Codec) : toSchema(shape)
