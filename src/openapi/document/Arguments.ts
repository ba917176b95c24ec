/**
 * Combines the parameters of an operation and the fields of its body into one arguments object.
 *
 * **Details**
 *
 * - If the body is a plain object, its fields become arguments. Any other body becomes the argument `body`, and so does
 *   an optional body with required fields, because it can only be omitted completely.
 * - The object is closed unless the body's schema is open. Additional fields then become fields of the body.
 * - Duplicate names and names that providers refuse are changed and reported: `query_id`, `filter_status`.
 */
import * as Result from "effect/Result"
import { type Document, follow } from "./Document.ts"
import { field, isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import * as Names from "./Names.ts"
import type { Parameter } from "./Parameters.ts"
import { fileSchema, type RequestBody } from "./RequestBody.ts"
import type { Schemas } from "./Schemas.ts"

/** An argument whose name differs from its parameter's. */
export interface RenamedArgument {
  readonly argument: string
  readonly name: string
  readonly in: string
}

/** The arguments of an operation, and where each goes in the request. */
export interface Arguments {
  readonly jsonSchema: JsonObject
  readonly parameters: ReadonlyArray<readonly [argument: string, parameter: Parameter]>
  /** `Fields`: the body's fields by argument, with additional fields if open. `Whole`: one argument is the body. */
  readonly body:
    | { readonly _tag: "None" }
    | { readonly _tag: "Fields"; readonly names: ReadonlyMap<string, string>; readonly isOpen: boolean }
    | { readonly _tag: "Whole"; readonly argument: string }
  readonly renamed: ReadonlyArray<RenamedArgument>
}

/** Keywords of an object whose fields can become arguments. */
const simple = new Set([
  "type",
  "properties",
  "required",
  "additionalProperties",
  "description",
  "title",
  "examples",
  "$defs"
])

/** Creates the arguments of an operation. */
export const make = (
  document: Document,
  schemas: Schemas,
  parameters: ReadonlyArray<Parameter>,
  body: RequestBody | undefined
): Arguments => {
  const renamed: Array<RenamedArgument> = []
  const taken = new Set<string>()
  const nameFor = (name: string, where: string): string => {
    const plain = Names.argumentName(name)
    let argument = plain
    if (taken.has(argument)) argument = Names.argumentName(`${where}_${plain}`)
    for (let n = 2; taken.has(argument); n++) argument = `${plain.slice(0, 58)}_${n}`
    taken.add(argument)
    if (argument !== name) renamed.push({ argument, name, in: where })
    return argument
  }

  const placed = parameters.map((parameter) => [nameFor(parameter.name, parameter.in), parameter] as const)
  const properties = new Map(placed.map(([argument, parameter]) => [argument, described(schemas, parameter)]))
  const required = placed.flatMap(([argument, { isRequired }]) => (isRequired ? [argument] : []))
  const closed = (rest: JsonObject = {}): JsonObject =>
    schemas.whole(
      { type: "object", properties: Object.fromEntries(properties), required, additionalProperties: false, ...rest },
      "request"
    )
  if (body === undefined) return { jsonSchema: closed(), parameters: placed, body: { _tag: "None" }, renamed }

  const schema = bodySchema(document, schemas, body)
  if (parameters.length === 0 && isWholeObject(schema, body)) {
    const isUnchanged = Object.keys(field(schema, "properties") ?? {}).every(
      (name) => Names.argumentName(name) === name
    )
    if (isUnchanged) {
      const names = new Map(Object.keys(field(schema, "properties") ?? {}).map((name) => [name, name]))
      return { jsonSchema: schema, parameters: [], body: { _tag: "Fields", names, isOpen: true }, renamed }
    }
  }
  if (isSimpleObject(schema, body)) {
    const names = new Map<string, string>()
    const needed = new Set(Array.isArray(schema["required"]) ? schema["required"] : [])
    // `isSimpleObject` has checked that `properties` is an object of schemas
    for (const [name, inner] of Object.entries(field(schema, "properties") as JsonObject)) {
      const argument = nameFor(name, "body")
      names.set(argument, name)
      properties.set(argument, inner as JsonObject) // a schema, as `isSimpleObject` has checked
      if (needed.has(name)) required.push(argument)
    }
    const open = schema["additionalProperties"]
    return {
      jsonSchema: closed(open === false ? {} : { additionalProperties: open ?? true }),
      parameters: placed,
      body: { _tag: "Fields", names, isOpen: open !== false },
      renamed
    }
  }
  const argument = nameFor("body", "body")
  const { $defs: _, ...inner } = schema
  const description = typeof inner["description"] === "string" ? inner["description"] : body.description
  properties.set(argument, { ...inner, ...(description === "" ? {} : { description }) })
  if (body.isRequired) required.push(argument)
  return { jsonSchema: closed(), parameters: placed, body: { _tag: "Whole", argument }, renamed }
}

/** Returns the schema of a parameter, with its description. */
const described = (schemas: Schemas, { description, schema }: Parameter): JsonObject => {
  const part = schemas.part(schema, "request")
  return description === "" || part["description"] !== undefined ? part : { ...part, description }
}

/** Returns the schema of the body for a model, in which files and bytes are objects. */
const bodySchema = (document: Document, schemas: Schemas, body: RequestBody): JsonObject => {
  if (body.kind === "bytes") return fileSchema
  if (body.kind === "text")
    return { type: "string", ...(body.description === "" ? {} : { description: body.description }) }
  const schema = schemas.alone(body.schema, "request")
  if (body.files.size === 0) return schema
  const target = follow(document, body.schema)
  const properties = schema["properties"]
  if (Result.isFailure(target) || !isJsonObject(properties)) return schema
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, each]) => {
        const file = body.files.get(name)
        return [name, file === undefined ? each : file === "one" ? fileSchema : { type: "array", items: fileSchema }]
      })
    )
  }
}

/** True if the schema of the body can be the schema of the arguments, provided that there are no parameters. */
const isWholeObject = (schema: JsonObject, { isRequired, kind }: RequestBody): boolean =>
  hasFields(kind) && schema["type"] === "object" && (isRequired || !hasRequired(schema)) && schema["$ref"] === undefined

/** True if the body is an object whose fields can be combined with parameters. */
const isSimpleObject = (schema: JsonObject, { isRequired, kind }: RequestBody): boolean =>
  hasFields(kind) &&
  isJsonObject(schema["properties"]) &&
  (schema["type"] === "object" || schema["type"] === undefined) &&
  Object.keys(schema).every((key) => simple.has(key)) &&
  (isRequired || !hasRequired(schema))

const hasFields = (kind: RequestBody["kind"]): boolean => kind !== "text" && kind !== "bytes"

const hasRequired = (schema: JsonObject): boolean => Array.isArray(schema["required"]) && schema["required"].length > 0
