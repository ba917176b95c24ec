/** Lists the kinds of the fields of a definition, and checks the definitions of untyped programs. */
import { isJsonObject } from "#domain/json/JsonObject"
import type { Access } from "#domain/tool/Access"
import * as FieldKind from "#domain/tool/FieldKind"
import * as PolicyShape from "#domain/tool/PolicyShape"
import { isStandard } from "#domain/schema/foreign/StandardContract"
import * as Schema from "effect/Schema"
import { omit } from "effect/Struct"

const { either, flag, fn, list, object, oneOf, orFalse, record, required, text, time } = FieldKind

const schema = required({
  remedy: "a schema such as Schema.Struct({ id: Schema.String })",
  accepts: Schema.isSchema
})

const tool = required({
  remedy: "a tool, such as the class FindOrder (if it is undefined here, its module imports this one)",
  // a tool is a class, or an object that an override has derived from it
  accepts: (value) =>
    (typeof value === "function" || isJsonObject(value)) && "toolName" in value && typeof value.toolName === "string"
})

const mapping = required(fn())

const accesses = ["read", "write", "destructive"] as const satisfies ReadonlyArray<Access>

const mode = oneOf("derived", "key", "none")

const checks = record("an object with one function for each check", required(fn()))

/** The fields of a definition that are not policy fields. */
const own = {
  // the rules of a definition check the text
  description: { remedy: "a string", accepts: () => true },
  access: required(oneOf(...accesses)),
  accessBy: oneOf("owner", "server"),
  answers: oneOf("json"),
  approval: either(oneOf("auto", "inform", "confirm", "block"), fn()),
  checks,
  fallbacks: list(
    "a list of { tool, arguments }",
    required(object({ tool, arguments: mapping, on: { remedy: "a list of codes", accepts: () => true } }))
  ),
  fieldsOfError: fn(),
  id: text('a string such as "production/search"'),
  idempotency: either(
    mode,
    object({
      mode: required(mode),
      fields: list("a list of names", text("the name of a parameter")),
      scope: oneOf("conversation", "principal"),
      upstreamHonoursKey: flag,
      timeToLive: time
    })
  ),
  parameters: schema,
  poll: orFalse(object({ interval: time, deadline: time, until: mapping })),
  reconcile: object({ tool, arguments: mapping, found: mapping }),
  // `Refusals` checks the list
  refusals: { remedy: "a list", accepts: () => true },
  salvage: object({
    path: text("the path of an array"),
    rest: fn(),
    next: fn(),
    narrow: text("a sentence on what to make smaller")
  }),
  success: schema
} satisfies FieldKind.FieldKinds

const kinds = { ...own, ...PolicyShape.kinds }

const jsonSchema = 'a JSON Schema such as { type: "object" }'

/** The fields of a dynamic tool's definition. Some differ in form from those of a class. */
const dynamic: FieldKind.FieldKinds = {
  ...kinds,
  description: text("a string"),
  parameters: { remedy: jsonSchema, accepts: isJsonObject },
  success: either({ remedy: jsonSchema, accepts: isJsonObject }, { remedy: "a schema", accepts: Schema.isSchema }),
  handler: required(fn("a function of the arguments"))
}

const promiseSchema = {
  remedy: 'a schema such as z.object({ id: z.string() }), or a JSON Schema such as { type: "object" }',
  accepts: (value: unknown) => isStandard(value) || isJsonObject(value)
}

/** The fields of the definition of a tool whose handler returns a promise. */
const ofPromise: FieldKind.FieldKinds = {
  ...omit(dynamic, ["handler"]),
  parameters: promiseSchema,
  jsonSchema: { remedy: jsonSchema, accepts: isJsonObject },
  success: promiseSchema,
  execute: required(fn("a function of the arguments"))
}

/** The fields of the policy of a toolkit's tool. */
const ofToolkit: FieldKind.FieldKinds = {
  ...PolicyShape.kinds,
  id: kinds.id,
  // without an access, the tool's annotations decide
  access: oneOf(...accesses),
  approval: kinds.approval,
  checks,
  idempotency: kinds.idempotency,
  refusals: list('a list of tags, such as ["OutOfStock"]', required(text('a tag, such as "OutOfStock"')))
}

/**
 * Throws a RangeError that names the tool, the field and the remedy if the policy of a toolkit's tool has another
 * shape.
 */
export const checkToolkit = (name: string, policy: object): void => FieldKind.check(name, "", policy, ofToolkit)

/** Throws a RangeError that names the tool, the field and the remedy if the definition of a class has another shape. */
export const check = (name: unknown, input: unknown): void => checkAs(kinds, name, input)

/** Does the same as `check`, for the definition of a dynamic tool. */
export const checkDynamic = (name: unknown, input: unknown): void => checkAs(dynamic, name, input)

/** Does the same as `check`, for the definition of a tool whose handler returns a promise. */
export const checkPromise = (name: unknown, input: unknown): void => checkAs(ofPromise, name, input)

const checkAs = (fields: FieldKind.FieldKinds, name: unknown, input: unknown): void => {
  if (typeof name !== "string") {
    throw new RangeError(
      `The name of a tool is ${FieldKind.shown(name)}; write a string, verb first, such as "search_orders".`
    )
  }
  if (!isJsonObject(input)) {
    const needed = Object.entries(fields).flatMap(([field, { isRequired }]) => (isRequired ? [`\`${field}\``] : []))
    throw new RangeError(
      `${name}: a definition is ${FieldKind.shown(input)}; write an object with at least ${needed.join(", ")}.`
    )
  }
  FieldKind.check(name, "", input, fields)
}
