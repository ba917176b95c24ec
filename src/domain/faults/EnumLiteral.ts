/** Turns the JSON of an enum's values into literals, and literals into source. */
import * as SchemaAST from "effect/SchemaAST"

/** Returns the literal of a value. A text with an integer becomes a `bigint` if the enum has `bigint` members. */
export const of = (enumOf: SchemaAST.AST, value: string | number | boolean): SchemaAST.Literal => {
  const members = enumOf._tag === "Union" ? enumOf.types : [enumOf]
  const isBig = members.some((member) => member._tag === "Literal" && typeof member.literal === "bigint")
  return new SchemaAST.Literal(isBig && /^-?\d+$/u.test(String(value)) ? BigInt(value) : value)
}

/** Returns the source of a literal's value: `"placed"`, `3`, `3n`. */
export const source = ({ literal }: SchemaAST.Literal): string =>
  typeof literal === "bigint" ? `${literal}n` : JSON.stringify(literal)
