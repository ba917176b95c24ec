/**
 * Lets the patterns of a foreign JSON Schema run in linear time, although Effect imports patterns as `RegExp`.
 *
 * - Before the import, each pattern is replaced by a stand-in: a fast `RegExp`. For the listed values and the property
 *   names of the schema, which the import tests, it answers like the pattern. It matches all other texts.
 * - After the import, each stand-in is replaced by the pattern, which runs in `ForeignPattern`. The check of unique
 *   items is replaced too, because texts with equal hashes make Effect's check slow.
 * - A pattern that cannot run is omitted and reported. If it names fields (`patternProperties`), the rule for additional
 *   fields is omitted too, because it is not known which fields are additional.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaRepresentation from "effect/SchemaRepresentation"
import { isJsonObject } from "#domain/json/JsonObject"
import * as JsonPointer from "#domain/json/JsonPointer"
import * as Allowance from "#domain/schema/pattern/Allowance"
import * as ForeignPattern from "#domain/schema/pattern/ForeignPattern"
import { isDistinct, schemasIn } from "#domain/schema/json/KeywordValue"
import * as LinearEngine from "#domain/schema/pattern/LinearEngine"
import { character } from "#domain/schema/pattern/CodePoints"
import { rewritten, type UncheckedConstraint } from "./WellFormedSchema.ts"

type Node = Record<string, unknown>

/** A pattern that has a stand-in. */
interface ReplacedPattern {
  readonly pattern: string
  readonly foreign: ForeignPattern.ForeignPattern
}

/** The text of a stand-in, and the length up to which texts are compared with the pattern. */
interface StandIn {
  readonly text: string
  readonly longest: number
}

/** The patterns of a schema, by the text of their stand-ins. */
type StandIns = ReadonlyMap<string, ReplacedPattern>

/** The maximum number of listed values and names that each pattern is compared with, and of their characters. */
const maxListed = 2_000

const maxCharacters = 100_000

/** The length up to which texts should be checked. A pattern that is too large for such texts is reported. */
const usualText = 1_000

/** Replaces the patterns of a well-formed schema in place. `report` receives each pattern that is not enforced. */
export const replace = (root: Node, report: (unchecked: UncheckedConstraint) => void): StandIns => {
  const nodes = nodesOf(root)
  const isPatterned = nodes.some(([node]) => "pattern" in node || isJsonObject(node["patternProperties"]))
  const standIns = new Map<string, ReplacedPattern>()
  if (!isPatterned) return standIns
  if (LinearEngine.load() === undefined) {
    for (const [node] of nodes) omitAll(node)
    report({ pointer: "", reason: LinearEngine.missing })
    return standIns
  }
  const texts = listedTexts(nodes.map(([node]) => node))
  if (texts === undefined) {
    report({
      pointer: "",
      reason: `lists more than ${maxListed} values and names: patterns are not compared with them`
    })
  }
  const allowance = Allowance.make()
  const made = new Map<string, Result.Result<StandIn, string>>()
  const standInOf = (pattern: string): Result.Result<StandIn, string> => {
    const known = made.get(pattern)
    if (known !== undefined) return known
    const standIn = Result.map(ForeignPattern.make(pattern, allowance), (foreign) => {
      const text = textOf(foreign, texts ?? [], standIns.size)
      standIns.set(text, { pattern, foreign })
      return { text, longest: foreign.longest }
    })
    made.set(pattern, standIn)
    return standIn
  }
  const use = (pattern: string, pointer: string): string | undefined => {
    const standIn = standInOf(pattern)
    if (Result.isFailure(standIn)) {
      report({ pointer, reason: standIn.failure })
      return undefined
    }
    const { longest, text } = standIn.success
    if (longest < usualText) report({ pointer, reason: `is checked in texts of at most ${longest} characters only` })
    return text
  }
  for (const [node, pointer] of nodes) {
    if (typeof node["pattern"] === "string") node["pattern"] = use(node["pattern"], `${pointer}/pattern`)
    const named = node["patternProperties"]
    if (!isJsonObject(named)) continue
    const entries = Object.entries(named).flatMap(([pattern, schema]) => {
      const standIn = use(pattern, `${pointer}/patternProperties`)
      return standIn === undefined ? [] : [[standIn, schema] as const]
    })
    if (entries.length < Object.keys(named).length) delete node["additionalProperties"]
    node["patternProperties"] = Object.fromEntries(entries)
  }
  return standIns
}

const omitAll = (node: Node): void => {
  delete node["pattern"]
  if (!Object.hasOwn(node, "patternProperties")) return
  delete node["patternProperties"]
  delete node["additionalProperties"]
}

/** Returns the schema and all schemas in it, each once, with their pointers. */
const nodesOf = (root: Node): ReadonlyArray<readonly [node: Node, pointer: string]> => {
  const found = new Map<object, readonly [node: Node, pointer: string]>()
  const visit = (value: unknown, pointer: string): void => {
    if (!isJsonObject(value) || found.has(value)) return
    // `wellFormed` has made the copy that is changed here.
    const node = value as Node
    found.set(value, [node, pointer])
    for (const [keyword, kind] of rewritten) {
      if (!Object.hasOwn(node, keyword)) continue
      for (const [schema, path] of schemasIn(kind, node[keyword])) {
        visit(schema, `${pointer}${JsonPointer.format([keyword, ...path])}`)
      }
    }
  }
  visit(root, "")
  return [...found.values()]
}

/** Returns the texts that a schema lists; `undefined` if there are too many. */
const listedTexts = (nodes: ReadonlyArray<Node>): ReadonlyArray<string> | undefined => {
  const texts = new Set<string>()
  let characters = 0
  for (const node of nodes) {
    const { const: constant, enum: values, properties, required } = node
    const lists = [[constant], values, required, isJsonObject(properties) ? Object.keys(properties) : []]
    for (const text of lists.flat()) {
      if (typeof text !== "string" || texts.has(text)) continue
      texts.add(text)
      characters += text.length
      if (texts.size > maxListed || characters > maxCharacters) return undefined
    }
  }
  return [...texts]
}

/** Writes the stand-in of a pattern: it excludes the listed texts that do not match. `id` makes the text unique. */
const textOf = (foreign: ForeignPattern.ForeignPattern, texts: ReadonlyArray<string>, id: number): string => {
  const refused = texts.filter((text) => foreign.test(text) === false).map((text) => [...text].map(escaped).join(""))
  return `^${refused.length === 0 ? "" : `(?!(?:${refused.join("|")})$)`}(?:${id}){0}`
}

const escaped = (one: string): string => character(one.codePointAt(0) ?? 0).replace("\\x", "\\u")

/** Replaces the stand-ins in an imported schema with their patterns. */
export const restore = (schema: Schema.Top, standIns: StandIns): Schema.Top =>
  SchemaRepresentation.fromRepresentation(SchemaRepresentation.toRepresentation(schema.ast), {
    revivers: [...imported, uniqueItems, patternOf(standIns)]
  })

/** The checks and types that Effect's import produces, except those that are replaced. */
const imported: ReadonlyArray<SchemaRepresentation.AnyReviver> = [
  SchemaRepresentation.JsonReviver,
  SchemaRepresentation.isFiniteReviver,
  SchemaRepresentation.isIntReviver,
  SchemaRepresentation.isGreaterThanReviver,
  SchemaRepresentation.isGreaterThanOrEqualToReviver,
  SchemaRepresentation.isLessThanReviver,
  SchemaRepresentation.isLessThanOrEqualToReviver,
  SchemaRepresentation.isMultipleOfReviver,
  SchemaRepresentation.isMinLengthReviver,
  SchemaRepresentation.isMaxLengthReviver,
  SchemaRepresentation.isMinCodePointsReviver,
  SchemaRepresentation.isMaxCodePointsReviver,
  SchemaRepresentation.isMinPropertiesReviver,
  SchemaRepresentation.isMaxPropertiesReviver,
  SchemaRepresentation.isPropertyNamesReviver
]

const uniqueItems = SchemaRepresentation.makeReviverFilter("effect/schema/isUnique", Schema.Null, () =>
  Schema.makeFilter<ReadonlyArray<unknown>>((items) => isDistinct(items), {
    expected: "an array with unique items",
    toJsonSchema: () => ({ uniqueItems: true })
  })
)

const patternOf = (standIns: StandIns): SchemaRepresentation.AnyReviver =>
  SchemaRepresentation.makeReviverFilter(
    "effect/schema/isPattern",
    Schema.Struct({ source: Schema.String, flags: Schema.String }),
    ({ payload }) => {
      // every pattern of the imported schema is a stand-in
      const { foreign, pattern } = standIns.get(payload.source)!
      const { source } = new RegExp(pattern, "u")
      return Schema.makeFilter<string>((text) => foreign.test(text) !== false, {
        expected: `a string matching the RegExp ${source}`,
        toJsonSchema: () => ({ pattern })
      })
    }
  )
