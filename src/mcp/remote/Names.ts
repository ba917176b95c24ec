/** Selects tools by name patterns: `*` matches any characters, `?` matches one. */

/** True if a pattern matches a name. */
export const matches = (pattern: string, name: string): boolean =>
  new RegExp(
    `^${pattern
      .replaceAll(/[.+^${}()|[\]\\]/gu, "\\$&")
      .replaceAll(/\*+/gu, "[^]*")
      .replaceAll("?", "[^]")}$`,
    "u"
  ).test(name)

export interface Selection {
  /** Selects only tools that match one of these patterns. Default: all tools. */
  readonly allow?: ReadonlyArray<string>
  /** Excludes tools that match one of these patterns, even if they are allowed. */
  readonly deny?: ReadonlyArray<string>
}

/** True if a tool is selected. */
export const isSelected = ({ allow, deny = [] }: Selection, name: string): boolean =>
  (allow === undefined || allow.some((pattern) => matches(pattern, name))) &&
  !deny.some((pattern) => matches(pattern, name))

/**
 * Merges the matching rules field by field. The exact name takes precedence over patterns, and a more specific pattern
 * over less specific patterns.
 */
export const merged = <A extends object>(rules: Readonly<Record<string, A>>, name: string): A | undefined => {
  const found = matching(rules, name)
  return found.length === 0 ? undefined : (Object.assign({}, ...found) as A) // `Object.assign` returns `any`
}

/** Returns the matching rules, in the order in which they are merged. */
export const matching = <A>(rules: Readonly<Record<string, A>>, name: string): ReadonlyArray<A> =>
  Object.entries(rules)
    .filter(([pattern]) => pattern === name || matches(pattern, name))
    .toSorted(([a], [b]) => weight(a, name) - weight(b, name))
    .map(([, rule]) => rule)

/** Returns how specific a pattern is: its number of literal characters. */
const weight = (pattern: string, name: string): number =>
  pattern === name ? Number.MAX_SAFE_INTEGER : pattern.replaceAll(/[*?]/gu, "").length
