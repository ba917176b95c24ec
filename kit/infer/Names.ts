/**
 * Names objects and discriminated unions after the field that contains them. If the field's name is vague or there is
 * no field, they are named after their first field if it is an id, otherwise after the parent and the field, or after
 * the subject of the tool.
 */
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { children, type FieldsKind, type Kind, type Place } from "./Shape.ts"
import * as FieldNames from "./FieldNames.ts"

type EitherKind = Extract<Kind, { readonly _tag: "Either" }>

/** A kind that has a separate definition in the module. */
type NamedKind = FieldsKind | EitherKind

const verbs =
  /^(?:get|list|search|find|fetch|query|read|load|lookup|look|show|view|describe|check|count|calculate|compute|create|add|new|make|insert|write|update|edit|modify|change|set|put|patch|upsert|delete|remove|cancel|book|send|run|execute|call|start|stop|open|close|resume|suspend|enable|disable|retrieve|browse|scan|extract|generate)$/

/** Returns the subject of a tool: `bills` for `get_bills_for_customer`. */
const topic = (tool: string): string => {
  const [first = "", ...rest] = FieldNames.parts(tool)
  const about = rest.length > 0 && verbs.test(first.toLowerCase()) ? rest : [first, ...rest]
  const end = about.findIndex((part, index) => index > 0 && /^(?:by|for|in|of|with|from|to|at|on)$/i.test(part))
  const main = (end < 0 ? about : about.slice(0, end)).filter((part) => !/^(?:all|details?|info|data)$/i.test(part))
  return (main.length === 0 ? about : main).join("_")
}

/** Returns the name in an object's first field if the field is an id: `line` for `line_id`. Otherwise returns `""`. */
const idSubject = (object: JsonObject): string => {
  const [first = ""] = Object.keys(object)
  return (
    /^(?:(.+)_id|(.*[a-z])Id)$/
      .exec(first)
      ?.slice(1)
      .find((part) => part !== undefined) ?? ""
  )
}

/**
 * Returns the most frequent name. Among equally frequent names, returns the shortest, then the first in the alphabet.
 */
const mostFrequent = (names: ReadonlyArray<string>): string => {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  const [best] = [...counts].sort(
    ([one, a], [other, b]) => b - a || one.length - other.length || (one < other ? -1 : 1)
  )
  return best?.[0] ?? ""
}

/** Returns a name for objects that were found at these places. `within` is the name of their parent. */
const nameFor = (places: ReadonlyArray<Place>, { value }: { readonly value: JsonObject }, within: string): string => {
  const fields = places.filter(({ of }) => of === "field").map(({ name }) => FieldNames.singular(name))
  const specific = fields.filter((name) => !FieldNames.isVague(name) && FieldNames.pascal(name) !== "")
  if (specific.length > 0) return FieldNames.pascal(mostFrequent(specific))
  const own = FieldNames.pascal(idSubject(value))
  if (own !== "") return own
  const [field] = fields
  if (field !== undefined) return within + FieldNames.pascal(field)
  return mostFrequent(places.map(({ name }) => FieldNames.pascal(FieldNames.singular(topic(name))))) || "Answer"
}

/** Names that a definition must not have. */
const reserved = ["Schema", "PythonRepr", "Array", "Boolean", "Date", "Error", "Map", "Number", "Object", "Promise"]

/** True if a shape decodes texts at any depth. */
const decodes = (kind: Kind): boolean => kind._tag === "Held" || children(kind).some(({ kind }) => decodes(kind))

/** Assigns unique names to the definitions of one module. */
export class Names {
  readonly #taken = new Set([...reserved, "Record", "Set", "String", "Symbol"])
  readonly #names = new Map<NamedKind, string>()
  readonly #loops = new Map<object, { readonly name: string; readonly isDecoded: boolean }>()

  /** Returns the name of an object or a union, if a name was assigned. */
  of(kind: NamedKind): string | undefined {
    return this.#names.get(kind)
  }

  /** Returns the name of a recursive struct. */
  ofLoop(loop: object): string {
    return this.#loops.get(loop)?.name ?? "Schema.Json"
  }

  /** Returns the type of a recursive struct's schema. The encoded side is `unknown` if the struct decodes texts. */
  codec(loop: object): string {
    const isDecoded = this.#loops.get(loop)?.isDecoded === true
    return `Schema.Codec<${this.ofLoop(loop)}${isDecoded ? ", unknown" : ""}>`
  }

  /** Assigns a name that `reserve` returned. */
  set(kind: NamedKind, name: string): void {
    this.#names.set(kind, name)
    if (kind._tag === "Fields" && kind.loop !== undefined)
      this.#loops.set(kind.loop, { name, isDecoded: decodes(kind) })
  }

  /** Reserves and returns the first free name. If no name is free, appends a number to the first name. */
  reserve(...candidates: ReadonlyArray<string>): string {
    const [first = "Answer"] = candidates
    let name = candidates.find((each) => !this.#taken.has(each)) ?? first
    for (let count = 2; this.#taken.has(name); count++) name = `${first}${count}`
    this.#taken.add(name)
    return name
  }

  /** Reserves a name for an object. */
  fields(kind: FieldsKind, places: ReadonlyArray<Place>, within: string): string {
    const [sample = { value: {} }] = kind.samples
    const name = nameFor(places, sample, within)
    const variant = kind.by === undefined ? undefined : kind.properties.find((each) => each.name === kind.by)
    const [[value] = [""]] = variant?.shape.kind._tag === "Text" ? variant.shape.kind.values : []
    const full = FieldNames.pascal(value) + name
    const taken = this.reserve(full, within + full)
    this.set(kind, taken)
    return taken
  }

  /** Reserves a name for a union: the name of its members without the value of the discriminator. */
  either(kind: EitherKind, places: ReadonlyArray<Place>, within: string): string {
    const name = nameFor(places, { value: {} }, within)
    const taken = this.reserve(name, within + name)
    this.set(kind, taken)
    return taken
  }
}
