/** Reads, writes and follows JSON Pointers (RFC 6901): names and indices from the root of a document to a value. */
import { field } from "./JsonObject.ts"

/** The names and indices from the root to a value; empty for the root. */
export type JsonPointer = ReadonlyArray<string | number>

/** Escapes a name or an index for the text of a pointer, without the leading slash. */
export const escape = (part: string | number): string => {
  const text = String(part)
  return text.includes("~") || text.includes("/") ? text.replaceAll("~", "~0").replaceAll("/", "~1") : text
}

/** Returns the text of a pointer: `/properties/a~1b`; empty for the root. */
export const format = (pointer: JsonPointer): string => pointer.map((part) => `/${escape(part)}`).join("")

/** Reads the text of a pointer. The first character is ignored. */
export const parse = (text: string): ReadonlyArray<string> =>
  text === ""
    ? []
    : text
        .slice(1)
        .split("/")
        .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))

/**
 * Reads a reference into the same document: `#/$defs/Order` or `#`, percent-encoded as in URIs. Returns `undefined` for
 * a reference to another document or to an anchor. A text with invalid percent-encoding is used unchanged.
 */
export const fromReference = (reference: string): ReadonlyArray<string> | undefined => {
  if (!reference.startsWith("#")) return undefined
  const text = decode(reference.slice(1))
  return text === "" || text.startsWith("/") ? parse(text) : undefined
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns the value at a pointer; `undefined` if it is absent. Inherited members do not count. */
export const valueAt = (value: unknown, pointer: JsonPointer): unknown =>
  pointer.reduce<unknown>((at, part) => (Array.isArray(at) ? itemAt(at, part) : field(at, String(part))), value)

const itemAt = (list: ReadonlyArray<unknown>, part: string | number): unknown =>
  /^(?:0|[1-9]\d*)$/.test(String(part)) ? list[Number(part)] : undefined

/** Returns the value that a reference into the same document names; `undefined` if there is no such value. */
export const resolve = (root: unknown, reference: string): unknown => {
  const pointer = fromReference(reference)
  return pointer === undefined ? undefined : valueAt(root, pointer)
}

/** True if a pointer names a place, or something inside that place. */
export const isWithin = (pointer: JsonPointer, place: JsonPointer): boolean =>
  place.length <= pointer.length && place.every((part, index) => String(part) === String(pointer[index]))
