/**
 * Reads the schemas of a tool from other libraries: a Standard Schema (Zod, Valibot, ArkType, Effect and others), or a
 * JSON Schema.
 *
 * A Standard Schema is used twice. The JSON Schema that it prints is advertised and checked first, so that a model reads
 * the guard's sentences with all problems, nearest names and allowed values. Its own validation runs afterwards, which
 * knows refinements, defaults and transformations.
 *
 * **Details**
 *
 * - Objects are closed unless the schema says that they are open (`ClosedSchema`).
 * - The handler receives the arguments as the library's validation returns them. Keys and records contain the arguments
 *   as the model wrote them.
 * - Results are validated and not transformed: a model reads what the handler returned, without undeclared fields.
 *
 * **Gotchas**
 *
 * Validation must be synchronous. A schema that returns a promise refuses every value, with a sentence that says so.
 */
import { isJsonObject } from "#domain/json/JsonObject"
import type { Codec } from "#domain/tool/ToolDefinition"
import type * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "effect/StandardSchema"
import { close } from "./ClosedSchema.ts"
import * as ForeignContract from "./ForeignContract.ts"
import * as ForeignSchema from "./ForeignSchema.ts"

/** A schema of another library, or a JSON Schema. */
export type ToolSchema = StandardSchemaV1 | JsonSchema.JsonSchema

/** The number of issues that are read from a library, which may report each of a million rows. */
const maxIssues = 50

/** The schema of results. */
type ResultSchema = Pick<ForeignSchema.ForeignSchema, "schema" | "unchecked">

/** True if a value is a Standard Schema. Some libraries represent schemas as functions. */
export const isStandard = (value: unknown): value is StandardSchemaV1 => {
  const isHolder = (typeof value === "object" && value !== null) || typeof value === "function"
  const standard = isHolder && "~standard" in value ? value["~standard"] : undefined
  return isJsonObject(standard) && typeof standard["validate"] === "function"
}

/**
 * Returns the contract of the arguments, or one sentence why the schema cannot be one. `given` is the JSON Schema to
 * advertise if the library cannot print one.
 */
export const parametersOf = (
  schema: ToolSchema = { type: "object" },
  given?: JsonSchema.JsonSchema
): Result.Result<ForeignContract.ForeignContract, string> => {
  if (!isStandard(schema)) return Result.succeed(ForeignContract.make(close(schema)))
  return Result.map(given === undefined ? printed(schema, "2020-12") : Result.succeed(given), (json) =>
    validating(
      ForeignContract.make(close(json)),
      schema,
      given === undefined ? printed(schema, "07") : Result.succeed(given)
    )
  )
}

/** Returns the schema of results. A library that cannot print its schema only validates. */
export const resultOf = (schema: ToolSchema | undefined): ResultSchema => {
  if (schema === undefined) return { schema: Schema.Json, unchecked: [] }
  if (!isStandard(schema)) return ForeignSchema.compile(close(schema))
  const shape = Result.match(printed(schema, "2020-12"), {
    onSuccess: (json) => ForeignSchema.compile(close(json)),
    onFailure: () => ({ schema: Schema.Json as Codec, unchecked: [] })
  })
  const isValid = Schema.makeFilter((value: unknown) => {
    const validated = validate(schema, value)
    return validated._tag === "Success" ? undefined : validated.failure
  })
  return { ...shape, schema: shape.schema.check(isValid) }
}

/** Returns the JSON Schema of the values that a schema accepts, without the name of its dialect. */
const printed = (schema: StandardSchemaV1, draft: "2020-12" | "07"): Result.Result<JsonSchema.JsonSchema, string> => {
  // a library may implement both standards
  const { jsonSchema, vendor } = schema["~standard"] as StandardSchemaV1.Props &
    Partial<Pick<StandardJSONSchemaV1.Props, "jsonSchema">>
  if (typeof jsonSchema?.input !== "function") return Result.fail(`${vendor} does not print it as JSON Schema`)
  try {
    const { $schema: _, ...json } = jsonSchema.input({ target: `draft-${draft}` })
    return Result.succeed(json)
  } catch (error) {
    return Result.fail(
      `${vendor} cannot print it as JSON Schema: ${error instanceof Error ? error.message : "an error"}`
    )
  }
}

const validating = (
  contract: ForeignContract.ForeignContract,
  schema: StandardSchemaV1,
  advertised: Result.Result<JsonSchema.JsonSchema, string>
): ForeignContract.ForeignContract => {
  /** The arguments as the model wrote them, by the arguments that the handler receives. */
  const written = new WeakMap<object, unknown>()
  return {
    ...contract,
    jsonSchema: Result.match(advertised, { onSuccess: close, onFailure: () => contract.jsonSchema }),
    decode: (value) =>
      Result.flatMap(contract.decode(value), () =>
        Result.map(validate(schema, value), (args) => {
          if (typeof args === "object" && args !== null) written.set(args, value)
          return args
        })
      ),
    encode: (args) => (typeof args === "object" && args !== null ? (written.get(args) ?? args) : args)
  }
}

/** Validates a value as the library does. Never throws. */
const validate = (schema: StandardSchemaV1, value: unknown): Result.Result<unknown, SchemaIssue.Issue> => {
  try {
    const validated = schema["~standard"].validate(value)
    if (validated instanceof Promise) {
      validated.catch(() => undefined) // its outcome is not used
      return Result.fail(
        refusedValue("could not be checked: its schema is asynchronous, which a tool does not support")
      )
    }
    if (validated.issues === undefined) return Result.succeed(validated.value)
    const [first = refusedValue("is not valid"), ...others] = validated.issues.slice(0, maxIssues).map(issueOf)
    return Result.fail(new SchemaIssue.Composite(Schema.Unknown.ast, [first, ...others]))
  } catch {
    return Result.fail(refusedValue("could not be checked: the tool's schema failed on it"))
  }
}

/** Returns the issue at its path. A segment of a path is a key, or an object with the key. */
const issueOf = ({ message, path = [] }: StandardSchemaV1.Issue): SchemaIssue.Issue => {
  const keys = path.map((segment) => (typeof segment === "object" ? segment.key : segment))
  const issue = refusedValue(message)
  return keys.length === 0 ? issue : new SchemaIssue.Pointer(keys, issue)
}

const refusedValue = (message: string): SchemaIssue.Issue => new SchemaIssue.InvalidValue({ message })
