/**
 * Caches what follows from a name alone. The fields of an answer and the tools of a host have few names, which are read
 * again with each answer. Memory is bounded: `maxNames` names of at most `longestName` characters for each function.
 */

/** The maximum number of names that a function keeps. At this number, all are forgotten. */
const maxNames = 1_000

/** The longest name that is kept, in characters. */
const longestName = 100

/** Returns a function with the same results that calls `read` only for names that it does not know. */
export const keepNames = <A>(read: (name: string) => A): ((name: string) => A) => {
  const known = new Map<string, A>()
  return (name) => {
    const kept = known.get(name)
    // a result may be `undefined`
    if (kept !== undefined || known.has(name)) return kept as A
    const result = read(name)
    if (name.length > longestName) return result
    if (known.size >= maxNames) known.clear()
    known.set(name, result)
    return result
  }
}
