/**
 * Serialises the value of a parameter in its style (OpenAPI 3.1, "Style Values"; RFC 6570).
 *
 * **Details**
 *
 * - Values are percent-encoded, so that a path segment cannot become two segments or a query.
 * - `null` and absent fields are omitted. Values that a style does not define (nested objects, lists of objects) are
 *   written as JSON, or in `deepObject` with additional brackets.
 */
import { field, isJsonObject } from "#domain/json/JsonObject"
import type { Parameter } from "#src/openapi/document/Parameters"

/** Encodes a text. */
type Encoder = (text: string) => string

/** Percent-encodes all characters except unreserved characters (RFC 3986). */
const encoded: Encoder = (text) =>
  encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`
  )

/** Keeps reserved characters, except those that end a query or separate its fields. */
const reserved: Encoder = (text) =>
  encodeURIComponent(text.toWellFormed()).replaceAll(
    /%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B|5B|5D)/g,
    decodeURIComponent
  )

/** Returns a value as text, with objects and lists as JSON. */
export const scalar = (value: unknown): string => (typeof value === "object" ? JSON.stringify(value) : String(value))

const entries = (value: unknown): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(isJsonObject(value) ? value : {}).filter(([, each]) => each !== undefined && each !== null)

const present = (value: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  value.filter((each) => each !== undefined && each !== null)

/** Serialises a path parameter. */
export const inPath = ({ explode, isJson, name, style }: Parameter, value: unknown): string => {
  if (isJson) return encoded(JSON.stringify(value))
  const label = encoded(name)
  const one = (each: unknown) => encoded(scalar(each))
  const [begin, between] =
    style === "label" ? [".", explode ? "." : ","] : style === "matrix" ? [";", explode ? ";" : ","] : ["", ","]
  if (Array.isArray(value)) {
    const all = present(value).map(one)
    if (style !== "matrix") return begin + all.join(between)
    return explode ? all.map((each) => `;${label}=${each}`).join("") : `;${label}=${all.join(",")}`
  }
  if (isJsonObject(value)) {
    const all = entries(value)
    if (explode) return begin + all.map(([key, each]) => `${encoded(key)}=${one(each)}`).join(between)
    const flat = all.flatMap(([key, each]) => [encoded(key), one(each)]).join(",")
    return style === "matrix" ? `;${label}=${flat}` : begin + flat
  }
  return style === "matrix" ? `;${label}=${one(value)}` : begin + one(value)
}

/** Serialises a query parameter as `name=value` pairs. Returns an empty list if there is nothing to send. */
export const inQuery = (
  parameter: Pick<Parameter, "allowReserved" | "explode" | "isJson" | "name" | "style">,
  value: unknown
): ReadonlyArray<string> => {
  const { allowReserved, explode, isJson, name, style } = parameter
  const encode = allowReserved ? reserved : encoded
  const pair = (key: string, text: string) => `${encoded(key)}=${text}`
  if (value === null || value === undefined) return []
  if (isJson) return [pair(name, encode(JSON.stringify(value)))]
  const separator = style === "spaceDelimited" ? "%20" : style === "pipeDelimited" ? "%7C" : ","
  if (Array.isArray(value)) {
    const all = present(value).map((each) => encode(scalar(each)))
    if (style === "deepObject") return all.map((each, index) => pair(`${name}[${index}]`, each))
    if (explode) return all.map((each) => pair(name, each))
    return all.length === 0 ? [] : [pair(name, all.join(separator))]
  }
  if (isJsonObject(value)) {
    if (style === "deepObject") return deep(name, value, encode)
    const all = entries(value)
    if (explode) return all.map(([key, each]) => pair(key, encode(scalar(each))))
    return all.length === 0
      ? []
      : [pair(name, all.flatMap(([key, each]) => [encode(key), encode(scalar(each))]).join(separator))]
  }
  return [pair(name, encode(scalar(value)))]
}

/** Serialises a value as `name[field]=value`, with additional brackets for nested values. */
const deep = (name: string, value: unknown, encode: Encoder): ReadonlyArray<string> =>
  Array.isArray(value)
    ? value.flatMap((each, index) => deep(`${name}[${index}]`, each, encode))
    : isJsonObject(value)
      ? entries(value).flatMap(([key, each]) => deep(`${name}[${key}]`, each, encode))
      : value === null || value === undefined
        ? []
        : [`${encoded(name)}=${encode(scalar(value))}`]

/** Serialises a header value without encoding. The caller checks its characters. */
export const inHeader = ({ explode, isJson }: Pick<Parameter, "explode" | "isJson">, value: unknown): string => {
  if (isJson) return JSON.stringify(value)
  if (Array.isArray(value)) return present(value).map(scalar).join(",")
  if (!isJsonObject(value)) return scalar(value)
  return entries(value)
    .flatMap(([key, each]) => (explode ? [`${key}=${scalar(each)}`] : [key, scalar(each)]))
    .join(",")
}

/** Serialises a cookie as `name=value` pairs. */
export const inCookie = ({ explode, isJson, name }: Parameter, value: unknown): ReadonlyArray<string> => {
  if (isJson) return [`${name}=${encoded(JSON.stringify(value))}`]
  if (isJsonObject(value) && explode) {
    return entries(value).flatMap(([key, each]) => (token.test(key) ? [`${key}=${encoded(scalar(each))}`] : []))
  }
  if (Array.isArray(value) && explode) return present(value).map((each) => `${name}=${encoded(scalar(each))}`)
  return [`${name}=${encoded(inHeader({ explode: false, isJson: false }, value))}`]
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/

/** True if there is a value to send. */
export const isPresent = (args: unknown, name: string): boolean => field(args, name) !== undefined
