/**
 * Reads the parameters of an operation: how each is encoded in a request, and which are not supported.
 *
 * Source: OpenAPI 3.1, "Parameter Object": styles, their defaults, and headers that are not parameters.
 */
import * as JsonPointer from "#domain/json/JsonPointer"
import * as Result from "effect/Result"
import { type Document, follow, type Place, text, type UnsupportedPart } from "./Document.ts"
import { field, isJsonObject } from "#domain/json/JsonObject"
import type { Operation } from "./Operations.ts"

type In = "path" | "query" | "header" | "cookie"

const styles = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form"]
} as const

type Style = (typeof styles)[In][number]

/** How one parameter is encoded. */
export interface Parameter {
  readonly name: string
  readonly in: In
  readonly style: Style
  readonly explode: boolean
  /** True if reserved URI characters remain unencoded. Only for queries. */
  readonly allowReserved: boolean
  /** True if the value is encoded as JSON. */
  readonly isJson: boolean
  readonly isRequired: boolean
  readonly description: string
  readonly schema: Place
  readonly pointer: string
}

/** The parameters of an operation. */
interface Parameters {
  /** The supported parameters. */
  readonly supported: ReadonlyArray<Parameter>
  /** The name of the header for the idempotency key. */
  readonly keyHeader: string | undefined
  /** Why a required parameter cannot be sent; undefined if all can be sent. */
  readonly fault: UnsupportedPart | undefined
}

/** Headers that OpenAPI ignores as parameters. */
const ignored = /^(?:accept|content-type|authorization)$/i
/** Headers of the connection, which a tool must not set. */
const forbidden =
  /^(?:host|content-length|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|cookie|proxy-.*|sec-.*)$/i
/** Headers for the idempotency key. */
const keys = /^(?:x-)?idempotency-key$/i
/** Headers that the guard itself sends to a guarded server. */
const own = /^(?:toolguard-conversation|toolguard-turn|traceparent|tracestate)$/i

/** Reads the parameters of an operation. */
export const read = (
  document: Document,
  operation: Operation,
  report: (unsupported: UnsupportedPart) => void
): Parameters => {
  const supported: Array<Parameter> = []
  let keyHeader: string | undefined
  let fault: UnsupportedPart | undefined
  for (const { node, pointer } of operation.parameters) {
    const name = text(node, "name") ?? ""
    const where = text(node, "in") ?? ""
    const isRequired = field(node, "required") === true || where === "path"
    const refuse = (reason: string) => {
      report({ pointer, reason })
      if (isRequired) fault ??= { pointer, reason }
    }
    if (!isIn(where)) refuse(`A parameter in ${JSON.stringify(where.slice(0, 40))} is not supported.`)
    else if (where === "header" && keys.test(name)) keyHeader ??= name
    else if (where === "header" && (ignored.test(name) || (operation.extension.tool !== undefined && own.test(name))))
      continue
    else if (where === "header" && (forbidden.test(name) || !token.test(name)))
      refuse("A header with this name cannot be sent.")
    else if (where === "cookie" && !token.test(name)) refuse("A cookie with this name cannot be sent.")
    else {
      const parameter = parameterOf(name, where, isRequired, { node, pointer })
      if (typeof parameter === "string") refuse(parameter)
      else {
        supported.push(parameter)
        if (parameter.style === "deepObject" && isNested(document, parameter.schema)) {
          report({ pointer: parameter.schema.pointer, reason: brackets })
        }
      }
    }
  }
  return { supported, keyHeader, fault: fault ?? pathFault(operation, supported) }
}

const brackets = "OpenAPI does not define nested values in deepObject: they are sent with additional brackets."

/** True if fields of a schema are objects or lists. */
const isNested = (document: Document, place: Place): boolean => {
  const targetOf = (at: Place) => Result.getOrElse(follow(document, at), () => at).node
  const properties = field(targetOf(place), "properties")
  return Object.values(isJsonObject(properties) ? properties : {}).some((each) => {
    const type = field(targetOf({ node: each, pointer: "" }), "type")
    return type === "object" || type === "array"
  })
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/

const isIn = (where: string): where is In => Object.hasOwn(styles, where)

const parameterOf = (name: string, where: In, isRequired: boolean, { node, pointer }: Place): Parameter | string => {
  const content = field(node, "content")
  const [media] = isJsonObject(content) ? Object.keys(content) : []
  const style = text(node, "style") ?? styles[where][0]
  const valid: ReadonlyArray<string> = styles[where]
  if (!valid.includes(style)) {
    return `The style ${JSON.stringify(style.slice(0, 40))} is not a valid style for a ${where} parameter.`
  }
  if (media !== undefined && !/[/+]json\b/i.test(media))
    return `A parameter with content ${media.slice(0, 60)} is not supported.`
  const schema =
    media === undefined
      ? { node: field(node, "schema") ?? {}, pointer: `${pointer}/schema` }
      : {
          node: field(field(content, media), "schema") ?? {},
          pointer: `${pointer}/content/${JsonPointer.escape(media)}/schema`
        }
  const explode = field(node, "explode")
  return {
    name,
    in: where,
    // checked above
    style: style as Style,
    explode: typeof explode === "boolean" ? explode : style === "form" || style === "deepObject",
    allowReserved: where === "query" && field(node, "allowReserved") === true,
    isJson: media !== undefined,
    isRequired,
    description: text(node, "description") ?? "",
    schema,
    pointer
  }
}

/** Returns the fault of a path with a template expression that no parameter defines; undefined for other paths. */
const pathFault = (operation: Operation, supported: ReadonlyArray<Parameter>): UnsupportedPart | undefined => {
  const names = new Set(supported.filter((parameter) => parameter.in === "path").map(({ name }) => name))
  const missing = [...operation.path.matchAll(/\{([^{}]*)\}/g)].find(([, name = ""]) => !names.has(name))
  return missing === undefined
    ? undefined
    : {
        pointer: operation.pointer,
        reason: `The path has ${missing[0].slice(0, 80)}, but no parameter defines it.`
      }
}
