/**
 * The contract of a tool's parameters. One schema is advertised as JSON Schema and decodes the arguments, so that both
 * agree.
 *
 * A value that the JSON Schema accepts is decoded, and a value that it refuses is refused. A rule that JSON Schema
 * cannot express is an error when the tool is defined, unless the rule is marked `serverOnly`. The error names the path
 * of the rule and a replacement.
 *
 * **Details**
 *
 * - Objects are closed at every level; records (`Schema.Record`) stay open.
 * - Descriptions, defaults, examples, enums and bounds are kept from every level of the schema.
 * - Decoding and encoding go through `Schema.toCodecJson`, compiled once.
 *
 * **Gotchas**
 *
 * Arguments must be values as `JSON.parse` returns them, without `undefined` or class instances. `-0` counts as `0`.
 */
import * as Data from "effect/Data"
import type * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import { advertise, type Problem } from "./AdvertisedSchema.ts"
import * as ContractPrint from "./ContractPrint.ts"
import { argumentOptions } from "./IssueWalk.ts"
import { isSmall } from "#domain/json/ValueSize"
import * as SchemaJit from "./SchemaJit.ts"

export type { Problem } from "./AdvertisedSchema.ts"
export { serverOnly } from "./ServerOnly.ts"

/** Reports parameters that cannot be advertised exactly as they decode: a mistake in the definition of a tool. */
export class ContractError extends Data.TaggedError("ContractError")<{
  readonly tool: string
  /** The problems, at least one. */
  readonly problems: ReadonlyArray<Problem>
}> {
  override get message(): string {
    const lines = this.problems.map(({ path, problem, remedy }) => `  ${path || "(root)"}: ${problem}; ${remedy}`)
    return `The parameters of ${this.tool} cannot be advertised exactly as they decode:\n${lines.join("\n")}`
  }
}

/** The compiled contract of a tool's parameters. */
export interface Contract extends ContractPrint.PrintedSchema {
  /** Decodes parsed JSON strictly. Fails with all issues of a small value. A check that throws becomes an issue. */
  readonly decode: (json: unknown) => Result.Result<unknown, SchemaIssue.Issue>
  /** Encodes decoded arguments to JSON. A value that the schema cannot encode is returned unchanged. */
  readonly encode: (value: unknown) => unknown
  /** Adds to a tool's description the rules on the arguments as a whole that only the server checks. */
  readonly describe: (description: string) => string
}

/** The properties that are advertised in addition to the schema. */
interface ContractOptions {
  /** Optional properties that a stage removes before the arguments are decoded, as JSON Schema. */
  readonly optional?: Readonly<Record<string, JsonSchema.JsonSchema>>
}

type Parameters = Schema.ConstraintCodec<unknown, unknown>

/** Compiles the contract of a tool's parameters, or lists everything that prevents it. */
export const make = (
  name: string,
  parameters: Parameters,
  { optional = {} }: ContractOptions = {}
): Result.Result<Contract, ContractError> => {
  const { ast, problems, rules } = advertise(parameters)
  const all = [...rootProblems(ast, optional), ...problems]
  if (all.length > 0) return Result.fail(new ContractError({ tool: name, problems: distinct(all) }))
  const { jsonSchema, jsonSchema2020 } = ContractPrint.print(ast)
  return Result.succeed({
    jsonSchema: ContractPrint.parameters(jsonSchema, optional),
    jsonSchema2020: ContractPrint.parameters(jsonSchema2020, optional),
    ...codec(parameters),
    describe: (description) => [description, ...rules.map((rule) => `Checked by the server: ${rule}.`)].join(" ")
  })
}

/** Compiles the contract of a tool's parameters. Throws a `ContractError` if that is impossible. */
export const makeUnsafe = (name: string, parameters: Parameters, options?: ContractOptions): Contract =>
  Result.getOrThrow(make(name, parameters, options))

/**
 * Compiles the contract of parameters from another project. The schema decodes arguments, with closed objects, and is
 * advertised as closely as possible. `problems` lists where the advertised schema differs from decoding. Never throws.
 */
export const lenient = (
  parameters: Parameters
): { readonly contract: Contract; readonly problems: ReadonlyArray<Problem> } => {
  const { problems, printed, rules } = advertiseLeniently(parameters)
  const described = [...new Set(rules)].map((rule) => `Checked by the server: ${rule}.`)
  return {
    contract: {
      jsonSchema: object(printed.jsonSchema),
      jsonSchema2020: object(printed.jsonSchema2020),
      ...lenientCodec(parameters),
      describe: (description) => [description, ...described].join(" ").trim()
    },
    problems: distinct(problems)
  }
}

/** Returns a codec that refuses all values if Effect cannot make one, as for fields whose names are symbols. */
const lenientCodec = (parameters: Parameters): Pick<Contract, "decode" | "encode"> => {
  try {
    return codec(parameters)
  } catch {
    return { decode: unchecked, encode: (value) => value }
  }
}

const unchecked = (): Result.Result<never, SchemaIssue.Issue> =>
  Result.fail(new SchemaIssue.InvalidValue({ message: "could not be checked: the tool's schema failed on it" }))

const advertiseLeniently = (parameters: Parameters) => {
  try {
    const { ast, problems, rules } = advertise(parameters)
    return { problems, rules, printed: ContractPrint.print(ast) }
  } catch {
    const problem = { path: "", problem: "its schema cannot be printed", remedy: "use Schema.Struct" }
    return { problems: [problem], rules: [], printed: { jsonSchema: {}, jsonSchema2020: {} } }
  }
}

/** Turns a schema into the schema of an object, because providers and MCP accept no other arguments. */
const object = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema =>
  schema["type"] === "object" ? schema : { type: "object", ...(schema["type"] === undefined ? schema : {}) }

/**
 * Prints the schema of results, for documentation and MCP. Rules that JSON Schema cannot express are printed as closely
 * as possible, in the worst case as `{}`.
 */
export const resultSchema = (success: Schema.Constraint): ContractPrint.PrintedSchema => {
  try {
    return ContractPrint.print(advertise(success).ast)
  } catch {
    return { jsonSchema: {}, jsonSchema2020: {} }
  }
}

const distinct = (problems: ReadonlyArray<Problem>): ReadonlyArray<Problem> => [
  ...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()
]

const rootProblems = (ast: SchemaAST.AST, optional: object): ReadonlyArray<Problem> => {
  if (ast._tag !== "Objects") {
    return [{ path: "", problem: "parameters must be an object with declared fields", remedy: "use Schema.Struct" }]
  }
  const taken = ast.propertySignatures.map(({ name }) => String(name)).filter((name) => Object.hasOwn(optional, name))
  return taken.map((path) => ({ path, problem: "the guard reserves this field name", remedy: "rename the field" }))
}

const isEmpty = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Objects" && ast.propertySignatures.length === 0 && ast.indexSignatures.length === 0

/** Reports all issues of a small value, but only the first issue of a large value. */
const bounded = <S extends Schema.Codec<unknown, unknown>>(schema: S) => {
  const all = SchemaParser.decodeUnknownResult(schema, argumentOptions)
  const first = SchemaParser.decodeUnknownResult(schema, { ...argumentOptions, errors: "first" })
  return (value: unknown) => (isSmall(value) ? all(value) : first(value))
}

const codec = (parameters: Parameters): Pick<Contract, "decode" | "encode"> => {
  const json = SchemaJit.compiled(Schema.toCodecJson(parameters))
  const read = bounded(json)
  const names = flatNames(SchemaAST.toEncoded(json.ast))
  const quick = SchemaParser.decodeUnknownResult(json)
  // An empty struct accepts any value except null.
  const first = isEmpty(SchemaAST.toEncoded(json.ast)) ? bounded(none) : read
  const decode = first === read ? read : (value: unknown) => Result.flatMap(first(value), read)
  const write = Schema.encodeUnknownResult(json)
  const isPlain = SchemaAST.toEncoded(json.ast) === SchemaAST.toType(parameters.ast)
  return {
    decode: (value) => {
      try {
        if (names !== undefined && isClosed(value, names)) {
          const decoded = quick(value)
          if (Result.isSuccess(decoded)) return decoded
        }
        return decode(value)
      } catch {
        return unchecked()
      }
    },
    encode: (value) => {
      if (isPlain) return value
      try {
        return Result.getOrElse(write(value), () => value)
      } catch {
        return value
      }
    }
  }
}

const scalars: ReadonlySet<string> = new Set(["String", "Number", "Boolean", "Null", "Literal"])

const isScalar = (ast: SchemaAST.AST): boolean =>
  scalars.has(ast._tag) || (SchemaAST.isUnion(ast) && ast.types.every(isScalar))

/** Returns the field names of a flat object, for a cheap check for excess fields; `undefined` for other schemas. */
const flatNames = (ast: SchemaAST.AST): ReadonlySet<string> | undefined =>
  SchemaAST.isObjects(ast) &&
  ast.propertySignatures.length > 0 &&
  ast.indexSignatures.length === 0 &&
  ast.propertySignatures.every(({ name, type }) => typeof name === "string" && isScalar(type))
    ? new Set(ast.propertySignatures.map(({ name }) => String(name)))
    : undefined

/** True if a value has no fields except `names`. The strict decoder, which lists the issues, takes twice as long. */
const isClosed = (value: unknown, names: ReadonlySet<string>): boolean => {
  if (typeof value !== "object" || value === null) return false
  for (const name in value) if (!names.has(name)) return false
  return true
}

const none = Schema.Record(Schema.String, Schema.Never)
