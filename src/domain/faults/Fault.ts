/**
 * Lists the faults of a value: each place where it violates its schema, with the kind of the violation.
 *
 * **Details**
 *
 * - Equal faults of several items of a list, or of several values of a record, are one fault: `orders[].cents`.
 * - An object of a result that has another shape (`hasOtherShape`) is one fault, not one for each missing field.
 * - An answer that is not JSON has one fault, of the whole answer.
 */
import * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import type { ParseError } from "#domain/json/JsonError"
import { isJsonObject } from "#domain/json/JsonObject"
import { type ArgumentIssue, fromIssue } from "#domain/schema/ArgumentIssues"
import { typeName } from "#domain/schema/Expectation"
import { literals, literalTypes } from "#domain/schema/SchemaUnion"
import { cut } from "#domain/text/Cut"
import * as FieldPath from "#domain/text/FieldPath"
import { isConverted, isUnreadText, textForm } from "./ConvertedText.ts"
import { find, general, memberFor, pathOf, type Place, valueAt } from "./FaultPlace.ts"
import * as OtherForm from "./OtherForm.ts"
import * as ValueRange from "./ValueRange.ts"

/** How a value violates its schema. */
type FaultKind =
  /** `null`, which the schema does not allow. */
  | "null"
  /** A required field is absent. */
  | "missing"
  /** A value that the enum does not list. */
  | "enum"
  /** A value of another type. */
  | "type"
  /** A value that violates a bound, a pattern, a format or another rule. */
  | "rule"
  /** A text that a template does not match, or that cannot be converted: `"n/a"` for a date. */
  | "text"
  /** An undeclared field in a closed object. */
  | "excess"
  /** An object whose tag matches no member of the union. */
  | "variant"
  /** An object with none of the declared fields, or a whole value of another type. */
  | "shape"
  /** The whole answer is unreadable: truncated JSON, an HTML or XML page, plain text. */
  | "unreadable"
  /** A key that the guard refuses in any answer: `__proto__`, or `prototype` inside `constructor`. */
  | "refused key"
  /** Unknown: only the path was recorded. */
  | "recorded"

/** One way in which a value violates its schema. */
export interface Fault {
  readonly kind: FaultKind
  /** The path of fields, such as `orders[].cents`; `""` for the whole value. */
  readonly path: string
  /** The place in the schema; absent if the schema has no node for the path. */
  readonly place?: Place
  /** The violation in a few words, without the value: `expected integer, got a number as text`. */
  readonly problem: string
  /** What the schema expects, if the problem is a type or a rule. */
  readonly expected?: string
  /** The form of a value of another type. */
  readonly form?: OtherForm.OtherForm
  /** The value; absent for a missing field. */
  readonly value?: unknown
  /** The range of the value, if `value` contains only its beginning. */
  readonly range?: ValueRange.ValueRange
  /** True if the rule judges a value other than the JSON: for example, the number that a text contains. */
  readonly isConverted?: boolean
}

/** Why a whole answer could not be read. */
type UnreadableReason =
  | "truncated"
  | "an HTML or XML page"
  | "plain text"
  | "invalid JSON"
  | "too large"
  | "empty"
  | "a different value"

/** Returns the fault of an answer that could not be read. `text` is its beginning. */
export const unreadable = (why: UnreadableReason, text: string): Fault => ({
  kind: "unreadable",
  path: "",
  place: [],
  problem: why === "truncated" ? "truncated JSON" : why,
  value: text
})

/** Returns the fault of an answer that `JsonText` could not read. */
export const ofParseError = (error: ParseError, text: string): Fault => {
  const { position, refused } = error
  if (refused === undefined) return unreadable(reasonOf(error), text)
  const path = FieldPath.format(general(refused))
  return { kind: "refused key", path, problem: "a key that is never accepted", value: text.slice(position) }
}

const reasonOf = ({ _tag, looksLike }: ParseError): UnreadableReason => {
  if (_tag === "Truncated") return "truncated"
  if (_tag === "TooLarge" || _tag === "TooDeep") return "too large"
  if (looksLike === "html" || looksLike === "xml") return "an HTML or XML page"
  return looksLike === "empty" ? "empty" : looksLike === undefined ? "invalid JSON" : "plain text"
}

/**
 * Returns the faults of a result for which only the paths of fields were recorded. If there are no paths, returns one
 * fault for the whole result.
 */
export const ofFields = (fields: ReadonlyArray<string>): ReadonlyArray<Fault> =>
  distinct(
    (fields.length === 0 ? [""] : fields).map((field) => ({
      kind: "recorded",
      path: field.replaceAll(/\[\d+\]/g, "[]"),
      problem: "recorded without its value"
    }))
  )

/** Identifies a fault within a tool: faults with equal keys belong to one group. */
export const keyOf = ({ kind, path, place, problem }: Fault): string => JSON.stringify([path, kind, problem, place])

/** The longest text that a fault without a large value keeps, in characters. */
const longestValue = 200

/** Copies the beginning of a text, because a plain slice would keep the whole text in memory. */
const beginning = (text: string): string => ` ${cut(text, longestValue)}`.slice(1)

/** Returns the fault without a large value, whose range is kept. */
export const withoutLargeValue = (fault: Fault): Fault => {
  const { value } = fault
  const range = ValueRange.of(value)
  if (range === undefined || typeof value === "number") return fault
  if (typeof value === "string") return { ...fault, value: beginning(value), range }
  return { ...fault, value: Array.isArray(value) ? [] : {}, range }
}

/** Returns the distinct faults of a result that `schema` refused because of `issue`. */
export const ofResult = (issue: SchemaIssue.Issue, value: unknown, schema: SchemaAST.AST): ReadonlyArray<Fault> => {
  const wholes = new Map<string, boolean>()
  const once = (question: keyof typeof questions, path: Path): boolean => {
    const at = JSON.stringify([question, path.map(String)])
    const known = wholes.get(at) ?? questions[question](schema, value, path)
    wholes.set(at, known)
    return known
  }
  return distinct(
    fromIssue(issue).map((one) => {
      const wrapped = one.path.findIndex((_, index) => once("isWrappedRecord", one.path.slice(0, index)))
      if (wrapped >= 0) return ofShape(schema, value, one.path.slice(0, wrapped))
      const parent = one.path.slice(0, -1)
      return one.code === "missing" && once("hasOtherShape", parent)
        ? ofShape(schema, value, parent)
        : ofIssue(one, value, schema)
    })
  )
}

type Path = ReadonlyArray<PropertyKey>

/** True if an object was sent in place of a record, and its only field contains such a record. */
const isWrappedRecord = (schema: SchemaAST.AST, value: unknown, path: Path): boolean => {
  const object = valueAt(value, path)
  if (!isJsonObject(object)) return false
  const [inner, ...more] = Object.values(object)
  if (more.length > 0) return false
  // an empty object conforms to each record, so it shows nothing
  if (isJsonObject(inner) && Object.keys(inner).length === 0) return false
  const node = find(schema, value, path)?.node
  if (node?._tag !== "Objects" || node.propertySignatures.length > 0) return false
  return OtherForm.of(node, object)._tag === "Wrapped"
}

/** Returns the distinct faults of arguments from their issues. Each missing field is a fault. */
export const ofArguments = (
  issues: ReadonlyArray<ArgumentIssue>,
  value: unknown,
  schema: SchemaAST.AST
): ReadonlyArray<Fault> => distinct(issues.map((issue) => ofIssue(issue, value, schema)))

const distinct = (faults: ReadonlyArray<Fault>): ReadonlyArray<Fault> => {
  // equal faults have equal paths
  if (new Set(faults.map(({ path }) => path)).size === faults.length) return faults
  const found = new Map<string, Fault>()
  for (const fault of faults) {
    const key = keyOf(fault)
    if (!found.has(key)) found.set(key, fault)
  }
  return [...found.values()]
}

/**
 * True if an object has none of the declared fields, and either several of them are required, or the schema is closed
 * and the object has other fields.
 */
const hasOtherShape = (schema: SchemaAST.AST, value: unknown, path: Path): boolean => {
  const object = valueAt(value, path)
  if (!isJsonObject(object)) return false
  const found = find(schema, value, path)
  const node = found === undefined ? undefined : memberFor(found.node, object)
  if (node?._tag !== "Objects") return false
  const { indexSignatures, propertySignatures: declared } = node
  if (declared.some(({ name }) => Object.hasOwn(object, name))) return false
  const required = declared.filter(({ type }) => !SchemaAST.isOptional(type)).length
  return required > 1 || (indexSignatures.length === 0 && Object.keys(object).length > 0)
}

const questions = { isWrappedRecord, hasOtherShape } as const

const placed = (
  schema: SchemaAST.AST,
  value: unknown,
  path: Path
): Pick<Fault, "path" | "place"> & { readonly node?: SchemaAST.AST } => {
  const found = find(schema, value, path)
  if (found === undefined) return { path: FieldPath.format(general(path)) }
  return { path: FieldPath.format(pathOf(found.place)), place: found.place, node: found.node }
}

const ofShape = (schema: SchemaAST.AST, value: unknown, path: Path): Fault => {
  const { node, ...at } = placed(schema, value, path)
  const sent = valueAt(value, path)
  const form = node === undefined ? undefined : OtherForm.of(node, sent)
  const own = { ...at, value: sent }
  if (form === undefined || form._tag === "Type") {
    return { ...own, kind: "shape", problem: "an object with none of the declared fields" }
  }
  return { ...own, kind: "type", problem: `expected object, got ${OtherForm.text(form)}`, expected: "object", form }
}

const ofText = (
  at: Pick<Fault, "path" | "place" | "value">,
  node: SchemaAST.AST,
  message: string | undefined
): Fault => ({
  ...at,
  kind: "text",
  problem: message ?? `expected ${textForm(node)}, got another text`
})

const ofIssue = (issue: ArgumentIssue, value: unknown, schema: SchemaAST.AST): Fault => {
  const { allowed = [], code, expected, message } = issue
  const { node, ...at } = placed(schema, value, issue.path)
  const sent = valueAt(value, issue.path)
  const own = { ...at, value: sent }
  switch (code) {
    case "missing":
      // the missing field is the tag of a union if its values are listed
      return { ...at, kind: allowed.length === 0 ? "missing" : "variant", problem: "missing" }
    case "unexpected":
      return { ...own, kind: "excess", problem: "unknown field" }
    case "enum": {
      const listed = `one of ${allowed.length} values`
      if (sent === null) return { ...own, kind: "null", problem: `expected ${listed}, got null`, expected: listed }
      if (node !== undefined && literals(node)?.length !== allowed.length) {
        return { ...own, kind: "variant", problem: `not ${listed}` }
      }
      const types: ReadonlySet<string> = node === undefined ? new Set(["string"]) : literalTypes(node)
      if (types.has(typeof sent)) return { ...own, kind: "enum", problem: `not ${listed}` }
      const form = { _tag: "Type", type: typeName(sent) ?? "anything" } as const
      return { ...own, kind: "type", problem: `not ${listed}`, expected: listed, form }
    }
    case "type": {
      if (node !== undefined && isUnreadText(node, sent)) return ofText(own, node, message)
      const what = expected ?? "another type"
      if (sent === null) return { ...own, kind: "null", problem: `expected ${what}, got null`, expected: what }
      const form = node === undefined ? undefined : OtherForm.of(node, sent)
      const got = form === undefined ? (issue.got ?? "something else") : OtherForm.text(form)
      const known = form === undefined ? {} : { form }
      // a whole value of the wrong type is unrelated to the schema, unless it contains a value that conforms
      const kind = issue.path.length === 0 && form?._tag === "Type" ? "shape" : "type"
      return { ...own, kind, problem: `expected ${what}, got ${got}`, expected: what, ...known }
    }
    default: {
      if (node !== undefined && isUnreadText(node, sent)) return ofText(own, node, message)
      const rule = message ?? (expected === undefined ? code : `expected ${expected}`)
      return {
        ...own,
        kind: "rule",
        problem: rule,
        ...(expected === undefined ? {} : { expected }),
        ...(node !== undefined && isConverted(node, sent) ? { isConverted: true } : {})
      }
    }
  }
}
