/**
 * Decides cheaply whether an answer must be parsed and classified. Most answers of a log are successes, which these scans
 * skip without parsing. A false positive only costs time. A skipped answer counts as a success.
 *
 * A short answer is always parsed, because any sentence or field in it may be the failure. The scans look for failures at
 * the start and the end of a long answer, and in the whole text of an answer of medium length. A field that indicates a
 * failure is a quoted name followed by a significant value, at any depth of nested JSON.
 */

/** The number of characters to scan at the start and at the end of a long answer. */
const head = 700
const tail = 260
/** The maximum length of structured answers that are scanned as a whole. */
const shortLength = 1_400
/** The maximum length of an answer that may be a page without content. */
const page = 1_500
/** The maximum length of an output whose last lines may be the error message. */
const output = 3_000
/** The maximum length of answers that are always parsed: that of an error message. */
const tiny = 600

/** Fields that indicate a failure or a missing part, unless they have a harmless value. */
const failureFields =
  /["'](?:(?:is_?)?errors?|err|err(?:or)?[_ ]?(?:message|code|type|msg)|fault(?:string)?|exception)\\*["']\s*:\s*(?!null|None|(\\*)"\1"|\\*''|false|False|0\b|\[\s*\]|\{\s*\}|""|'')|["'](?:success|ok|response)\\*["']\s*:\s*(?:false|False|\\*["'](?:False|<|\s*[a-z]))|["'](?:status|result|status_?code|code|cod|state|object|type)\\*["']\s*:\s*\\*["']?(?:error|fail|[45]\d\d\b)|["'](?:has_?(?:more|next)\w{0,12}|(?:is_?)?(?:truncated|partial)|incomplete_?results|more)\\*["']\s*:\s*(?:true|True)|["']next\w{0,12}\\*["']\s*:\s*(?:\\*["'](?!\\*["'])|[1-9])/i

/** A message as the first field of an answer. */
const firstMessage = /^[\s{[]*["'](?:details?|reason|problem|\w{0,12}(?:messages?|msg))["']\s*:\s*["'[]/i

/** Words near the start of an error message. */
const earlyWords =
  /no such|fatal|error|exception|fail|denied|n't |not |unable|invalid|missing|unknown|unsupported|unrecogni|unauthori|forbidden|require|limit|exceed|declin|reject|insufficient|timed? ?out|traceback|sorry|oops|wrong|illegal|undefined|too many|\b[45]\d\d\b|[\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/i

/** Words of failures in the output of programs, anywhere in a text of medium length. */
const loud = /\b(?:errors?|exception|fatal|failed|cannot|denied|must|expired|violated)\b/i

/** Marks of truncated or incomplete output. */
const mark =
  /truncat|clipped|omitted|elided|more (?:lines|rows|results|items|entries|char|content|output)|remaining|to continue|continue reading|\d (?:out )?of \d|limit (?:was |is )?(?:of|reached|hit|exceed)|not shown|showing|still running|new output|background|saved to/i

/** Words of pages without content. */
const emptyPageWords =
  /your (?:browser|connection)|\[object|sign ?up|loading|please wait|redirect|a moment|java ?script|cookie|captcha|robot|human|verif|unusual|log ?in|sign ?in|password|denied|blocked|not found|n't exist|unavailable|can't be reached|(?:url|page) error|for sale|construction|maintenance|登录|验证|不存在|加载|稍候/i

/** Phrases with which tools report success. */
const successPhrases =
  /^(?:success(?!: ?false)|ok\b|done\b|created|updated|deleted|wrote|saved|fixed|added|process started|query:|total \d|found \d|here(?:'s| is| are)|\d+[.:\t])/i

/** Scans a plain text. `text` is its start, `end` its end, and `length` the length of the whole text. */
const mayFailAsText = (text: string, end: string, length: number): boolean => {
  if (!successPhrases.test(text) && earlyWords.test(text.slice(0, 90))) return true
  if (length <= page ? loud.test(text) : length <= output && loud.test(end)) return true
  return mark.test(end) || mark.test(text.slice(0, 160)) || (length <= page && emptyPageWords.test(text))
}

const isClosed = (text: string): boolean => {
  let end = text.length - 1
  while (end > 0 && text.charCodeAt(end) <= 32) end -= 1
  const last = text.charCodeAt(end)
  return last === 125 || last === 93
}

const mayFailAsJson = (text: string): boolean => {
  if (!isClosed(text) || firstMessage.test(text)) return true
  if (text.length <= shortLength) return failureFields.test(text)
  return failureFields.test(text.slice(0, head)) || failureFields.test(text.slice(-tail))
}

/** Matches the output of a Python client before the text of a result; `closing` matches its output after the text. */
const printed =
  /^meta=\S{1,40} content=\[TextContent\(type='text', text=['"](?:\{(?:\\n|\s)*"_meta": \w+,(?:\\n|\s)*"content": \[(?:\\n|\s)*\{(?:\\n|\s)*"type": "text",(?:\\n|\s)*"text": ")?/
const closing =
  /(?:",(?:\\n|\s)*"annotations": \w+(?:\\n|\s)*\}(?:\\n|\s)*\],(?:\\n|\s)*"isError": false(?:\\n|\s)*\})?['"], annotations=\w+\)\] isError=False\s*$/

const mayFailAsPrint = (text: string): boolean => {
  const from = printed.exec(text)?.[0].length ?? 0
  const last = text.slice(-tail - 130)
  const to = closing.exec(last)
  if (to === null || last.includes('isError": true')) return true
  const length = text.length - from - (last.length - to.index)
  if (length <= tiny) return true
  const inner = text.slice(from, from + Math.min(length, head))
  if (structured.test(inner) && !/[}\]](?:\\+n)?$/.test(last.slice(0, to.index))) return true
  if (structured.test(inner)) return failureFields.test(inner)
  return mayFailAsText(inner, last.slice(0, to.index), length)
}

const structured = /^\s*(?:\\+n)*[{[]\s*(?:\\+["'n]|["'{[\]}])/

const json = /^[{[]\s*(?:["'{[\]}\d-]|true|false|null|$)/

/** True if an answer must be parsed and classified. */
export const needsParsing = (text: string): boolean => {
  const { length } = text
  if (length === 0) return false
  if (length <= tiny) return true
  if (length >= 5_000 && length % 1_000 === 0) return true
  const first = text.charCodeAt(0)
  if ((first === 123 || first === 91) && json.test(text)) return mayFailAsJson(text)
  if (first === 109 && text.startsWith("meta=")) return mayFailAsPrint(text)
  return mayFailAsText(length <= page ? text : text.slice(0, head), text.slice(-tail), length)
}
