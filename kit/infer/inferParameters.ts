/**
 * Infers the JSON Schema of a tool's arguments from its calls, for logs that contain no schema.
 *
 * The schema is open: it allows unknown arguments. Required fields, enums and patterns are guessed as cautiously as in
 * schemas of results.
 */
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { print } from "effect-toolguard/internal/domain/schema/ContractPrint"
import type * as JsonSchema from "effect/JsonSchema"
import { kindOf } from "./Sample.ts"
import { different, fieldsOf } from "./shapeOf.ts"
import { toSchema } from "./toSchema.ts"
import type { ObjectSample } from "./Variants.ts"

/** Infers a JSON Schema (draft-07) from recorded arguments. Ignores arguments that are not objects. */
export const inferParameters = (samples: ReadonlyArray<unknown>): JsonSchema.JsonSchema => {
  const objects = samples.flatMap((value): ReadonlyArray<ObjectSample> =>
    // kindOf has checked that the value is an object
    kindOf(value) === "object" ? [{ value: value as JsonObject, entity: "" }] : []
  )
  const kind = fieldsOf(different(objects), { name: "arguments", of: "field", isRoot: true })
  if (kind._tag !== "Fields") return { type: "object", properties: {} }
  const schema = toSchema({ kind, seen: objects.length, nulls: 0, isNullable: false })
  return print(schema.ast, "ignore").jsonSchema
}
