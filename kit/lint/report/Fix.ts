/**
 * Corrects faults in the text of a JSON list if the correction is certain. All other characters stay unchanged.
 *
 * - Type names of other languages (`dict`, `float`, `str`) are replaced by JSON Schema types. The type `any` is
 *   removed.
 * - Parameter objects that declare properties are closed, unless their description mentions other properties. A model
 *   may then send only declared properties.
 * - Misspelt keywords (`maxlength`, `requried`) are renamed if the value fits the keyword, the keyword is absent, and
 *   the schema still allows values. A keyword that contains schemas is not renamed, except `additionalProperties` with
 *   a boolean.
 * - The idempotency key gets the `minLength` that its rule asks for, unless another keyword may contradict it.
 * - A key that appears twice with equal values is written once.
 *
 * Suppressed findings and disabled rules are not corrected. Results (`outputSchema`) are not changed, because clients validate
 * responses against them. A corrected text needs no further correction.
 */
import * as JsonPointer from "effect-toolguard/internal/domain/json/JsonPointer"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as JsonDocument from "#kit/lint/reading/JsonDocument"
import type { Finding } from "#kit/lint/Lint"
import { isOf } from "effect-toolguard/internal/domain/schema/json/KeywordValue"
import { kindOf } from "effect-toolguard/internal/domain/schema/json/Keywords"
import { minLengthIn } from "#kit/lint/rules/IdempotencyKeyShape"
import { meantBy } from "#kit/lint/rules/KeywordUnknown"
import { isType, typeNamed } from "effect-toolguard/internal/domain/schema/json/Types"

/** A change of a text. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly finding: Finding
  /** Describes the change to people. */
  readonly change: string
}

/** Returns the edits of a text, in the order of their positions. */
export const edits = (text: string, findings: ReadonlyArray<Finding>): ReadonlyArray<Edit> => {
  const root = JsonDocument.parse(text)
  const document: unknown = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
  return findings
    .flatMap((finding): ReadonlyArray<Edit> => {
      const edit = corrections[finding.rule]?.({ text, root, document }, finding.pointer, finding.message)
      return edit === undefined ? [] : [{ ...edit, finding }]
    })
    .sort((a, b) => a.start - b.start || a.end - b.end)
}

/** Applies edits to a text. */
export const apply = (text: string, changes: ReadonlyArray<Edit>): string => {
  let out = ""
  let at = 0
  for (const { end, start, text: replacement } of changes) {
    if (start < at) continue
    out += text.slice(at, start) + replacement
    at = end
  }
  return out + text.slice(at)
}

type Change = Omit<Edit, "finding">

/** A text with the positions of its parts, and its parsed value. */
interface Source {
  readonly text: string
  readonly root: JsonDocument.Node
  readonly document: unknown
}

type Correction = (source: Source, pointer: JsonPointer.JsonPointer, message: string) => Change | undefined

/** Matches words with which descriptions mention undeclared properties. */
const otherProperties =
  /\b(?:additional|arbitrary|any other|other|extra|custom|further|dynamic|free-?form|key-value|any (?:number|set) of)\b/iu

const closed: Correction = ({ document, root, text }, pointer) => {
  const schema = JsonPointer.valueAt(document, pointer)
  const node = JsonDocument.nodeAt(root, pointer)
  const last = node?.children.at(-1)
  if (!isJsonObject(schema) || node?.kind !== "object" || last === undefined) return undefined
  const { additionalProperties, allOf, description, $ref } = schema
  if (additionalProperties !== undefined || allOf !== undefined || $ref !== undefined) return undefined
  if (typeof description === "string" && otherProperties.test(description)) return undefined
  if (isExtended(document, pointer)) return undefined
  const misspelt = Object.keys(schema).filter((name) => kindOf(name) === undefined)
  if (misspelt.some((name) => containsSchemas(meantBy(name)))) return undefined
  return added(text, node, last.value.end, "additionalProperties", "false")
}

/** Adds a member after the last member of an object, in the layout of the object. */
const added = (text: string, node: JsonDocument.Node, at: number, name: string, value: string): Change => {
  const [first] = node.children
  const before = text.slice(node.start + 1, first?.nameStart)
  const isSpaced = /:\s/u.test(text.slice(first?.nameEnd, first?.value.start))
  const lineBreak = before.includes("\r\n") ? "\r\n" : "\n"
  const gap = before.includes("\n") ? lineBreak + before.slice(before.lastIndexOf("\n") + 1) : isSpaced ? " " : ""
  const member = `"${name}":${isSpaced ? " " : ""}${value}`
  return { start: at, end: at, text: `,${gap}${member}`, change: `added "${name}": ${value}` }
}

/** True for a keyword whose value is a schema or contains schemas. */
const containsSchemas = (keyword: string | undefined): boolean =>
  keyword !== undefined && (kindOf(keyword) ?? "").startsWith("schema")

/** True if a definition may be part of an `allOf`, which may add properties to the definition. */
const isExtended = (document: unknown, pointer: JsonPointer.JsonPointer): boolean => {
  const at = pointer.findIndex((part) => part === "$defs" || part === "definitions")
  return at >= 0 && JSON.stringify(JsonPointer.valueAt(document, pointer.slice(0, at))).includes('"allOf"')
}

const typed: Correction = ({ document, root }, pointer) => {
  if (pointer.at(-1) !== "type" || pointer.includes("outputSchema")) return undefined
  const value = JsonPointer.valueAt(document, pointer)
  const schema = JsonDocument.nodeAt(root, pointer.slice(0, -1))
  const index = schema?.children.findLastIndex(({ key }) => key === "type") ?? -1
  const member = schema?.children[index]
  if (schema === undefined || member === undefined || typeof value !== "string" || isType(value)) return undefined
  const type = typeNamed(value)
  if (type !== undefined) {
    return {
      start: member.value.start,
      end: member.value.end,
      text: JSON.stringify(type),
      change: `changed the type ${JSON.stringify(value)} to ${type}`
    }
  }
  if (value !== "any") return undefined
  const [before, after] = [schema.children[index - 1], schema.children[index + 1]]
  const start = after === undefined ? (before?.value.end ?? member.nameStart) : member.nameStart
  const end = after === undefined ? member.value.end : after.nameStart
  return { start, end, text: "", change: 'removed the type "any"' }
}

const renamed: Correction = ({ document, root }, pointer) => {
  const [name, at] = [String(pointer.at(-1)), pointer.slice(0, -1)]
  const schema = JsonPointer.valueAt(document, at)
  const members = JsonDocument.nodeAt(root, at)?.children.filter(({ key }) => key === name) ?? []
  const [keyword, [member, second]] = [meantBy(name), members]
  if (!isJsonObject(schema) || keyword === undefined || member === undefined || second !== undefined) return undefined
  const others = Object.keys(schema).filter((other) => other !== name)
  if (others.some((other) => other === keyword || meantBy(other) === keyword)) return undefined
  if (!isRenamable(keyword, schema[name]) || isContradicted(keyword, schema[name], schema)) return undefined
  return {
    start: member.nameStart,
    end: member.nameEnd,
    text: JSON.stringify(keyword),
    change: `changed ${JSON.stringify(name)} to "${keyword}"`
  }
}

/** True if a keyword may have a value, and does not change how other parts of the schema are read. */
const isRenamable = (keyword: string, value: unknown): boolean => {
  const kind = kindOf(keyword)
  if (keyword === "additionalProperties") return typeof value === "boolean"
  return kind !== undefined && keyword !== "type" && !containsSchemas(keyword) && isOf(kind, value)
}

/** True if a schema with the keyword would allow no value, or require a property that it does not declare. */
const isContradicted = (keyword: string, value: unknown, schema: JsonObject): boolean => {
  if (keyword === "required") {
    const { properties } = schema
    return (
      !isJsonObject(properties) || !(value as ReadonlyArray<string>).every((name) => Object.hasOwn(properties, name))
    ) // `isOf` checked it
  }
  if ("const" in schema || "enum" in schema) return keyword !== "description" && keyword !== "title"
  const rest = keyword.slice(3)
  const [least, most] = keyword.startsWith("min") ? [value, schema[`max${rest}`]] : [schema[`min${rest}`], value]
  return typeof least === "number" && typeof most === "number" && least > most
}

/** Keywords that a minimum length may contradict, or with which it may allow no key. */
const delicate = new Set([
  "$ref",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "enum",
  "const",
  "pattern",
  "format",
  "default"
])

const lengthened: Correction = ({ document, root, text }, pointer, message) => {
  const least = minLengthIn(message)
  const schema = JsonPointer.valueAt(document, pointer)
  const node = JsonDocument.nodeAt(root, pointer)
  const last = node?.children.at(-1)
  if (least === undefined || !isJsonObject(schema) || node === undefined || last === undefined) return undefined
  const { maxLength, minLength, type } = schema
  const isShort = maxLength !== undefined && !(typeof maxLength === "number" && maxLength >= least)
  const isDelicate = Object.keys(schema).some((name) => delicate.has(meantBy(name) ?? name))
  if (type !== "string" || isShort || isDelicate) return undefined
  const stated = node.children.filter(({ key }) => (meantBy(String(key)) ?? key) === "minLength")
  if (stated.length === 0) return added(text, node, last.value.end, "minLength", String(least))
  const [member, second] = stated
  if (second !== undefined || member?.key !== "minLength" || typeof minLength !== "number") return undefined
  const { end, start } = member.value
  return { start, end, text: String(least), change: `changed "minLength" from ${minLength} to ${least}` }
}

const deduplicated: Correction = ({ root, text }, pointer) => {
  const children = JsonDocument.nodeAt(root, pointer.slice(0, -1))?.children ?? []
  const [first, second, third] = children.filter(({ key }) => key === pointer.at(-1))
  const next = first === undefined ? undefined : children[children.indexOf(first) + 1]
  if (first === undefined || second === undefined || third !== undefined || next === undefined) return undefined
  const [one, other] = [first, second].map(({ value }) => text.slice(value.start, value.end))
  if (one !== other) return undefined
  return {
    start: first.nameStart,
    end: next.nameStart,
    text: "",
    change: `removed one of two equal ${JSON.stringify(String(first.key))}`
  }
}

/** The correction of each rule whose findings can be corrected. */
const corrections: Readonly<Record<string, Correction>> = {
  "additional-properties": closed,
  "schema-valid": typed,
  "keyword-unknown": renamed,
  "idempotency-key-shape": lengthened,
  "duplicate-key": deduplicated
}
