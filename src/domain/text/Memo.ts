/**
 * Keeps what was read from the last name: the fields of an answer are read one after the other, with the name of the same
 * tool.
 */

/** Returns a function with the same results, which reads a name only if it differs from the last one. */
export const keepLast = <A>(read: (name: string) => A): ((name: string) => A) => {
  let last: { readonly name: string; readonly result: A } | undefined
  return (name) => {
    if (last?.name !== name) last = { name, result: read(name) }
    return last.result
  }
}
