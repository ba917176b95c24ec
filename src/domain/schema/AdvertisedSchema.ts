/**
 * Turns a schema into a schema whose JSON Schema has exactly the same requirements as decoding, and lists the places
 * where that is impossible.
 *
 * - The result has no transformations. It describes only the encoded values, with the checks that apply to them.
 * - Descriptions, defaults and examples are collected from every layer of a field (type, key, encoded side, checks),
 *   because Effect prints only the annotations of the encoded side. A default without an annotation is taken from
 *   decoding.
 * - Identifiers are dropped, so that everything is printed inline. Only recursive schemas keep a name.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { type Path, printable, type Walk } from "./AdvertisedNode.ts"
import type { Finding } from "./ContractCheck.ts"
import { follow } from "./ContractStep.ts"
import { cut } from "#domain/text/Cut"
import * as SchemaNode from "./SchemaNode.ts"
import { reasonsOf } from "./ServerOnly.ts"

/** A reason why a schema cannot be advertised exactly as it decodes. */
export interface Problem extends Finding {
  /** The place, such as `orders[].cents`; empty for the whole schema. */
  readonly path: string
}

/** A schema that can be printed as JSON Schema. */
interface PrintableSchema {
  readonly ast: SchemaAST.AST
  readonly problems: ReadonlyArray<Problem>
  /** Descriptions of the rules on the schema as a whole that only the server checks. */
  readonly rules: ReadonlyArray<string>
}

type Annotations = { readonly [key: string]: unknown }

/**
 * Creates the schema whose JSON Schema agrees with decoding. Tuples, which the dialects write differently, become arrays
 * unless `keepsTuples`.
 */
export const advertise = (schema: Schema.Constraint, { keepsTuples = false } = {}): PrintableSchema => {
  const problems: Array<Problem> = []
  const walk: Walk = {
    keepsTuples,
    report: (path, found) => problems.push(...found.map((finding) => ({ path: format(path), ...finding }))),
    visit: (ast, path) => visit(ast, path, walk),
    recursive: new Map()
  }
  const ast = walk.visit(schema.ast, [])
  const rules = SchemaNode.states(schema.ast).flatMap((state) => reasonsOf(state.ast))
  return { ast, problems, rules: [...new Set(rules)] }
}

const format = (path: Path): string =>
  path.reduce((text, part) => (part === "[]" ? `${text}[]` : text === "" ? part : `${text}.${part}`), "")

const visit = (ast: SchemaAST.AST, path: Path, walk: Walk): SchemaAST.AST => {
  const layers = SchemaNode.states(ast)
    .map((state) => state.ast)
    .reverse()
  const reasons = [...new Set(layers.flatMap(reasonsOf))]
  const isExempt = reasons.length > 0
  const wire = follow(ast)
  if (!isExempt) walk.report(path, wire.findings)
  const plain = printable(wire.node, path, walk, isExempt)
  const collected = collect(layers, reasons)
  const annotations = wire.hasDefault ? { ...collected, ...defaultOf(ast, collected, path, walk) } : collected
  const [check, ...checks] = (plain.checks ?? []).map((each) => each.annotate(cleared))
  return SchemaNode.rebuild(plain, {
    annotations: { ...plain.annotations, ...cleared, ...annotations },
    checks: check === undefined ? undefined : [check, ...checks],
    isOptional: wire.isOptional
  })
}

const printed = ["title", "default", "examples"] as const
const cleared = {
  title: undefined,
  description: undefined,
  default: undefined,
  examples: undefined,
  identifier: undefined
}

const isJson = Schema.is(Schema.Json)

const sentence = (text: string): string => (/[.!?…:]$/.test(text) ? text : `${text}.`)

/**
 * Returns the annotations of a field from all its layers: all descriptions, and the outermost of each other annotation.
 */
const collect = (layers: ReadonlyArray<SchemaAST.AST>, reasons: ReadonlyArray<string>): Annotations => {
  const sources: ReadonlyArray<Annotations> = layers.flatMap((ast) => [
    ast.context?.annotations ?? {},
    ...(ast.checks ?? []).toReversed().map((check): Annotations => check.annotations ?? {}),
    ast.annotations ?? {}
  ])
  const all = (key: string): ReadonlyArray<unknown> => sources.map((source) => source[key])
  const out: Record<string, unknown> = {}
  for (const key of printed) {
    const first = all(key).find((value) => value !== undefined && isJson(value))
    if (first !== undefined) out[key] = first
  }
  const descriptions = new Set(
    all("description").filter((text): text is string => typeof text === "string" && text.trim() !== "")
  )
  const parts = [...descriptions, ...reasons.map((reason) => `Checked by the server: ${reason}`)]
  if (parts.length > 0) out["description"] = parts.length === 1 ? parts[0] : parts.map(sentence).join(" ")
  return out
}

/**
 * Returns the default that decoding yields, as a model would write it. A value that changes from call to call is not a
 * default.
 */
const defaultOf = (
  ast: SchemaAST.AST,
  { default: declaredDefault }: Annotations,
  path: Path,
  walk: Walk
): Annotations => {
  const field = Schema.make<Schema.Codec<unknown, unknown>>(ast)
  const codec = Schema.toCodecJson(Schema.Struct({ field }))
  const read = (): unknown => {
    const decoded = Schema.decodeResult(codec)({})
    if (Result.isFailure(decoded)) return undefined
    const encoded = Schema.encodeUnknownResult(codec)(decoded.success)
    const value = Result.isSuccess(encoded) ? (encoded.success as { readonly field?: unknown }).field : undefined
    return value === undefined ? decoded.success.field : value
  }
  const [value, again] = [read(), read()]
  if (value === undefined) {
    walk.report(path, [
      { problem: "its own schema refuses the default", remedy: "use a default that the schema allows" }
    ])
  }
  const isSteady = isJson(value) && JSON.stringify(value) === JSON.stringify(again)
  if (declaredDefault !== undefined && isSteady && JSON.stringify(declaredDefault) !== JSON.stringify(value)) {
    const problem = `the annotation declares the default ${cut(JSON.stringify(declaredDefault), 40)}, but decoding yields another`
    walk.report(path, [{ problem, remedy: "remove the annotation: the default is taken from decoding" }])
  }
  return isSteady ? { default: value } : {}
}
