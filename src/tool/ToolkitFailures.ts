/** Reads the failures that a tool of an effect/ai toolkit declares: its refusals, and the fields of the others. */
import { type RefusalInput, tagOf } from "#domain/tool/DeclaredRefusal"
import { isJsonObject } from "#domain/json/JsonObject"
import type * as Tool from "effect/ai/Tool"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type { Codec } from "./ToolClass.ts"

/** The tags of the failures that a tool declares. */
export type TagOf<T extends Tool.Any> = Extract<Tool.Failure<T>, { readonly _tag: string }>["_tag"]

/** Returns the schemas of the declared failures with these tags. Throws a RangeError for any other tag. */
export const refusalsOf = (tool: Tool.Any, tags: ReadonlyArray<string>): ReadonlyArray<RefusalInput> => {
  const members = membersOf(tool.failureSchema)
  return tags.map((tag) => {
    const member = members.find((schema) => tagOf(schema) === tag)
    if (member !== undefined) return member
    const known = members.map(tagOf).filter((known) => known !== undefined)
    throw new RangeError(
      `${tool.name}: no failure of the tool has the tag "${tag}"; ${
        known.length === 0 ? "its failure schema has no tags" : `its tags are ${known.join(", ")}`
      }.`
    )
  })
}

/**
 * Returns a function that writes the fields of a declared failure as JSON, without its tag and its message. Only fields
 * that the schema names are written.
 */
export const fieldsOf = (tool: Tool.Any): ((error: unknown) => string | undefined) | undefined => {
  const encoders = membersOf(tool.failureSchema).flatMap((member) => (isClosed(member) ? encoderOf(member) : []))
  if (encoders.length === 0) return undefined
  return (error) => {
    try {
      for (const encode of encoders) {
        const encoded = Result.getOrUndefined(encode(error))
        if (!isJsonObject(encoded)) continue
        const { _tag, message, ...fields } = encoded
        return Object.keys(fields).length === 0 ? undefined : JSON.stringify(fields)
      }
    } catch {
      // a getter of the error has thrown
    }
    return undefined
  }
}

/** True if the schema names each field of its encoded form. */
const isClosed = (schema: Codec): boolean => {
  const ast = SchemaAST.toEncoded(schema.ast)
  return SchemaAST.isObjects(ast) && ast.propertySignatures.length > 0 && ast.indexSignatures.length === 0
}

/** Returns a list with the schema's encoder to JSON. The list is empty if the schema cannot be encoded as JSON. */
const encoderOf = (schema: Codec): ReadonlyArray<(error: unknown) => Result.Result<unknown, unknown>> => {
  try {
    return [Schema.encodeUnknownResult(Schema.toCodecJson(schema))]
  } catch {
    return []
  }
}

/** Returns the schema as a codec. `fromToolkit` has already refused schemas that require services. */
const codecOf = (schema: Schema.Top): Codec => schema as unknown as Codec

const membersOf = (schema: Schema.Top): ReadonlyArray<Codec> =>
  "members" in schema && Array.isArray(schema.members)
    ? // a union lists the schemas of its members
      (schema.members as ReadonlyArray<Schema.Top>).flatMap(membersOf)
    : [codecOf(schema)]
