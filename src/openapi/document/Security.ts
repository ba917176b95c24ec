/** Reads the security schemes of a document and those that an operation requires. */
import * as JsonPointer from "#domain/json/JsonPointer"
import * as Result from "effect/Result"
import { type Document, follow, text, type UnsupportedPart } from "./Document.ts"
import { field, isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import type { Operation } from "./Operations.ts"

/** How a credential is sent. */
export type Scheme =
  | { readonly _tag: "Key"; readonly scheme: string; readonly in: "header" | "query" | "cookie"; readonly name: string }
  | { readonly _tag: "Bearer"; readonly scheme: string }
  | { readonly _tag: "Basic"; readonly scheme: string }

/** One alternative of an operation: all of these schemes are required. Empty if no scheme is required. */
export type Requirement = ReadonlyArray<Scheme>

export interface Security {
  /** Returns the alternatives of an operation. */
  readonly of: (operation: Operation) => ReadonlyArray<Requirement>
  /** The names of the supported schemes. */
  readonly names: ReadonlyArray<string>
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/

/** Reads the schemes. */
export const make = (document: Document, report: (unsupported: UnsupportedPart) => void): Security => {
  const definitions = field(document.root["components"], "securitySchemes")
  const schemes = new Map<string, Scheme>()
  for (const [name, each] of Object.entries(isJsonObject(definitions) ? definitions : {})) {
    const pointer = `/components/securitySchemes/${JsonPointer.escape(name)}`
    const place = follow(document, { node: each, pointer })
    const scheme = Result.isSuccess(place) ? schemeOf(name, place.success.node) : place.failure
    if (typeof scheme === "string") report({ pointer, reason: scheme })
    else schemes.set(name, scheme)
  }
  const requirementsOf = (node: JsonObject): ReadonlyArray<Requirement> | undefined => {
    const all = node["security"]
    if (!Array.isArray(all)) return undefined
    return all.flatMap((each): ReadonlyArray<Requirement> => {
      if (!isJsonObject(each)) return []
      const found = Object.keys(each).map((name) => schemes.get(name))
      return found.every((scheme) => scheme !== undefined) ? [found] : []
    })
  }
  const defaults = requirementsOf(document.root) ?? []
  return { of: ({ node }) => requirementsOf(node) ?? defaults, names: [...schemes.keys()] }
}

const schemeOf = (scheme: string, node: unknown): Scheme | string => {
  switch (text(node, "type")) {
    case "apiKey": {
      const where = text(node, "in")
      const name = text(node, "name") ?? ""
      if (where !== "header" && where !== "query" && where !== "cookie")
        return "The location of the key is not supported."
      return where !== "query" && !token.test(name)
        ? "The key's name is not a valid header, query or cookie name."
        : { _tag: "Key", scheme, in: where, name }
    }
    case "http": {
      const kind = (text(node, "scheme") ?? "").toLowerCase()
      if (kind === "bearer") return { _tag: "Bearer", scheme }
      return kind === "basic"
        ? { _tag: "Basic", scheme }
        : `The HTTP scheme ${JSON.stringify(kind.slice(0, 40))} is not supported.`
    }
    case "oauth2":
    case "openIdConnect":
      return { _tag: "Bearer", scheme }
    default:
      return "Credentials of this type are not supported."
  }
}
