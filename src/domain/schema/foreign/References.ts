/**
 * Turns every local reference of a JSON Schema into a reference to a definition: `#/properties/a/items` and `#` become
 * `#/$defs/…`, the only form that can be compiled.
 */
import type * as JsonSchema from "effect/JsonSchema"
import * as JsonPointer from "#domain/json/JsonPointer"

type Node = Record<string, unknown>

/** Rewrites the references in place. A reference without a target stays, and the compiler reports it. */
export const toDefinitions = (root: JsonSchema.JsonSchema): void => {
  const names = new Map<string, string>()
  const definitions: Node = { ...(root["$defs"] as Node | undefined) }
  for (const holder of referring(root)) {
    const pointer = String(holder["$ref"])
    if (/^#\/\$defs\/[^/]+$/.test(pointer)) continue
    const target = pointer === "#" ? whole(root) : JsonPointer.resolve(root, pointer)
    if (typeof target !== "object" || target === null) continue
    const name = names.get(pointer) ?? nameOf(pointer, definitions)
    names.set(pointer, name)
    definitions[name] = target
    holder["$ref"] = `#/$defs/${name}`
  }
  if (names.size > 0) root["$defs"] = definitions
}

/** Returns the name and the schema of the definition to which a reference leads; `undefined` if there is none. */
export const definitionOf = (
  reference: unknown,
  definitions: Readonly<Node>
): readonly [name: string, schema: unknown] | undefined => {
  const [holder, name = "", ...inner] = JsonPointer.fromReference(String(reference)) ?? []
  return holder === "$defs" && inner.length === 0 && Object.hasOwn(definitions, name)
    ? [name, definitions[name]]
    : undefined
}

/** Returns all nodes that have a reference. */
const referring = (node: unknown, found: Array<Node> = []): ReadonlyArray<Node> => {
  if (typeof node !== "object" || node === null) return found
  if (typeof (node as Node)["$ref"] === "string") found.push(node as Node)
  for (const inner of Object.values(node)) referring(inner, found)
  return found
}

const whole = ({ $defs: _, ...rest }: Node): Node => rest

const nameOf = (pointer: string, taken: Node): string => {
  const base = pointer.replaceAll(/[^A-Za-z0-9]+/g, "_").replaceAll(/^_|_$/g, "") || "Whole"
  let name = base
  for (let n = 2; Object.hasOwn(taken, name); n++) name = `${base}_${n}`
  return name
}
