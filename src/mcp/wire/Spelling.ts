/**
 * Finds field names that some JSON readers mistake for others, because they ignore case or fold similar letters.
 *
 * Such a reader finds in `Method` what the guard did not check in `method`. A message that passes must mean the same to all.
 */

const fold = (name: string): string => name.normalize("NFKC").toLowerCase()

/** The first name that could be mistaken for a known one. */
export const variantOf = (names: ReadonlyArray<string>, known: ReadonlySet<string>): string | undefined =>
  names.find((name) => !known.has(name) && known.has(fold(name)))
