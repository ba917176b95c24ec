/** JSON as it was parsed: what it is, and where a part of it stands. */

/** Names and indices from the root of a document to a value. */
export type Pointer = ReadonlyArray<string | number>

/** A JSON object. */
export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The object's own field; undefined where there is none, or no object. */
export const field = (value: unknown, name: string): unknown =>
  isFields(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** The value as an object; empty where it is none. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})

/** The value as text; empty where it is none. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** A pointer by RFC 6901. */
export const written = (pointer: Pointer): string =>
  pointer.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")

/** Reads a pointer by RFC 6901, without its leading `#`. */
export const read = (pointer: string): Pointer =>
  pointer === ""
    ? []
    : pointer
        .slice(1)
        .split("/")
        .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))

/** The value at a pointer; undefined where there is none. */
export const valueAt = (value: unknown, pointer: Pointer): unknown =>
  pointer.reduce<unknown>(
    (at, part) => (Array.isArray(at) ? (at as ReadonlyArray<unknown>)[Number(part)] : field(at, String(part))),
    value
  )

/** Whether a pointer leads to the place that another one names, or into it. */
export const isWithin = (pointer: Pointer, place: Pointer): boolean =>
  place.length <= pointer.length && place.every((part, index) => String(part) === String(pointer[index]))
