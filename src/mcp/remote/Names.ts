/** Selects tools by name: `*` matches any characters, `?` one. */

/** Whether a pattern matches a name. */
export const matches = (pattern: string, name: string): boolean =>
  new RegExp(
    `^${pattern
      .replaceAll(/[.+^${}()|[\]\\]/gu, "\\$&")
      .replaceAll(/\*+/gu, "[^]*")
      .replaceAll("?", "[^]")}$`,
    "u"
  ).test(name)

export interface Selection {
  /** Only these. Default: all. */
  readonly allow?: ReadonlyArray<string>
  /** None of these, even if allowed. */
  readonly deny?: ReadonlyArray<string>
}

/** Whether a tool is selected. */
export const isSelected = ({ allow, deny = [] }: Selection, name: string): boolean =>
  (allow === undefined || allow.some((pattern) => matches(pattern, name))) &&
  !deny.some((pattern) => matches(pattern, name))

/** Merges the matching entries field by field: the exact name first, then patterns, the more specific first. */
export const settled = <A extends object>(rules: Readonly<Record<string, A>>, name: string): A | undefined => {
  const found = Object.entries(rules)
    .filter(([pattern]) => pattern === name || matches(pattern, name))
    .toSorted(([a], [b]) => weight(a, name) - weight(b, name))
    .map(([, rule]) => rule)
  return found.length === 0 ? undefined : (Object.assign({}, ...found) as A)
}

/** How specific a pattern is. */
const weight = (pattern: string, name: string): number =>
  pattern === name ? Number.MAX_SAFE_INTEGER : pattern.replaceAll(/[*?]/gu, "").length
