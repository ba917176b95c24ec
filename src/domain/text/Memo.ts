/**
 * Caches the result for the last name. One entry is enough, because the fields of an answer are read one after another,
 * and all with the name of the same tool.
 */

/** Returns a function with the same results that calls `read` only if the name differs from the last name. */
export const keepLast = <A>(read: (name: string) => A): ((name: string) => A) => {
  let last: { readonly name: string; readonly result: A } | undefined
  return (name) => {
    if (last?.name !== name) last = { name, result: read(name) }
    return last.result
  }
}
