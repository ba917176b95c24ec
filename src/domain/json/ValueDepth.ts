/** Checks and limits the nesting of JSON values, because recursive functions overflow the stack on deep values. */

/** True if a value has more levels of arrays and objects than `levels`. A scalar has no level. */
export const isDeeper = (value: unknown, levels: number): boolean => {
  if (typeof value !== "object" || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}

/** Replaces every array and object below `levels` with `null`. A value that is not deeper is returned unchanged. */
export const cut = <A>(value: A, levels: number): A =>
  // A copy has the shape of the value, apart from the replaced parts.
  isDeeper(value, levels) ? (copy(value, levels) as A) : value

const copy = (value: unknown, levels: number): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (levels === 0) return null
  if (Array.isArray(value)) return value.map((inner) => copy(inner, levels - 1))
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copy(inner, levels - 1)]))
}
