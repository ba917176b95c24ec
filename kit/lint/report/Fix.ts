/**
 * Corrects faults in the text of a JSON list if the correction is certain. All other characters stay unchanged.
 *
 * - Type names of other languages (`dict`, `float`, `str`) are replaced by JSON Schema types. The type `any` is
 *   removed.
 * - Parameter objects that declare properties are closed, unless their description mentions other properties. A model
 *   may then send only declared properties.
 *
 * Suppressed findings and disabled rules are not corrected. Results (`outputSchema`) are not changed, because clients validate
 * responses against them. A corrected text needs no further correction.
 */
import * as JsonPointer from "effect-toolguard/internal/domain/json/JsonPointer"
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as JsonDocument from "#kit/lint/reading/JsonDocument"
import type { Finding } from "#kit/lint/Lint"
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
      const edit =
        finding.rule === "additional-properties"
          ? closed(text, root, document, finding.pointer)
          : finding.rule === "schema-valid"
            ? typed(text, root, document, finding.pointer)
            : undefined
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

/** Matches words with which descriptions mention undeclared properties. */
const otherProperties =
  /\b(?:additional|arbitrary|any other|other|extra|custom|further|dynamic|free-?form|key-value|any (?:number|set) of)\b/iu

const closed = (
  text: string,
  root: JsonDocument.Node,
  document: unknown,
  pointer: JsonPointer.JsonPointer
): Change | undefined => {
  const schema = JsonPointer.valueAt(document, pointer)
  const node = JsonDocument.nodeAt(root, pointer)
  const last = node?.children.at(-1)
  if (!isJsonObject(schema) || node?.kind !== "object" || last === undefined) return undefined
  const { additionalProperties, allOf, description, $ref } = schema
  if (additionalProperties !== undefined || allOf !== undefined || $ref !== undefined) return undefined
  if (typeof description === "string" && otherProperties.test(description)) return undefined
  if (isExtended(document, pointer)) return undefined
  const [first] = node.children
  const before = text.slice(node.start + 1, first?.nameStart)
  const isSpaced = /:\s/u.test(text.slice(first?.nameEnd, first?.value.start))
  const lineBreak = before.includes("\r\n") ? "\r\n" : "\n"
  const gap = before.includes("\n") ? lineBreak + before.slice(before.lastIndexOf("\n") + 1) : isSpaced ? " " : ""
  const at = last.value.end
  return {
    start: at,
    end: at,
    text: `,${gap}"additionalProperties":${isSpaced ? " " : ""}false`,
    change: 'added "additionalProperties": false'
  }
}

/** True if a definition may be part of an `allOf`, which may add properties to the definition. */
const isExtended = (document: unknown, pointer: JsonPointer.JsonPointer): boolean => {
  const at = pointer.findIndex((part) => part === "$defs" || part === "definitions")
  return at >= 0 && JSON.stringify(JsonPointer.valueAt(document, pointer.slice(0, at))).includes('"allOf"')
}

const typed = (
  text: string,
  root: JsonDocument.Node,
  document: unknown,
  pointer: JsonPointer.JsonPointer
): Change | undefined => {
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
