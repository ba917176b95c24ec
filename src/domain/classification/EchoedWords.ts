/**
 * Removes the words that an error repeats from the call: a name that it quotes, the title of a thing that is missing, a
 * value of the arguments. The caller chose these words, so they do not describe the failure.
 *
 * **Details**
 *
 * - Each removed part becomes `x`, so that the sentence around it still matches.
 * - A value of the arguments is removed only if it has several words or is written in Chinese, occurs as a whole, and
 *   is not the whole message. Single words, such as `timeout`, may be the upstream's own.
 */

/** A quoted name after the word for its kind: `column "quota exceeded"`. */
const quotedName =
  /\b((?:column|field|parameter|argument|property|option|key|table|sheet|file|folder|path|name|named|label|tool|function|feature|value|variable|channel|page|tag|title|titled|ticket|branch|user|query|called)s? ['"`])[^'"`\n]{1,80}(['"`])/g

/** The end of a quoted name and the beginning of a verdict on it. */
const verdict = /['"`] (?:was |is |does |could |has )?(?:not|invalid|unknown|already)\b/

/** A quoted name before the verdict on it: `"no space left" does not exist`. */
const judgedName =
  /(['"`])[^'"`\n]{1,80}(\1 (?:(?:was|is|does|could|has) )?(?:not (?:be )?(?:found|exist|valid|known|allowed)|invalid|unknown|already exists)\b)/g

const han = /[\u3400-\u9FFF]/

/** Chinese and other typographic quotes. */
const chineseQuote = /([“「『《])[^“”「」『』《》\n]{1,80}([”」』》])/g

/** A file with a Chinese name. */
const chineseFile = /[\u3400-\u9FFF\w-]{1,60}(\.[a-z][a-z0-9]{1,4})(?![\u3400-\u9FFF\w])/gu

/** Punctuation that ends a clause, in ASCII and in full width. */
const stops = "[,;:!.\\uFF0C\\u3002\\uFF1B\\uFF1A\\uFF01\\n]"

const clause = "[^,;!\\uFF0C\\u3002\\uFF1B\\uFF01\\n]{0,60}?"

/** A clause about a missing thing. */
const chineseMissing = new RegExp(
  `(^|${stops})${clause}(不存在|未找到|找不到|没有找到|沒有找到|未检索到|未查询到|查无|查無|无法找到|無法找到)${clause}(?=$|[,;!.\\uFF0C\\u3002\\uFF1B\\uFF01\\n])`,
  "gm"
)

/** A clause about a wrong parameter. */
const chineseParameter = new RegExp(
  `(^|${stops})${clause}(?:参数|參數|字段|欄位)${clause}(无效|無效|不合法|错误|錯誤|非法|不能为空|不能為空|必填|必须|必須)`,
  "gm"
)

const maximumValues = 32

/** Collects the strings inside the arguments that an error may repeat, in lower case, the longest first. */
const phrasesOf = (args: unknown): ReadonlyArray<string> => {
  const found: Array<string> = []
  const walk = (value: unknown, depth: number): void => {
    if (found.length >= maximumValues || depth > 8) return
    if (typeof value === "string") {
      const phrase = value.trim().toLowerCase()
      if (phrase.length <= 200 && (/\S\s+\S/.test(phrase) || (han.test(phrase) && phrase.length >= 2)))
        found.push(phrase)
    } else if (typeof value === "object" && value !== null)
      for (const part of Object.values(value)) walk(part, depth + 1)
  }
  walk(args, 0)
  return found.sort((left, right) => right.length - left.length)
}

const wordCharacter = /[\p{L}\p{N}_]/u

/** Replaces each occurrence of a phrase as separate words. */
const replaceWhole = (text: string, phrase: string): string => {
  let out = ""
  let from = 0
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + phrase.length)) {
    const isInside = wordCharacter.test(text[at - 1] ?? " ") || wordCharacter.test(text[at + phrase.length] ?? " ")
    if (isInside) continue
    out += `${text.slice(from, at)}x`
    from = at + phrase.length
  }
  return out + text.slice(from)
}

/** A message that says nothing without the repeated value: `Error: x`. */
const bare = /^(?:[^\p{L}\p{N}]|\b(?:error|failed|failure|exception|x)\b|错误|失败)*$/u

const withoutArguments = (text: string, args: unknown): string => {
  let remaining = text
  for (const phrase of phrasesOf(args)) {
    if (remaining.includes(phrase)) remaining = replaceWhole(remaining, phrase)
  }
  return remaining === text || bare.test(remaining) ? text : remaining
}

/** Returns an error's text, in lower case, without the words that it repeats from the call. */
export const remove = (lower: string, args: unknown): string => {
  const named = lower.replaceAll(quotedName, "$1x$2")
  const english = verdict.test(named) ? named.replaceAll(judgedName, "$1x$2") : named
  const text = !han.test(english)
    ? english
    : english
        .replaceAll(chineseQuote, "$1x$2")
        .replaceAll(chineseFile, "x$1")
        .replaceAll(chineseMissing, "$1x$2")
        .replaceAll(chineseParameter, "$1参数$2")
  return withoutArguments(text, args)
}
