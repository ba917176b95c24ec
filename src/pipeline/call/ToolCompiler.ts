/** Compiles a tool: its codecs, its fingerprint, and how to find its implementation. */
import * as CallKey from "#domain/call/CallKey"
import type { Contract } from "#domain/schema/Contract"
import type { Codec, ToolDefinition } from "#domain/tool/ToolDefinition"
import { isSmall } from "#domain/json/ValueSize"
import * as SchemaJit from "#domain/schema/SchemaJit"
import * as VolatileField from "#domain/schema/VolatileField"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { inherit } from "#domain/schema/SchemaNotation"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import type { CompiledTool, Implementation, ResultCodec } from "./CompiledTool.ts"

/**
 * Returns the codec of a tool's results. Properties that `success` does not name are dropped. The schema of another
 * server is not compiled to JavaScript.
 */
export const resultCodec = (success: Codec, answers: "json" | "value", isRemote: boolean): ResultCodec => {
  const compiled = isRemote ? (schema: Codec) => schema : SchemaJit.compiled
  const json = compiled(Schema.toCodecJson(success))
  const isPlain = SchemaAST.toEncoded(json.ast) === SchemaAST.toType(success.ast) || isJson(json.ast, 0)
  const encode = isPlain ? (value: unknown) => value : Schema.encodeUnknownSync(json)
  const steady = VolatileField.without(success)
  const forms = [SchemaAST.toType(success.ast), SchemaAST.toEncoded(json.ast)]
  return {
    checkValue: decoder(compiled(Schema.toType(success))),
    decode: decoder(json),
    encode,
    schema: success.ast,
    encoded: inherit(SchemaAST.toEncoded(json.ast), success.ast),
    steady: steady === undefined ? undefined : (encoded) => CallKey.canonical(steady(encoded)),
    isClosed: isClosed(json.ast, 0),
    declares: (path) => forms.some((form) => declares(form, path, 0)),
    text: answers === "json" ? "json" : textKind(success)
  }
}

/**
 * Returns a decoder that reports all errors of a small value, but only the first error of a large value, because the
 * errors of a million invalid rows would exhaust the memory.
 */
const decoder = (schema: Codec): ResultCodec["decode"] => {
  const first = Schema.decodeUnknownResult(schema, { errors: "first", reportInput: true })
  const all = Schema.decodeUnknownResult(schema, { errors: "all", reportInput: true })
  return (value) => {
    try {
      const decoded = first(value)
      const reported = decoded._tag === "Failure" && isSmall(value) ? all(value) : decoded
      return Result.mapError(reported, ({ issue }) => issue)
    } catch {
      return Result.fail(
        new SchemaIssue.InvalidValue({ message: "could not be checked: the tool's schema failed on it" })
      )
    }
  }
}

/** True if each value of the schema equals its JSON form at every depth: it need not be encoded. */
const isJson = (ast: SchemaAST.AST, depth: number): boolean => {
  if (ast.encoding !== undefined || depth === 16) return false
  if (SchemaAST.isObjects(ast)) {
    return (
      ast.propertySignatures.every(({ type }) => isJson(type, depth + 1)) &&
      ast.indexSignatures.every(({ parameter, type }) => isJson(parameter, depth) && isJson(type, depth + 1))
    )
  }
  if (SchemaAST.isArrays(ast)) return [...ast.elements, ...ast.rest].every((type) => isJson(type, depth + 1))
  return scalars.has(ast._tag) || representationOf(ast) === representationOf(Schema.Json.ast)
}

/** Returns the id of the representation that a schema declares, or the node itself if it declares none. */
const representationOf = (ast: SchemaAST.AST): unknown =>
  (ast.annotations?.["representation"] as { readonly id?: unknown } | undefined)?.id ?? ast

const scalars: ReadonlySet<string> = new Set(["String", "Number", "Boolean", "Null", "Literal", "Undefined"])

/** True if the schema consists of structs, arrays, unions and scalars at every depth. */
const isClosed = (ast: SchemaAST.AST, depth: number): boolean =>
  ast.encoding === undefined &&
  depth < 16 &&
  (scalars.has(ast._tag) ||
    (SchemaAST.isObjects(ast) &&
      ast.propertySignatures.length > 0 &&
      ast.indexSignatures.length === 0 &&
      ast.propertySignatures.every(({ type }) => isClosed(type, depth + 1))) ||
    (SchemaAST.isArrays(ast) && [...ast.elements, ...ast.rest].every((type) => isClosed(type, depth + 1))) ||
    (SchemaAST.isUnion(ast) && ast.types.every((type) => isClosed(type, depth + 1))))

/**
 * True if a schema names the field to which a path leads from its name at `first`. The path has no indices: the items of
 * a list count as one.
 */
const declares = (ast: SchemaAST.AST, path: ReadonlyArray<string>, first: number): boolean => {
  if (first === path.length) return true
  if (SchemaAST.isSuspend(ast)) return declares(ast.thunk(), path, first)
  if (SchemaAST.isUnion(ast)) return ast.types.some((type) => declares(type, path, first))
  if (SchemaAST.isArrays(ast)) return [...ast.elements, ...ast.rest].some((type) => declares(type, path, first))
  return (
    SchemaAST.isObjects(ast) &&
    ast.propertySignatures.some((field) => field.name === path[first] && declares(field.type, path, first + 1))
  )
}

const textKind = (success: Codec): ResultCodec["text"] => {
  const { ast } = success
  if (SchemaAST.isString(ast) || SchemaAST.isTemplateLiteral(ast)) return "string"
  return SchemaAST.isDeclaration(ast) && Schema.is(success)(new Uint8Array(0)) ? "bytes" : "json"
}

/**
 * The optional fields of a definition, all unset: no checks, refusals, fallbacks, keys, lookups, salvage, polls or
 * approval.
 */
export const nothingDeclared = {
  accessBy: "owner",
  isRemote: false,
  sources: {},
  declared: {},
  defaultRepeats: undefined,
  answers: "value",
  checks: [],
  refusals: [],
  fieldsOfError: undefined,
  fallbacks: [],
  idempotency: {
    mode: "none",
    fields: undefined,
    scope: "conversation",
    upstreamHonoursKey: false,
    timeToLive: Duration.zero
  },
  reconcile: undefined,
  salvage: undefined,
  poll: undefined,
  watchesStatus: true,
  sharedApprovals: [],
  approval: undefined
} as const satisfies Partial<ToolDefinition>

/** Compiles a definition. `find` returns the implementation in the caller's context. */
export const compile = (
  definition: ToolDefinition,
  contract: Contract,
  find: CompiledTool["implementation"],
  { owner, provider, site }: Pick<CompiledTool, "owner" | "provider" | "site">
): CompiledTool => ({
  definition,
  contract,
  fingerprint: JSON.stringify([definition.description, definition.access, contract.jsonSchema]),
  result: resultCodec(definition.success, definition.answers, definition.isRemote),
  exists: true,
  owner,
  provider,
  site,
  scope: definition.id,
  refusal: undefined,
  implementation: find
})

/** Returns the implementation that a layer provides. The caller's services take precedence over the layer's. */
export const implementation = (
  handler: Implementation["handler"],
  services: Context.Context<never>
): Implementation => {
  let lastCaller: Context.Context<never> | undefined
  let lastMerged: Context.Context<never> = services
  return {
    handler,
    contextFor: (caller) => {
      if (caller !== lastCaller) {
        lastCaller = caller
        lastMerged = Context.merge(services, caller)
      }
      return lastMerged
    }
  }
}
