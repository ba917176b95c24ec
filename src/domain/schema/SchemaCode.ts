/** Writes a schema as Effect source on one line: `Schema.NullOr(Schema.String)`. */
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaRepresentation from "effect/SchemaRepresentation"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { isTransformedInside, rebuild } from "./SchemaNode.ts"

/**
 * Returns the source of a schema, without the texts that Effect generates for checks. Returns `undefined` if some part of
 * the schema has no source, such as a rule that is a function, or a conversion that is not one of Effect's.
 */
export const codeOf = (ast: SchemaAST.AST): string | undefined => {
  if (isTransformedInside(ast)) return undefined
  if (ast.encoding !== undefined) {
    const parts = conversionOf(ast)
    const rules = parts?.rules.map(({ source }) => source) ?? []
    return parts === undefined || rules.includes(undefined) ? undefined : parts.type + rules.join("")
  }
  if (ast._tag === "Enum" && ast.checks === undefined) {
    return `Schema.Literals([${ast.enums.map(([, value]) => JSON.stringify(value)).join(", ")}])`
  }
  try {
    const inline = { referencePolicy: () => undefined }
    const document = SchemaRepresentation.toMultiDocument(SchemaRepresentation.toRepresentation(ast, inline))
    const { artifacts, codes, references } = SchemaRepresentation.toCodeDocument(document)
    const runtime = (codes[0]?.runtime ?? "")
      .replaceAll(/\.annotate\(\{ "expected": "(?:[^"\\]|\\.)*" \}\)/g, "")
      .replaceAll(/, exclusiveM(?:in|ax)imum: undefined/g, "")
      .replaceAll(/new globalThis\.RegExp\(("(?:[^"\\]|\\.)*")(?:, ("\w*"))?\)/g, (_, pattern: string, flags = '""') =>
        String(new RegExp(JSON.parse(pattern), JSON.parse(flags)))
      )
      .replaceAll(/Schema\.Number\.check\(Schema\.isInt\(\)\)/g, "Schema.Int")
    // source that needs another definition or module is not complete on one line
    const isComplete =
      Object.keys(references.recursives).length === 0 && !artifacts.some((each) => needs(runtime, each))
    return runtime === "" || !isComplete ? undefined : runtime
  } catch {
    return undefined
  }
}

/** True if source refers to another module or definition. Most imports are needed only by the type of a schema. */
const needs = (runtime: string, artifact: SchemaRepresentation.Artifact): boolean => {
  if (artifact._tag !== "Import") return true
  const name = /^import (?:type )?\* as (\w+) from/u.exec(artifact.importDeclaration)?.[1]
  return name === undefined || new RegExp(`(?<![\\w.])${name}\\.`, "u").test(runtime)
}

type Rule = SchemaAST.Checks[number]

/** A rule, and its source as a call of `check`; `undefined` for a rule without source. */
export interface RuleSource {
  readonly rule: Rule
  readonly source: string | undefined
}

/** Returns the source of each rule of a node. The rules of a group without source are returned in its place. */
export const rulesOf = (
  node: SchemaAST.AST,
  rules: ReadonlyArray<Rule> = node.checks ?? []
): ReadonlyArray<RuleSource> => {
  const plain = plainOf(node)
  const start = codeOf(plain) ?? ""
  return rules.flatMap((rule): ReadonlyArray<RuleSource> => {
    const whole = codeOf(rebuild(plain, { annotations: plain.annotations, checks: [rule] }))
    if (whole === undefined)
      return rule._tag === "FilterGroup" ? rulesOf(node, rule.checks) : [{ rule, source: undefined }]
    const short = shortened[whole]
    return [{ rule, source: short ?? (whole.startsWith(start) ? whole.slice(start.length) : undefined) }]
  })
}

/** The short names of numbers with a rule. */
const shortened: Readonly<Record<string, string>> = {
  "Schema.Int": ".check(Schema.isInt())",
  "Schema.Finite": ".check(Schema.isFinite())"
}

/** The sources of a node without inner nodes: of its type or conversion, and of each of its rules. */
interface Parts {
  readonly type: string
  readonly rules: ReadonlyArray<RuleSource>
}

/** Returns the parts of a node without inner nodes; `undefined` if its type or its conversion has no source. */
export const partsOf = (node: SchemaAST.AST): Parts | undefined => {
  if (node.encoding !== undefined) return conversionOf(node)
  const type = codeOf(rebuild(node, { annotations: node.annotations }))
  if (type === undefined) return undefined
  const [first, ...more] = rulesOf(node)
  const name = Object.keys(shortened).find((short) => type === "Schema.Number" && shortened[short] === first?.source)
  return name === undefined ? { type, rules: rulesOf(node) } : { type: name, rules: more }
}

/** Returns a simple node of the same kind that has a source and to which the same rules apply. */
const plainOf = (node: SchemaAST.AST): SchemaAST.AST => {
  switch (node._tag) {
    case "Arrays":
      return Schema.Array(Schema.String).ast
    case "Objects":
      return Schema.Record(Schema.String, Schema.Json).ast
    case "Number":
      return Schema.Number.ast
    case "BigInt":
      return Schema.BigInt.ast
    default:
      return Schema.String.ast
  }
}

interface NamedSchema {
  readonly name: string
  readonly ast: SchemaAST.AST
}

let conversions: ReadonlyArray<NamedSchema> | undefined

/** Returns the conversions that Effect exports by name, such as `Schema.NumberFromString`. */
const named = (): ReadonlyArray<NamedSchema> =>
  (conversions ??= Object.entries(Schema).flatMap(([name, value]) =>
    Schema.isSchema(value) && value.ast.encoding !== undefined ? [{ name: `Schema.${name}`, ast: value.ast }] : []
  ))

const isSameLink = (link: SchemaAST.Link, other: SchemaAST.Link | undefined): boolean =>
  other !== undefined &&
  link.transformation === other.transformation &&
  link.to._tag === other.to._tag &&
  link.to.encoding === other.to.encoding &&
  (link.to.checks ?? []).length === (other.to.checks ?? []).length &&
  (link.to.checks ?? []).every((check, index) => check === other.to.checks?.[index])

/**
 * Returns the parts of one of Effect's conversions, with the rules that were added to it. The converted value may have
 * rules too: `Schema.String.check(…).pipe(Schema.decodeTo(Schema.NumberFromString))`.
 */
const conversionOf = (ast: SchemaAST.AST): Parts | undefined => {
  const { checks = [], encoding = [] } = ast
  const last = encoding.at(-1)
  const isPiped = encoding.length > 1 && last?.transformation === SchemaTransformation.passthrough()
  const links = isPiped ? encoding.slice(0, -1) : encoding
  const found = named().find(
    (one) =>
      one.ast._tag === ast._tag &&
      one.ast.encoding?.length === links.length &&
      links.every((link, index) => isSameLink(link, one.ast.encoding?.[index])) &&
      (one.ast.checks ?? []).every((check, index) => check === checks[index])
  )
  if (found === undefined) return undefined
  const rules = rulesOf(ast, checks.slice(found.ast.checks?.length ?? 0))
  const from = isPiped ? codeOf(last.to) : undefined
  if (!isPiped) return { type: found.name, rules }
  return from === undefined ? undefined : { type: `${from}.pipe(Schema.decodeTo(${found.name}))`, rules }
}
