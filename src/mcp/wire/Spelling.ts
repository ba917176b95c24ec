/**
 * Finds field names that some JSON readers mistake for others, because they ignore case or treat similar characters as
 * equal.
 *
 * Such a reader uses a `Method` field although the guard checked only `method`. A message that passes must have the
 * same meaning for all readers.
 */

const fold = (name: string): string => name.normalize("NFKC").toLowerCase()

/** Returns the first name that could be mistaken for a known one. */
export const variantOf = (names: ReadonlyArray<string>, known: ReadonlySet<string>): string | undefined =>
  names.find((name) => !known.has(name) && known.has(fold(name)))
