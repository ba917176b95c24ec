/**
 * Flattens an issue of Effect's Schema into a list of problems, each with its place.
 *
 * Effect's formatters are not used, because they print values and do not recognise unions of literals.
 */
import * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import { declared, expectedByCheck, expectedType, typeName } from "./Expectation.ts"
import { discriminator, isNumberForm, literals, taggedBy } from "./SchemaUnion.ts"

/** The options for decoding arguments: all issues are reported, and excess fields are errors. */
export const argumentOptions = { errors: "all", onExcessProperty: "error", reportInput: true } as const

/** The options for decoding results: all issues are reported, and excess fields are dropped. */
export const resultOptions = { errors: "all", onExcessProperty: "ignore", reportInput: true } as const

/** One problem of a value. */
export interface ArgumentIssue {
  readonly path: ReadonlyArray<PropertyKey>
  readonly code: "missing" | "type" | "enum" | "value" | "ambiguous" | "forbidden" | "unexpected"
  /** The value that the schema expects, in words. */
  readonly expected?: string
  /** The type or the size of the value; never the value itself. */
  readonly got?: string
  /** The message of the schema's author: one line of at most 200 characters. */
  readonly message?: string
  /** The values of an enum or a tag or, for an excess field, the names that the object declares. */
  readonly allowed?: ReadonlyArray<string>
  /** The value that was sent for an enum, if it is at most 40 characters long. */
  readonly sent?: string | number | boolean
}

const longestSent = 40
const rank = { missing: 0, type: 1, enum: 1, value: 1, ambiguous: 1, forbidden: 1, unexpected: 2 }

/** Returns all problems: missing fields, then the others in the order of the schema, then excess fields by name. */
export const fromIssue = (issue: SchemaIssue.Issue): ReadonlyArray<ArgumentIssue> => {
  const byName = (issue: ArgumentIssue): string => (issue.code === "unexpected" ? issue.path.map(String).join(".") : "")
  return walk(issue, []).sort(
    (a, b) => rank[a.code] - rank[b.code] || (byName(a) < byName(b) ? -1 : byName(a) > byName(b) ? 1 : 0)
  )
}

type Path = ReadonlyArray<PropertyKey>

const walk = (issue: SchemaIssue.Issue, path: Path): Array<ArgumentIssue> => {
  switch (issue._tag) {
    case "Pointer":
      return walk(issue.issue, [...path, ...issue.path])
    case "Encoding":
      return walk(issue.issue, path)
    case "Composite":
      return issue.issues.flatMap((inner) => walk(isWithoutKey(issue, inner) ? inner.issue : inner, path))
    case "AnyOf": {
      if (isNumberForm(issue.ast)) return [invalidType(issue.ast, issue.input, path)]
      const tried = issue.issues.filter((member) => !isAnotherText(member))
      return tried.length === 0 || literals(issue.ast) !== undefined
        ? noMember(issue.ast, issue.input, path)
        : tried.map((member) => walk(member, path)).reduce((best, next) => (next.length < best.length ? next : best))
    }
    case "Filter": {
      if (issue.issue._tag !== "InvalidValue") return walk(issue.issue, path)
      const authored = {
        ...message(issue.issue.annotations, issue.input),
        ...message(issue.filter.annotations, issue.input)
      }
      return [{ path, code: "value", ...expectedByCheck(issue.filter, issue.input), ...authored }]
    }
    case "InvalidType":
      return [invalidType(issue.ast, issue.input, path)]
    case "InvalidValue": {
      const expected = issue.annotations?.["expected"]
      const authored = message(issue.annotations, issue.input)
      return [{ path, code: "value", ...(typeof expected === "string" ? { expected } : {}), ...authored }]
    }
    case "MissingKey": {
      const authored = issue.annotations?.messageMissingKey
      return [{ path, code: "missing", ...message({ message: authored }, undefined) }]
    }
    case "UnexpectedKey": {
      const { ast } = issue
      const names = ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []
      return [{ path, code: "unexpected", allowed: names }]
    }
    case "Forbidden":
      return [{ path, code: "forbidden", ...message(issue.annotations, issue.input) }]
    case "OneOf":
      return [{ path, code: "ambiguous" }]
  }
}

/**
 * True if the key of an issue is not part of the JSON of a declared type: the `entries` of a `HashMap`, whose JSON is a
 * list, or the `value` of a `Redacted`.
 */
const isWithoutKey = ({ ast }: SchemaIssue.Composite, inner: SchemaIssue.Issue): inner is SchemaIssue.Pointer => {
  if (ast._tag !== "Declaration" || inner._tag !== "Pointer" || inner.path.length !== 1) return false
  const [key] = inner.path
  const { id } = (ast.annotations?.["representation"] ?? {}) as { readonly id?: unknown }
  const isRedacted = id === "effect/schema/Redacted"
  return key === "entries" || key === "values" || (isRedacted && key === "value")
}

/**
 * True if a number's schema refused a text. Effect tried that schema only because JSON has no form for `NaN` and
 * `Infinity` other than a text.
 */
const isAnotherText = (issue: SchemaIssue.Issue): boolean =>
  issue._tag === "Encoding" ? isAnotherText(issue.issue) : issue._tag === "AnyOf" && isNumberForm(issue.ast)

const gotOf = (input: unknown): { readonly got?: string } => {
  const got = typeName(input)
  return got === undefined ? {} : { got }
}

const sentOf = (sent: unknown): { readonly sent?: string | number | boolean } => {
  const isScalar = typeof sent === "string" || typeof sent === "number" || typeof sent === "boolean"
  return isScalar && String(sent).length <= longestSent ? { sent } : {}
}

const invalidType = (ast: SchemaAST.AST, input: unknown, path: Path): ArgumentIssue => {
  const authored = message(ast.checks?.at(-1)?.annotations ?? ast.annotations, input)
  // The encoded side is valid, but its decoded value is not.
  if (ast._tag === "Declaration") return { path, code: "value", expected: declared(ast), ...authored }
  const allowed = literals(ast)
  return allowed === undefined || authored.message !== undefined
    ? { path, code: "type", expected: expectedType(ast), ...gotOf(input), ...authored }
    : { path, code: "enum", allowed, ...gotOf(input), ...sentOf(input) }
}

/** Describes an input that no member of a union accepts, by its type, its literal, its tag or its other literals. */
const noMember = (ast: SchemaAST.Union, input: unknown, path: Path): Array<ArgumentIssue> => {
  const tag = discriminator(ast)
  if (tag === undefined || typeName(input) !== "object") return [invalidType(ast, input, path)]
  const object = input as Record<string, unknown>
  const at = [...path, tag.key]
  if (!Object.hasOwn(object, tag.key)) return [{ path: at, code: "missing", allowed: tag.values }]
  const sent = object[tag.key]
  // Effect excludes a member if any of its literals differs, so the tag itself may be right.
  const [member] = taggedBy(ast, tag.key, sent)
  const others = member === undefined ? [] : wrongLiterals(member, object, path)
  return others.length > 0 ? others : [{ path: at, code: "enum", allowed: tag.values, ...gotOf(sent), ...sentOf(sent) }]
}

/** Describes the required literals of an object that differ from those of its schema. */
const wrongLiterals = (
  { propertySignatures }: SchemaAST.Objects,
  object: Record<string, unknown>,
  path: Path
): Array<ArgumentIssue> =>
  propertySignatures.flatMap(({ name, type }): ReadonlyArray<ArgumentIssue> => {
    const allowed = literals(type)
    if (allowed === undefined || SchemaAST.isOptional(type)) return []
    const at = [...path, name]
    if (!Object.hasOwn(object, name)) return [{ path: at, code: "missing" }]
    const sent = object[String(name)]
    return allowed.includes(String(sent)) ? [] : [invalidType(type, sent, at)]
  })

/** Returns the message of the schema's author, unless it repeats a long piece of the input. */
const message = (
  annotations: { readonly [key: string]: unknown } | undefined,
  input: unknown
): { readonly message?: string } => {
  const authored = annotations?.["message"]
  if (typeof authored !== "string" || authored.trim() === "") return {}
  const message = authored.slice(0, 200).replace(/\s+/g, " ").trim()
  return typeof input === "string" && repeats(message, input.slice(0, 20_000)) ? {} : { message }
}

const repeats = (message: string, input: string): boolean => {
  for (let i = 0; i + longestSent < message.length; i++) {
    if (input.includes(message.slice(i, i + longestSent + 1))) return true
  }
  return false
}
