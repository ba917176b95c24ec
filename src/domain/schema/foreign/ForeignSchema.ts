/**
 * Compiles a JSON Schema from another project to a schema of Effect. A constraint without an equivalent in Effect is
 * omitted and listed, and never guessed.
 *
 * `SchemaRepresentation.fromJsonSchemaDocument` decides which schemas can be imported.
 *
 * **Gotchas**
 *
 * - Patterns run in linear time (`SchemaPatterns`). A pattern that cannot is omitted.
 * - An `integer` beyond 2^53 is refused, because a JavaScript number does not represent it exactly.
 */
import * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaRepresentation from "effect/SchemaRepresentation"
import * as JsonPointer from "#domain/json/JsonPointer"
import { cut } from "#domain/json/ValueDepth"
import { hasAtMost } from "#domain/json/ValueSize"
import { markJsonSchema } from "#domain/schema/SchemaNotation"
import * as ChoiceCost from "./ChoiceCost.ts"
import * as CircularAliases from "./CircularAliases.ts"
import * as Merging from "./MergeCost.ts"
import { toDefinitions } from "./References.ts"
import * as SchemaPatterns from "./SchemaPatterns.ts"
import { maxDepth, type UncheckedConstraint, wellFormed } from "./WellFormedSchema.ts"

export type { UncheckedConstraint } from "./WellFormedSchema.ts"

export interface ForeignSchema {
  readonly schema: Schema.Codec<unknown, unknown>
  /** True if the schema may refuse undeclared fields of an object. */
  readonly isClosing: boolean
  /** Constraints of the schema that are not checked. */
  readonly unchecked: ReadonlyArray<UncheckedConstraint>
}

/** The maximum number of constraints that are omitted. If a schema has more, any value is accepted. */
const maxOmitted = 200

/** The maximum number of keywords and values of a schema. The import of more takes longer than a second. */
const maxParts = 50_000

/** Keywords that limit the fields of an object. Without them any undeclared field is allowed. */
const closing = /"(?:additionalProperties|unevaluatedProperties|patternProperties|propertyNames)"/

/** Keywords whose checks are replaced after the import. */
const isReplacing = /"(?:pattern|patternProperties|uniqueItems)"/

/** The schemas that were compiled last, by their JSON. Operations of an API often share a few schemas. */
const recent = new Map<string, ForeignSchema>()

const maxRecent = 32

/** The length of the longest JSON by which a compiled schema is kept, in characters. */
const longestRecent = 100_000

/** Compiles a schema. Never throws. */
export const compile = (source: unknown): ForeignSchema => {
  const json = jsonOf(source)
  if (json === undefined || json.length > longestRecent) return compiled(source)
  const schema = recent.get(json) ?? compiled(source)
  recent.delete(json)
  recent.set(json, schema)
  for (const oldest of recent.keys()) {
    if (recent.size <= maxRecent) break
    recent.delete(oldest)
  }
  return schema
}

/**
 * Returns the JSON of a schema; `undefined` if the JSON cannot be written or may contain null. JSON writes null for
 * numbers that are not finite and for other values that it cannot represent, so such a text does not identify a schema.
 */
const jsonOf = (source: unknown): string | undefined => {
  const json = Result.getOrUndefined(Result.try((): string | undefined => JSON.stringify(source)))
  return /[:,[]null/.test(String(json)) ? undefined : json
}

const compiled = (source: unknown): ForeignSchema => {
  const unchecked: Array<UncheckedConstraint> = []
  if (!hasAtMost(cut(source, maxDepth), maxParts)) {
    unchecked.push({ pointer: "", reason: `has more than ${maxParts} parts: any value is accepted` })
    // the codec of any JSON value has a narrower type than the compiled schemas
    return { schema: Schema.Json as never, isClosing: false, unchecked }
  }
  const remaining = wellFormed(source, (found) => unchecked.push(found))
  toDefinitions(remaining)
  CircularAliases.omit(remaining, (found) => unchecked.push(found))
  ChoiceCost.omit(remaining, (found) => unchecked.push(found))
  const standIns = SchemaPatterns.replace(remaining, (found) => unchecked.push(found))
  const text = JSON.stringify(remaining)
  const isClosing = closing.test(text)
  if (Merging.isTooCostly(remaining)) {
    unchecked.push({ pointer: "", reason: "its allOf multiplies definitions without limit: any value is accepted" })
    return { schema: Schema.Json as never, isClosing: false, unchecked }
  }
  for (let tries = 0; tries < maxOmitted; tries++) {
    try {
      const document = JsonSchema.fromSchemaDraft2020_12(remaining)
      const imported = SchemaRepresentation.fromJsonSchemaDocument(document, { patterns: "apply" })
      const schema = isReplacing.test(text) ? SchemaPatterns.restore(imported, standIns) : imported
      // A chain of a thousand definitions overflows the stack at the first use of the codec, which is here.
      Schema.toCodecJson(schema)
      markJsonSchema(schema.ast)
      // The type of an imported schema is known only at run time.
      return { schema: schema as never, isClosing, unchecked }
    } catch (error) {
      const omitted = omitFault(remaining, error)
      if (omitted === undefined) break
      unchecked.push({
        pointer: JsonPointer.format(omitted.path.map((part) => standIns.get(part)?.pattern ?? part)),
        reason: omitted.reason
      })
    }
  }
  unchecked.push({ pointer: "", reason: "cannot be compiled: any value is accepted" })
  // This schema accepts any JSON. The type of an imported schema is not known here.
  return { schema: Schema.Json as never, isClosing: false, unchecked }
}

type Path = ReadonlyArray<string>

/**
 * Keywords that Effect imports only without certain others. Effect's error names the schema and not the keyword, and
 * without the keyword the rest of the schema can be imported.
 */
const combined: ReadonlyArray<readonly [reason: string, keyword: string]> = [
  [`Cannot combine typed "additionalProperties"`, "additionalProperties"],
  ["Cannot import this closed patterned object", "additionalProperties"],
  [`Cannot import open "patternProperties"`, "patternProperties"]
]

/**
 * Converts a path in the imported document, which has definitions outside the schema, to a path in the schema. A path
 * into an enum ends at the enum.
 */
const within = ([head, ...rest]: Path): Path => {
  const path = head === "definitions" ? ["$defs", ...rest] : rest
  const values = path.findIndex((part, index) => part === "enum" && !isName(path, index))
  return values < 0 ? path : path.slice(0, values + 1)
}

const named: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs"])

/** True if a part of a path is the name of a schema. A name may be the same as a keyword. */
const isName = (path: Path, index: number): boolean =>
  index > 0 && named.has(path[index - 1] ?? "") && !isName(path, index - 1)

/** Omits the smallest part of a schema that an error names. Returns `undefined` if the error names no part. */
const omitFault = (root: JsonSchema.JsonSchema, error: unknown): Fault | undefined => {
  const fault = faultOf(error)
  if (fault === undefined) return undefined
  const path = pathsOf(fault).find((each) => omit(root, each))
  return path && { path, reason: fault.reason }
}

/** Returns the paths of what may be omitted after a fault, the smallest part first. */
const pathsOf = ({ path, reason }: Fault): ReadonlyArray<Path> => {
  const place = within(path)
  const keyword = combined.find(([begin]) => reason.startsWith(begin))?.[1]
  return keyword === undefined ? [place] : [[...place, keyword], place]
}

interface Fault {
  readonly reason: string
  readonly path: Path
}

/** Reads Effect's error on a failed import: a sentence, and the path as `at ["schema"]["properties"]["a"]`. */
const faultOf = (error: unknown): Fault | undefined => {
  if (!(error instanceof Error)) return undefined
  const found = /^([^]*?)\n\s*at ((?:\["(?:[^"\\]|\\.)*"\]|\[\d+\])+)/.exec(error.message)
  if (found === null) return undefined
  const path = [...(found[2] ?? "").matchAll(/\[("(?:[^"\\]|\\.)*"|\d+)\]/g)].map(([, part]) =>
    String(JSON.parse(part ?? '""'))
  )
  return { reason: (found[1] ?? "").split("\n")[0] ?? "", path }
}

/**
 * Removes a keyword that cannot be imported, or replaces a schema with `{}`. Returns false if the path does not exist.
 */
const omit = (root: JsonSchema.JsonSchema, path: Path): boolean => {
  const last = path.at(-1) ?? ""
  const holder = Object(JsonPointer.valueAt(root, path.slice(0, -1))) as Record<string, unknown>
  if (!Object.hasOwn(holder, last)) return false
  if (Array.isArray(holder) || isName(path, path.length - 1)) holder[last] = {}
  else delete holder[last]
  return true
}
