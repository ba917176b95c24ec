/** Which tools are meant, by their names: `*` stands for any characters, `?` for one. */

/** Whether a name is one that a pattern means. */
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
  /** None of these, whatever is allowed. */
  readonly deny?: ReadonlyArray<string>
}

/** Whether a tool is let through. */
export const isSelected = ({ allow, deny = [] }: Selection, name: string): boolean =>
  (allow === undefined || allow.some((pattern) => matches(pattern, name))) &&
  !deny.some((pattern) => matches(pattern, name))

/** What the patterns say of a name, field by field: the name itself before all patterns, those that say more of it first. */
export const settled = <A extends object>(rules: Readonly<Record<string, A>>, name: string): A | undefined => {
  const found = Object.entries(rules)
    .filter(([pattern]) => pattern === name || matches(pattern, name))
    .toSorted(([a], [b]) => weight(a, name) - weight(b, name))
    .map(([, rule]) => rule)
  return found.length === 0 ? undefined : (Object.assign({}, ...found) as A)
}

/** How much of a name a pattern says. */
const weight = (pattern: string, name: string): number =>
  pattern === name ? Number.MAX_SAFE_INTEGER : pattern.replaceAll(/[*?]/gu, "").length
