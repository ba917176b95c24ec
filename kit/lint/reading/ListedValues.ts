/**
 * Finds the values that a description lists as the only allowed values: `one of: asc, desc`, `("bar", "line")`, `'a' or
 * 'b'`, `a|b`.
 *
 * Only a list that is clearly closed counts. Examples (`such as`, `e.g.`, `…`), formats, and lists whose values are
 * combined in one string do not count.
 */

const open = new RegExp(
  [
    String.raw`\b(?:such as|for example|for instance|e\.?g\b|i\.?e\b|like|examples?|samples?|etc|and so on|and more|or other|others|custom|any|similar|typically|usually|default(?:s|ing)? to)\b|\.\.\.|…`,
    String.raw`\b(?:formats?|formatted|pattern|syntax|separated|delimited|comma|combin\w*|multiple|prefix\w*|suffix\w*|start\w* with|begin\w* with|followed by|include both|list of)\b`
  ].join("|"),
  "iu"
)

const item = String.raw`(?:"[^"\n]{1,40}"|'[^'\n]{1,40}'|“[^”\n]{1,40}”|‘[^’\n]{1,40}’|\x60[^\x60\n]{1,40}\x60)`
const bare = String.raw`[A-Za-z0-9](?:[\w.-]{0,29}\w)?`
const gap = String.raw`\s*(?:,\s*(?:or|and)?|\||\/|\bor\b|\band\b)\s*`
const note = String.raw`(?:\s*\([^()\n]{1,80}\))?`

const introducers = String.raw`(?:\b(?:one of|either|must be|should be|can be|could be|may be|options?(?: are| include)?|possible values?(?: are| include)?|(?:allowed|valid|accepted|supported|available|permitted) (?:values?|options?|types?|choices?)(?: are| include)?|choices?(?: are)?|choose (?:from|between)|select (?:from|between)|values?)\b(?: the following)?(?: values?)?\s*[:=]?\s*[[({]?\s*)`

/**
 * Matches quoted values after an introduction, in brackets, or joined by `or`. Matches unquoted words only after an
 * introduction with a colon, or separated by bars.
 */
const lists: ReadonlyArray<RegExp> = [
  new RegExp(`${introducers}(${item}${note}(?:${gap}${item}${note})+)`, "iu"),
  new RegExp(String.raw`[([{]\s*(${item}(?:${gap}${item})+)\s*[)\]}]`, "iu"),
  new RegExp(String.raw`(?<!\w)(${item}${note}(?:,\s*${item}${note})*,?\s+or\s+${item})`, "iu"),
  new RegExp(
    String.raw`\b(?:one of|options?|possible values?|(?:allowed|valid|accepted|supported|available) (?:values?|options?|types?)|choices|values)(?: are)?\s*:\s*[[({]?\s*(${bare}(?:\s*(?:,\s*(?:or\s+)?|\||\/|\bor\b)\s*${bare})+)(?=\s*(?:[)\]}.;]|$))`,
    "iu"
  ),
  new RegExp(String.raw`(?<![\w|;&#])(${bare}(?:\s?\|\s?${bare})+)(?![\w|;&#])`, "iu")
]

const parts = new RegExp(`${item}|${bare}`, "gu")

/** Returns the values of the first closed list in a text. Returns none if the text contains no closed list. */
export const valuesListed = (text: string): ReadonlyArray<string> => {
  for (const sentence of text.slice(0, 4_000).split(/(?<=[.!?])\s+(?=[A-Z])|\n+/u)) {
    for (const list of lists) {
      const found = list.exec(sentence)
      if (found === null) continue
      // every pattern of `lists` has a group
      const around = sentence.replace(found[1]!, " ")
      if (
        open.test(around) ||
        /^\s*(?:,|etc|and\b|or\b|\.\.\.|…)/iu.test(sentence.slice(found.index + found[0].length))
      )
        continue
      const values = valuesIn(found[1]!) // the group exists, see above
      if (values.length >= 2) return values
    }
  }
  return []
}

const valuesIn = (list: string): ReadonlyArray<string> => {
  const withoutNotes = list.replaceAll(/\s\([^()]*\)/gu, "")
  const quoted = withoutNotes.match(new RegExp(item, "gu"))
  const found =
    quoted === null
      ? (withoutNotes.match(parts) ?? []).filter((word) => !/^(?:or|and)$/iu.test(word))
      : quoted.map((text) => text.slice(1, -1))
  const values = [...new Set(found.map((value) => value.trim()).filter((value) => value !== ""))]
  return values.every(isValue) ? values : []
}

const isValue = (value: string): boolean =>
  value.split(/\s+/u).length <= 3 && !/(?:^|\s)(?:and|or|etc|more|others?)(?:\s|$)|^[\s,]|[\s,]$/iu.test(value)
