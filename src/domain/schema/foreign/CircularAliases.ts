/**
 * Removes references that lead a definition back to itself for the same value: `A: { $ref: "#/$defs/A" }`, or
 * `A: { anyOf: [{ $ref: "#/$defs/A" }, …] }`. Checking such a definition would never end. A definition that refers to
 * itself for a part of the value, such as a list of itself, stays.
 */
import * as JsonPointer from "#domain/json/JsonPointer"
import { isJsonObject } from "#domain/json/JsonObject"
import { definitionOf } from "./References.ts"
import type { UncheckedConstraint } from "./WellFormedSchema.ts"

type Node = Record<string, unknown>

/** A reference that applies to the same value as the definition that contains it. */
interface Reference {
  readonly name: string
  /** What is removed if the reference closes a circle, so that the schema accepts more values and never fewer. */
  readonly part: Part
}

/** Keywords of a schema that are removed together. */
interface Part {
  readonly holder: Node
  readonly keywords: ReadonlyArray<string>
  readonly pointer: string
}

/** Keywords whose schemas apply to the same value. */
const applied = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"]
const inverting: { readonly [keyword: string]: ReadonlyArray<string> } = {
  oneOf: ["oneOf"],
  not: ["not"],
  if: ["if", "then", "else"]
}

/** Removes the references in place, and reports each. References must point to `$defs`. Takes linear time. */
export const omit = (root: Node, report: (unchecked: UncheckedConstraint) => void): void => {
  const definitions = isJsonObject(root["$defs"]) ? root["$defs"] : {}
  const state = new Map<string, "open" | "done">()
  for (const start of Object.keys(definitions)) {
    if (state.has(start)) continue
    const path = [opened(start, definitions)]
    state.set(start, "open")
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const reference = last.references.pop()
      if (reference === undefined) {
        state.set(last.name, "done")
        path.pop()
      } else if (state.get(reference.name) === "open") {
        const { holder, keywords, pointer } = reference.part
        for (const keyword of keywords) delete holder[keyword]
        report({ pointer, reason: `Definition "${reference.name}" is a circular alias.` })
      } else if (!state.has(reference.name)) {
        state.set(reference.name, "open")
        path.push(opened(reference.name, definitions))
      }
    }
  }
}

interface OpenDefinition {
  readonly name: string
  /** The references that were not followed yet. */
  readonly references: Array<Reference>
}

const opened = (name: string, definitions: Readonly<Node>): OpenDefinition => {
  const references: Array<Reference> = []
  const open: Array<readonly [node: unknown, pointer: string, part?: Part | undefined]> = [
    [definitions[name], `/$defs/${JsonPointer.escape(name)}`]
  ]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, pointer, outer] = next
    if (!isJsonObject(node)) continue
    const holder = node as Node
    const to = definitionOf(node["$ref"], definitions)
    if (to !== undefined) {
      references.push({ name: to[0], part: outer ?? { holder, keywords: ["$ref"], pointer: `${pointer}/$ref` } })
    }
    for (const keyword of applied) {
      const place = `${pointer}/${keyword}`
      const keywords = inverting[keyword]
      const part = outer ?? (keywords === undefined ? undefined : { holder, keywords, pointer: place })
      const members = node[keyword]
      if (Array.isArray(members)) members.forEach((each, at) => open.push([each, `${place}/${at}`, part]))
      else open.push([members, place, part])
    }
  }
  return { name, references }
}
