/** Compiles a tool once: its codecs, its digest, and where its implementation is found. */
import * as CallKey from "#domain/CallKey"
import type { Contract } from "#domain/Contract"
import type { Codec, ToolDefinition } from "#domain/ToolDefinition"
import * as Volatile from "#domain/Volatile"
import * as Context from "effect/Context"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import type { CompiledTool, Implementation, ResultCodec } from "./CompiledTool.ts"

/** The codec of a tool's results. Properties that `success` does not name are dropped. */
export const resultCodec = (success: Codec, answers: "json" | "value"): ResultCodec => {
  const json = Schema.toCodecJson(success)
  const decode = Schema.decodeUnknownResult(json, { errors: "all", reportInput: true })
  const check = Schema.decodeUnknownResult(Schema.toType(success), { errors: "all", reportInput: true })
  const isPlain = SchemaAST.toEncoded(json.ast) === SchemaAST.toType(success.ast)
  const encode = isPlain ? (value: unknown) => value : Schema.encodeUnknownSync(json)
  const steady = Volatile.without(success)
  return {
    checkValue: total(check),
    decode: total(decode),
    encode,
    steady: steady === undefined ? undefined : (value) => CallKey.canonical(steady(encode(value))),
    isClosed: isClosed(json.ast, 0),
    text: answers === "json" ? "json" : textKind(success)
  }
}

/** A schema that throws on a value gives an issue. */
const total =
  (decode: (value: unknown) => Result.Result<unknown, Schema.SchemaError>): ResultCodec["decode"] =>
  (value) => {
    try {
      return Result.mapError(decode(value), ({ issue }) => issue)
    } catch {
      return Result.fail(
        new SchemaIssue.InvalidValue({ message: "could not be checked: the tool's schema failed on it" })
      )
    }
  }

const scalars: ReadonlySet<string> = new Set(["String", "Number", "Boolean", "Null", "Literal", "Undefined"])

/** True for structs, arrays, unions and scalars all the way down. */
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

const textKind = (success: Codec): ResultCodec["text"] => {
  const { ast } = success
  if (SchemaAST.isString(ast) || SchemaAST.isTemplateLiteral(ast)) return "string"
  return SchemaAST.isDeclaration(ast) && Schema.is(success)(new Uint8Array(0)) ? "bytes" : "json"
}

/** Compiles a definition. `service` is the key under which its layer provides the implementation. */
export const compile = (
  definition: ToolDefinition,
  contract: Contract,
  service: Context.Key<never, Implementation>
): CompiledTool => ({
  definition,
  contract,
  fingerprint: JSON.stringify(contract.jsonSchema),
  result: resultCodec(definition.success, definition.answers),
  exists: true,
  implementation: (context) => Context.getOrUndefined(context, service)
})

/** The implementation that a layer provides: the handler, with the layer's services beneath the caller's. */
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
