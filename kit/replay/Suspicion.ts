/**
 * Whether an answer may be anything but fine: cheap scans that need no parsing, so that the many good answers of a log
 * cost next to nothing. What is suspected is looked at; what is not, passes.
 *
 * A failure stands at the beginning of an answer or at its end, or the answer is short; a field that tells of one has a
 * quote before it and a telling value behind it, at any depth of JSON in JSON.
 */

/** How much of a long answer's beginning and end is scanned. */
const head = 700
const tail = 260
/** Up to this length structured answers are scanned as a whole. */
const short = 1_400
/** Up to this length an answer may be a page without content. */
const page = 1_500
/** Up to this length any sentence may be the message. */
const tiny = 320

/** Fields that tell of a failure or of a missing piece, with a value that is not the harmless one. */
const telling =
  /["'](?:(?:is_?)?errors?|err|err(?:or)?[_ ]?(?:message|code|type|msg)|fault|exception)\\*["']\s*:\s*(?!null|None|\\*""|\\*''|\\*"\\*"|false|False|0\b|\[\s*\]|\{\s*\}|""|'')|["'](?:success|ok|response)\\*["']\s*:\s*(?:false|False|\\*["'](?:False|<|\s*[a-z]))|["'](?:status|result|status_?code|code|cod|state|object|type)\\*["']\s*:\s*\\*["']?(?:error|fail|[45]\d\d\b)|["'](?:has_?(?:more|next)\w{0,12}|(?:is_?)?(?:truncated|partial)|incomplete_?results|more)\\*["']\s*:\s*(?:true|True)|["']next\w{0,12}\\*["']\s*:\s*(?:\\*["'](?!\\*["'])|[1-9])/i

/** Fields that tell something where there is nothing else. */
const message =
  /["'](?:messages?|msg|detail|info|information|note|title|text|response|result|output|data|content|reason)\\*["']\s*:\s*\\*["'](?!\w{0,20} ?(?:success|created|added|updated))/i

/** What stands within the first words of an error, whatever leads to it. */
const early =
  /no such|fatal|error|exception|fail|denied|n't |not |unable|invalid|missing|unknown|unsupported|unauthori|forbidden|require|limit|exceed|declin|timed? ?out|traceback|sorry|oops|wrong|illegal|undefined|too many|\b[45]\d\d\b|[\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/i

/** Stems of what a short text may say, wherever in it. */
const stem =
  /no [a-z]|couldn|fatal|already|refused|reset|closed|overload|unavailable|again|cannot|error|exception|fail|n't|n\u2019t|not |unable|invalid|missing|unknown|denied|forbidden|require|provide|exceed|limit|quota|key|token|auth|credential|sign(?:ed)? ?in|log(?:ged)? ?in|subscri|must|should|expect|valid|tool|function|endpoint|too |out of|illegal|only |gateway|request|fix |correct |\b[45]\d\d\b|[\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/i

/** What stands beside a missing piece. */
const mark =
  /truncat|clipped|omitted|elided|more (?:lines|rows|results|items|entries|char|content|output)|remaining|to continue|continue reading|\d (?:out )?of \d|limit (?:was |is )?(?:of|reached|hit|exceed)|not shown|showing|still running|new output|background|saved to/i

/** What a page without content says. */
const wall =
  /your (?:browser|connection)|\[object|sign ?up|loading|please wait|redirect|a moment|java ?script|cookie|captcha|robot|human|verif|unusual|log ?in|sign ?in|password|denied|blocked|not found|n't exist|unavailable|can't be reached|(?:url|page) error|for sale|construction|maintenance|登录|验证|不存在|加载|稍候/i

/** What tools say when all went well. */
const fine =
  /^(?:success(?!: ?false)|ok\b|done\b|created|updated|deleted|wrote|saved|fixed|added|process started|query:|total \d|found \d|here(?:'s| is| are)|\d+[.:\t])/i

/** A text, or its beginning, and its end. */
const isSuspectText = (text: string, end: string, length: number): boolean => {
  const isFine = fine.test(text)
  if (!isFine && early.test(text.slice(0, 90))) return true
  if (length <= tiny) return (!isFine && (stem.test(text) || wall.test(text))) || mark.test(text)
  return mark.test(end) || mark.test(text.slice(0, 160)) || (length <= page && wall.test(text))
}

const isClosed = (text: string): boolean => {
  let end = text.length - 1
  while (end > 0 && text.charCodeAt(end) <= 32) end -= 1
  const last = text.charCodeAt(end)
  return last === 125 || last === 93
}

const isSuspectStructure = (text: string): boolean => {
  if (!isClosed(text)) return true
  if (text.length <= short) return telling.test(text) || (text.length <= 600 && message.test(text))
  return telling.test(text.slice(0, head)) || telling.test(text.slice(-tail))
}

/** What a Python client prints before the first letter of the text, and behind its last. */
const printed =
  /^meta=\S{1,40} content=\[TextContent\(type='text', text=['"](?:\{(?:\\n|\s)*"_meta": \w+,(?:\\n|\s)*"content": \[(?:\\n|\s)*\{(?:\\n|\s)*"type": "text",(?:\\n|\s)*"text": ")?/
const closing =
  /(?:",(?:\\n|\s)*"annotations": \w+(?:\\n|\s)*\}(?:\\n|\s)*\],(?:\\n|\s)*"isError": false(?:\\n|\s)*\})?['"], annotations=\w+\)\] isError=False\s*$/

const isSuspectClient = (text: string): boolean => {
  const from = printed.exec(text)?.[0].length ?? 0
  const last = text.slice(-tail - 130)
  const to = closing.exec(last)
  if (to === null || last.includes('isError": true')) return true
  const length = text.length - from - (last.length - to.index)
  const inner = text.slice(from, from + Math.min(length, head))
  if (structured.test(inner) && !/[}\]](?:\\+n)?$/.test(last.slice(0, to.index))) return true
  if (structured.test(inner)) return telling.test(inner) || (length <= 600 && message.test(inner))
  return isSuspectText(inner, last.slice(0, to.index), length)
}

const structured = /^\s*(?:\\+n)*[{[]\s*(?:\\+["'n]|["'{[\]}])/

const json = /^[{[]\s*(?:["'{[\]}\d-]|true|false|null|$)/

/** Whether an answer must be looked at. */
export const isSuspect = (text: string): boolean => {
  const { length } = text
  if (length === 0) return false
  if (length >= 5_000 && length % 1_000 === 0) return true
  const first = text.charCodeAt(0)
  if ((first === 123 || first === 91) && json.test(text)) return isSuspectStructure(text)
  if (first === 109 && text.startsWith("meta=")) return isSuspectClient(text)
  return isSuspectText(length <= page ? text : text.slice(0, head), text.slice(-tail), length)
}
