/**
 * Gives each object, and each union that a field tells apart, a name: what it is called where it was found, else what its
 * first id is of, else what the tool is about.
 */
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { children, type FieldsKind, type Kind, type Place } from "./Shape.ts"
import * as Words from "./Words.ts"

type EitherKind = Extract<Kind, { readonly _tag: "Either" }>

export type NamedKind = FieldsKind | EitherKind

const verbs =
  /^(?:get|list|search|find|fetch|query|read|load|lookup|look|show|view|describe|check|count|calculate|compute|create|add|new|make|insert|write|update|edit|modify|change|set|put|patch|upsert|delete|remove|cancel|book|send|run|execute|call|start|stop|open|close|resume|suspend|enable|disable|retrieve|browse|scan|extract|generate)$/

/** What a tool is about: `get_bills_for_customer` is about bills. */
const topic = (tool: string): string => {
  const [first = "", ...rest] = Words.parts(tool)
  const about = rest.length > 0 && verbs.test(first.toLowerCase()) ? rest : [first, ...rest]
  const end = about.findIndex((part, index) => index > 0 && /^(?:by|for|in|of|with|from|to|at|on)$/i.test(part))
  const main = (end < 0 ? about : about.slice(0, end)).filter((part) => !/^(?:all|details?|info|data)$/i.test(part))
  return (main.length === 0 ? about : main).join("_")
}

/** What the first id of an object is of: `line_id` makes it a line. */
const identified = (object: JsonObject): string => {
  const [first = ""] = Object.keys(object)
  return (
    /^(?:(.+)_id|(.*[a-z])Id)$/
      .exec(first)
      ?.slice(1)
      .find((part) => part !== undefined) ?? ""
  )
}

/** The most frequent of some names, then the shortest, then the first in the alphabet. */
const favourite = (names: ReadonlyArray<string>): string => {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  const [best] = [...counts].sort(
    ([one, a], [other, b]) => b - a || one.length - other.length || (one < other ? -1 : 1)
  )
  return best?.[0] ?? ""
}

/** What objects are called that were found at some places, within something of another name. */
const called = (places: ReadonlyArray<Place>, { value }: { readonly value: JsonObject }, within: string): string => {
  const fields = places.filter(({ of }) => of === "field").map(({ name }) => Words.singular(name))
  const telling = fields.filter((name) => !Words.isVague(name) && Words.pascal(name) !== "")
  if (telling.length > 0) return Words.pascal(favourite(telling))
  const own = Words.pascal(identified(value))
  if (own !== "") return own
  const [field] = fields
  if (field !== undefined) return within + Words.pascal(field)
  return favourite(places.map(({ name }) => Words.pascal(Words.singular(topic(name))))) || "Answer"
}

/** Names that a module does not take. */
const reserved = ["Schema", "PythonRepr", "Array", "Boolean", "Date", "Error", "Map", "Number", "Object", "Promise"]

/** Whether texts are decoded somewhere inside. */
const decodes = (kind: Kind): boolean => kind._tag === "Held" || children(kind).some(({ kind }) => decodes(kind))

/** Names of what one module defines, each once. */
export class Names {
  readonly #taken = new Set([...reserved, "Record", "Set", "String", "Symbol"])
  readonly #names = new Map<NamedKind, string>()
  readonly #loops = new Map<object, { readonly name: string; readonly isDecoded: boolean }>()

  /** The name that something has. */
  of(kind: NamedKind): string | undefined {
    return this.#names.get(kind)
  }

  /** The name of the struct that holds itself. */
  again(loop: object): string {
    return this.#loops.get(loop)?.name ?? "Schema.Json"
  }

  /** The type of the schema of a struct that holds itself. Where texts are decoded its encoded side is another. */
  codec(loop: object): string {
    const isDecoded = this.#loops.get(loop)?.isDecoded === true
    return `Schema.Codec<${this.again(loop)}${isDecoded ? ", unknown" : ""}>`
  }

  /** Gives an object a name that is taken for it. */
  set(kind: NamedKind, name: string): void {
    this.#names.set(kind, name)
    if (kind._tag === "Fields" && kind.loop !== undefined)
      this.#loops.set(kind.loop, { name, isDecoded: decodes(kind) })
  }

  /** Takes a name, or one like it that is free. */
  take(...wanted: ReadonlyArray<string>): string {
    const [first = "Answer"] = wanted
    let name = wanted.find((each) => !this.#taken.has(each)) ?? first
    for (let count = 2; this.#taken.has(name); count++) name = `${first}${count}`
    this.#taken.add(name)
    return name
  }

  /** Names an object. */
  fields(kind: FieldsKind, places: ReadonlyArray<Place>, within: string): string {
    const [sample = { value: {} }] = kind.samples
    const name = called(places, sample, within)
    const variant = kind.by === undefined ? undefined : kind.properties.find((each) => each.name === kind.by)
    const [[value] = [""]] = variant?.shape.kind._tag === "Text" ? variant.shape.kind.values : []
    const full = Words.pascal(value) + name
    const taken = this.take(full, within + full)
    this.set(kind, taken)
    return taken
  }

  /** Names a union of objects, by what its members are called without their own value. */
  either(kind: EitherKind, places: ReadonlyArray<Place>, within: string): string {
    const name = called(places, { value: {} }, within)
    const taken = this.take(name, within + name)
    this.set(kind, taken)
    return taken
  }
}
