/**
 * Reads the operations of a document: method, path, parameters (including those of the path), and the pointer of each.
 */
import type { Access } from "#domain/tool/Access"
import * as JsonPointer from "#domain/json/JsonPointer"
import * as Result from "effect/Result"
import { extension } from "./Extension.ts"
import { type Document, follow, type Place, text, type UnsupportedPart } from "./Document.ts"
import { field, isJsonObject, type JsonObject } from "#domain/json/JsonObject"

const methods = ["get", "put", "post", "delete", "head", "patch"] as const
export type Method = (typeof methods)[number]

const unsupportedMethods: Readonly<Record<string, string>> = {
  options: "OPTIONS describes the server and does not become a tool.",
  trace: "TRACE echoes the request and does not become a tool.",
  query: "The method QUERY is not supported.",
  additionalOperations: "Additional methods are not supported."
}

/** The `x-toolguard` extension of an operation. */
interface Extension {
  /** The name of the guarded tool that the operation calls: answers are envelopes, and problems contain the failure. */
  readonly tool: string | undefined
  readonly access: Access | undefined
  readonly idempotency: boolean
  readonly critical: boolean
}

export interface Operation {
  readonly method: Method
  readonly path: string
  readonly pointer: string
  readonly node: JsonObject
  readonly operationId: string | undefined
  readonly summary: string
  readonly description: string
  readonly isDeprecated: boolean
  readonly tags: ReadonlyArray<string>
  /** Its own and its path's parameters, with resolved references and their pointers. */
  readonly parameters: ReadonlyArray<Place>
  /** Its own servers, or its path's. Undefined for the servers of the document. */
  readonly servers: Place | undefined
  readonly extension: Extension
}

/** The maximum number of operations that are read. Each takes about a millisecond and 50 KB. */
const maxOperations = 2_000

/** Returns the operations that `isChosen` accepts, in the order of `all`, up to the limit. */
export const chosen = (
  document: Document,
  report: (unsupported: UnsupportedPart) => void,
  isChosen: (operation: Operation) => boolean
): ReadonlyArray<Operation> => {
  const found = all(document, report).filter(isChosen)
  if (found.length > maxOperations) {
    const reason = `It has ${found.length} operations: only the first ${maxOperations} are read. Choose others with \`include\`.`
    report({ pointer: "/paths", reason })
  }
  return found.slice(0, maxOperations)
}

/** Returns all operations: paths in the order of the document, and the operations of a path in that of `methods`. */
const all = (document: Document, report: (unsupported: UnsupportedPart) => void): ReadonlyArray<Operation> => {
  for (const name of Object.keys(isJsonObject(document.root["webhooks"]) ? document.root["webhooks"] : {})) {
    report({
      pointer: `/webhooks/${JsonPointer.escape(name)}`,
      reason: "Webhooks are requests of the API and do not become tools."
    })
  }
  const paths = document.root["paths"]
  return Object.entries(isJsonObject(paths) ? paths : {}).flatMap(([path, item]) => {
    if (!path.startsWith("/")) return []
    const place = follow(document, { node: item, pointer: `/paths/${JsonPointer.escape(path)}` })
    if (Result.isFailure(place) || !isJsonObject(place.success.node)) {
      report({
        pointer: `/paths/${JsonPointer.escape(path)}`,
        reason: Result.isFailure(place) ? place.failure : "This is not a path item."
      })
      return []
    }
    return ofPath(document, path, place.success, place.success.node, report)
  })
}

const ofPath = (
  document: Document,
  path: string,
  { pointer }: Place,
  item: JsonObject,
  report: (unsupported: UnsupportedPart) => void
): ReadonlyArray<Operation> => {
  for (const [name, reason] of Object.entries(unsupportedMethods)) {
    if (Object.hasOwn(item, name)) report({ pointer: `${pointer}/${name}`, reason })
  }
  return methods.flatMap((method): ReadonlyArray<Operation> => {
    const node = field(item, method)
    if (node === undefined) return []
    const at = `${pointer}/${method}`
    if (!isJsonObject(node)) {
      report({ pointer: at, reason: "This is not an operation." })
      return []
    }
    if (node["callbacks"] !== undefined) {
      report({
        pointer: `${at}/callbacks`,
        reason: "Callbacks are requests that the API sends; they are not received."
      })
    }
    return [
      {
        method,
        path,
        pointer: at,
        node,
        operationId: text(node, "operationId"),
        summary: text(node, "summary") ?? text(item, "summary") ?? "",
        description: text(node, "description") ?? text(item, "description") ?? "",
        isDeprecated: node["deprecated"] === true,
        tags: Array.isArray(node["tags"]) ? node["tags"].filter((tag) => typeof tag === "string") : [],
        parameters: parametersOf(document, item, pointer, node, at, report),
        servers: serversOf(item, pointer, node, at),
        extension: extensionOf(node)
      }
    ]
  })
}

/** Returns the parameters of an operation, which override the path's parameters with the same name and location. */
const parametersOf = (
  document: Document,
  item: JsonObject,
  itemPointer: string,
  node: JsonObject,
  pointer: string,
  report: (unsupported: UnsupportedPart) => void
): ReadonlyArray<Place> => {
  const found = new Map<string, Place>()
  for (const [owner, at] of [
    [item, itemPointer],
    [node, pointer]
  ] as const) {
    const parameters = owner["parameters"]
    for (const [index, parameter] of (Array.isArray(parameters) ? parameters : []).entries()) {
      const place = follow(document, { node: parameter, pointer: `${at}/parameters/${index}` })
      const name = Result.isSuccess(place) ? text(place.success.node, "name") : undefined
      if (Result.isFailure(place) || name === undefined) {
        report({
          pointer: `${at}/parameters/${index}`,
          reason: Result.isFailure(place) ? place.failure : "This is not a parameter."
        })
      } else found.set(`${text(place.success.node, "in")} ${name}`, place.success)
    }
  }
  return [...found.values()]
}

const serversOf = (item: JsonObject, itemPointer: string, node: JsonObject, pointer: string): Place | undefined => {
  if (Array.isArray(node["servers"])) return { node: node["servers"], pointer: `${pointer}/servers` }
  return Array.isArray(item["servers"]) ? { node: item["servers"], pointer: `${itemPointer}/servers` } : undefined
}

const extensionOf = (node: JsonObject): Extension => {
  const value = field(node, extension)
  const access = text(value, "access")
  const tool = text(value, "tool")
  return {
    tool: tool !== undefined && /^[A-Za-z0-9_-]{1,64}$/.test(tool) ? tool : undefined,
    access: access === "read" || access === "write" || access === "destructive" ? access : undefined,
    idempotency: text(value, "idempotency") === "derived",
    critical: field(value, "critical") === true
  }
}
