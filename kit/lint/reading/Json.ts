/** JSON as it was parsed: what it is, and where a part of it stands. */
import { field } from "effect-toolguard/internal/domain/json/JsonObject"

/** Names and indices from the root of a document to a value. */
export type Pointer = ReadonlyArray<string | number>

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
