/**
 * How much work the merging of a schema's `allOf` is: each reference in one is replaced by what it leads to, so that definitions
 * which name each other twice double it at every step.
 */
type Node = Readonly<Record<string, unknown>>

/** Most schemas that a merge may visit: schemas that people write stay far below. */
const most = 100_000

/** Whether merging visits more schemas than anybody can wait for. */
export const isEndless = (root: Node): boolean => {
  const definitions = root["$defs"] as Readonly<Record<string, unknown>> | undefined
  const known = new Map<string, number>()
  const referred = (reference: unknown): number => {
    const name = /^#\/\$defs\/([^/]+)$/.exec(String(reference))?.[1]
    if (name === undefined || definitions === undefined || !Object.hasOwn(definitions, name)) return 1
    const weight = known.get(name)
    if (weight !== undefined) return weight
    // one that holds itself is not taken apart again
    known.set(name, 1)
    const found = of(definitions[name], false)
    known.set(name, found)
    return found
  }
  const of = (node: unknown, isMerged: boolean): number => {
    if (typeof node !== "object" || node === null) return 0
    const { $ref, allOf, ...rest } = node as Node
    const others = Object.values(rest)
    const isReplaced = typeof $ref === "string" && (isMerged || others.length > 0)
    let weight = 1 + (isReplaced ? referred($ref) : 0)
    for (const each of Array.isArray(allOf) ? allOf : []) weight += of(each, true)
    for (const each of others) weight += of(each, false)
    return weight
  }
  try {
    return of(root, false) > most
  } catch {
    // deeper than the stack
    return true
  }
}
