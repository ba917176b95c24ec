/**
 * Finds the values that a description lists as the only allowed values: `one of: asc, desc`, `("bar", "line")`, `'a' or
 * 'b'`, `a|b`, `可选值:open、closed`.
 *
 * Only a list that is clearly closed counts. Examples (`such as`, `e.g.`, `…`), formats, and lists whose values are
 * combined in one string do not count.
 */

import { halfWidth } from "./Chinese.ts"

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

/** Matches words with which a Chinese text shows that a list is not closed, or that the parameter has another format. */
const chineseOpen =
  /例如|比如|诸如|譬如|示例|样例|格式|分隔|逗号|多个|组合|任意值|自定义|等等|其他|其它|前缀|后缀|开头|\.\.\.|…|不(?:要|得|能|可|支持|允许|接受)|[请切]?勿|禁止/u

const chineseWord = String.raw`(?:(?![或和及与等])\p{Script=Han}){1,6}`
const chineseItem = `(?:${item}|${bare}|${chineseWord})`
const chineseNote = String.raw`(?:\s*\([^()\n]{1,80}\))?`
const chineseGap = String.raw`\s*(?:[、,|/]\s*(?:或|和)?|或者?|和|以及|及|与)\s*`
const chineseIntroducers = String.raw`(?:可选(?:值|项|参数|范围|的值)?|取值(?:范围)?|枚举(?:值)?|(?:允许|支持|有效|合法|可用|可能)的?(?:取?值|类型|状态|选项|参数)?|只能(?:是|为|取)|必须(?:是|为)|[值选][项]?(?:包括|包含|为|是))`
const ends = String.raw`(?=\s*(?:[)\]】。;,.]|默认|缺省|$))`

/** Matches Chinese lists: after an introduction with a colon, and after `必须是` and similar words also without a colon. */
const chineseLists: ReadonlyArray<RegExp> = [
  new RegExp(
    `${chineseIntroducers}(?:有|为|是|包括|包含|如下)?\\s*:\\s*[[【(]?\\s*(${chineseItem}${chineseNote}(?:${chineseGap}${chineseItem}${chineseNote})+)${ends}`,
    "iu"
  ),
  new RegExp(
    `${chineseIntroducers}(?:有|为|是|包括|包含)?\\s*[[【(]?\\s*((?:${item}|${bare})${chineseNote}(?:${chineseGap}(?:${item}|${bare})${chineseNote})+)${ends}`,
    "iu"
  )
]

const parts = new RegExp(`${item}|${bare}`, "gu")

/** Returns the values of the first closed list in a text. Returns none if the text contains no closed list. */
export const valuesListed = (text: string): ReadonlyArray<string> => {
  for (const sentence of halfWidth(text.slice(0, 4_000)).split(/(?<=[.!?])\s+(?=[A-Z])|(?<=。)|\n+/u)) {
    const chinese = chineseValues(sentence)
    if (chinese.length > 0) return chinese
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

const chineseValues = (sentence: string): ReadonlyArray<string> => {
  for (const list of chineseLists) {
    const found = list.exec(sentence)
    if (found === null) continue
    const [whole, values = ""] = found
    const around = sentence.replace(values, " ")
    if (chineseOpen.test(around) || /^\s*(?:等|…|\.\.\.)/u.test(sentence.slice(found.index + whole.length))) continue
    const parsed = (values.match(new RegExp(`${chineseItem}${chineseNote}`, "gu")) ?? [])
      .map((each) => each.replace(/\s*\([^()]*\)$/u, "").replace(/^["'“‘`](.*)["'”’`]$/u, "$1"))
      .map((each) => each.trim())
    if (parsed.length >= 2) return [...new Set(parsed)]
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
