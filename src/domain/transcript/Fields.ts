/** Reads foreign data field by field, without failing: what is missing or of another type is empty. */

export type Fields = { readonly [field: string]: unknown }

/** The fields of an object; of anything else none. */
export const of = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {})

/** A text, or the empty text. */
export const string = (value: unknown): string => (typeof value === "string" ? value : "")

/** The items of a list, each by its fields; of anything else none. */
export const list = (value: unknown): ReadonlyArray<Fields> => (Array.isArray(value) ? value.map(of) : [])

/** A count: an integer from 0 up, or `undefined`. */
export const count = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined
