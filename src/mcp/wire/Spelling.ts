/**
 * Names of fields that some readers of JSON take for another: they look past case, and past letters that are nearly the same.
 *
 * Such a reader finds in `Method` what we have not looked at in `method`: what passes the guard must mean one thing to all.
 */

const fold = (name: string): string => name.normalize("NFKC").toLowerCase()

/** The first name that could be taken for a known one, and is none. */
export const variantOf = (names: ReadonlyArray<string>, known: ReadonlySet<string>): string | undefined =>
  names.find((name) => !known.has(name) && known.has(fold(name)))
