/**
 * Generates the paths and components of a toolbox's document: the unchanged contracts of the tools, the headers and the
 * problems.
 *
 * **Details**
 *
 * - A contract's `$defs` become components, because `#` refers to the whole document. Different definitions with the
 *   same name get different component names.
 * - `x-toolguard` on an operation states what OpenAPI cannot: the tool's name and access, and whether it accepts a key.
 *   Tools that are imported from the document therefore equal the original tools.
 */
import type { JsonObject } from "#domain/json/JsonObject"
import * as JsonPointer from "#domain/json/JsonPointer"
import * as Contract from "#domain/schema/Contract"
import { print } from "#domain/schema/ContractPrint"
import { compiledOf } from "#pipeline/call/CompiledTool"
import type { AnyTool } from "#src/tool/ToolClass"
import type * as JsonSchema from "effect/JsonSchema"
import type * as Schema from "effect/Schema"
import { extension } from "#src/openapi/document/Extension"
import { conversationHeader, descriptions, idempotencyHeader, turnHeader } from "./RequestHeaders.ts"
import { PartialError, ToolProblem } from "./ProblemBody.ts"
import { meanings } from "./ResponseStatus.ts"
import { pathOf } from "./ToolPath.ts"

type Node = JsonSchema.JsonSchema

/** The parts that replace those in Effect's document. */
interface DocumentParts {
  readonly paths: JsonObject
  readonly components: JsonObject
}

const jsonSchemaOf = (schema: Schema.Top): Node => print(schema.ast, "ignore").jsonSchema2020

/** Describes the tools. */
export const describe = (tools: ReadonlyArray<AnyTool>): DocumentParts => {
  const shared = components()
  const paths = Object.fromEntries(
    tools.map((tool) => [pathOf(tool.toolName), { post: operation(tool, shared.place) }])
  )
  return {
    paths,
    components: {
      schemas: { ToolProblem: jsonSchemaOf(ToolProblem), PartialError: jsonSchemaOf(PartialError), ...shared.schemas },
      responses: Object.fromEntries(
        Object.entries(meanings).map(([status, description]) => [
          `Problem${status}`,
          {
            description,
            headers: status === "503" || status === "429" ? retryAfter : {},
            content: { "application/problem+json": { schema: { $ref: "#/components/schemas/ToolProblem" } } }
          }
        ])
      ),
      parameters: Object.fromEntries(
        Object.entries(descriptions).map(([name, description]) => [
          name,
          { name, in: "header", required: false, description, schema: { type: "string", maxLength: 255 } }
        ])
      )
    }
  }
}

const retryAfter = { "Retry-After": { description: "Seconds to wait.", schema: { type: "integer", minimum: 0 } } }

const header = (name: string): Node => ({ $ref: `#/components/parameters/${name}` })

const operation = (tool: AnyTool, place: (schema: Node) => Node): Node => {
  const { contract, definition } = compiledOf(tool)
  const mode = definition.access === "read" ? "none" : definition.idempotency.mode
  const result = Contract.resultSchema(definition.success).jsonSchema2020
  return {
    operationId: definition.name,
    description: contract.describe(definition.description),
    tags: ["tools"],
    [extension]: {
      tool: definition.name,
      access: definition.access,
      ...(mode === "none" ? {} : { idempotency: "derived" }),
      ...(definition.critical ? { critical: true } : {})
    },
    parameters: [
      ...(mode === "none" ? [] : [header(idempotencyHeader)]),
      header(conversationHeader),
      header(turnHeader),
      header("traceparent")
    ],
    requestBody: {
      required: true,
      content: { "application/json": { schema: place(contract.jsonSchema2020) } }
    },
    responses: {
      200: {
        description: "The envelope of the result.",
        content: { "application/json": { schema: envelope(place(result)) } }
      },
      ...Object.fromEntries(
        Object.keys(meanings).map((status) => [status, { $ref: `#/components/responses/Problem${status}` }])
      )
    }
  }
}

/**
 * Returns the schema of an answer. Further members (`_idempotent`, `used_fallback`, `beside` …) may accompany the data.
 */
const envelope = (data: Node): Node => ({
  type: "object",
  properties: {
    status: { enum: ["success", "partial"] },
    data,
    error: { $ref: "#/components/schemas/PartialError" }
  },
  required: ["status", "data"]
})

/** Collects the components of contracts. `place` inserts a contract into the document. */
const components = () => {
  const schemas: Record<string, Node> = {}
  const taken = new Map<string, string>()
  const nameFor = (preferred: string, text: string): string => {
    const base = preferred.replaceAll(/[^A-Za-z0-9._-]/g, "_") || "Schema"
    let name = base
    for (let n = 2; reserved.has(name) || (taken.has(name) && taken.get(name) !== text); n++) name = `${base}_${n}`
    taken.set(name, text)
    return name
  }
  const place = (schema: Node): Node => {
    const { $defs, ...rest } = schema
    if (typeof $defs !== "object" || $defs === null) return schema
    // the definitions of a contract are schemas
    const definitions = $defs as Readonly<Record<string, Node>>
    // definitions are equal if they and everything that they refer to have the same text
    const texts = new Map(Object.keys(definitions).map((name) => [name, textOf(name, definitions)]))
    const names = new Map([...texts].map(([name, text]) => [name, nameFor(name, text)]))
    const relocated = (node: unknown): unknown => {
      if (Array.isArray(node)) return node.map(relocated)
      if (typeof node !== "object" || node === null) return node
      return Object.fromEntries(
        Object.entries(node).map(([key, value]) => [key, key === "$ref" ? target(value, names) : relocated(value)])
      )
    }
    for (const [name, definition] of Object.entries(definitions)) {
      const placed = names.get(name) ?? name
      // `relocated` returns a schema for a schema
      schemas[placed] = relocated(definition) as Node
    }
    return relocated(rest) as Node // a schema, for the same reason
  }
  return { schemas, place }
}

/** Returns the text of a definition and of those that it refers to. */
const textOf = (name: string, definitions: Readonly<Record<string, Node>>): string => {
  const found = new Map<string, string>()
  const open = [name]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next) || !Object.hasOwn(definitions, next)) continue
    const text = JSON.stringify(definitions[next])
    found.set(next, text)
    for (const [, used = ""] of text.matchAll(/"#\/\$defs\/([^"]*)"/g)) open.push(keyOf(used))
  }
  return JSON.stringify([...found].sort())
}

const reserved: ReadonlySet<string> = new Set(["ToolProblem", "PartialError"])

/** Converts a reference to a definition into a reference to its component. */
const target = (reference: unknown, names: ReadonlyMap<string, string>): unknown => {
  const name = typeof reference === "string" ? /^#\/\$defs\/(.*)$/u.exec(reference)?.[1] : undefined
  if (name === undefined) return reference
  return `#/components/schemas/${names.get(keyOf(name)) ?? name}`
}

/** Returns the key at the end of a reference. */
const keyOf = (part: string): string => JsonPointer.fromReference(`#/${part}`)?.join("/") ?? part
