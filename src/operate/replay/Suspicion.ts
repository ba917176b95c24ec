/**
 * Whether an answer may be anything but fine: cheap scans that need no parsing, so that the many good answers of a log
 * cost next to nothing. What is suspected is looked at; what is not, passes.
 *
 * A failure stands at the beginning of an answer or at its end, or the answer is short; a field that tells of one has a
 * quote before it and a telling value behind it, at any depth of JSON in JSON.
 */

const head = 700
const tail = 400
/** Up to this length an answer is scanned as a whole. */
const short = 1_400
/** Where a remark on the answer begins, from its end. */
const end = 260
/** Up to this length an answer may be a page without content. */
const page = 1_500
/** Up to this length any sentence may be the message. */
const tiny = 320

/** Fields that tell of a failure, a missing piece or a wrapped text, with a value that is not the harmless one. */
const telling =
  /["'](?:(?:is_?)?errors?|err|error_?(?:message|code|type)|fault|exception)\\*["']\s*:\s*(?!null|None|\\*""|\\*''|\\*"\\*"|false|False|0\b|\[\s*\]|\{\s*\}|""|'')|["'](?:success|ok|response)\\*["']\s*:\s*(?:false|False|\\*["'](?:False|<|\s*[a-z]))|["'](?:status|result|status_?code|code|cod|state)\\*["']\s*:\s*\\*["']?(?:error|fail|[45]\d\d\b)|["'](?:has_?(?:more|next)\w{0,12}|(?:is_?)?(?:truncated|partial)|incomplete_?results|more)\\*["']\s*:\s*(?:true|True)|["']next\w{0,12}\\*["']\s*:\s*(?:\\*["'](?!\\*["'])|[1-9])/i

const fields = (part: string): boolean => telling.test(part)

/** Fields that tell something only where there is nothing else. */
const message =
  /["'](?:messages?|msg|detail|title|text|response|result|output|data|content|reason)\\*["']\s*:\s*\\*["'](?!\w{0,20} ?(?:success|created|added|updated))/i

const beginning =
  /^#{1,6} [\w ]{1,40}(?:failed|error|failure)\b|^[\s*_`>#|<([{\p{Extended_Pictographic}\uFE0F\u2717\u2718-]{0,12}(?:[\w.]{0,60}(?:error|exception)|fail|unable|cannot|can't|can not|could|an? |some|something|oops|sorry|the |this |your |you |invalid|missing|unknown|unsupported|malformed|unrecogni|bad |illegal|undefined|unexpected|no such|access|permission|request|operation|command|tool|api|https?|status|\d{3}\b|\d{1,3} validation|input|output|argument|mcp|traceback|did |please|not |unauthori|forbidden|service|gateway|internal|too many|rate|quota|time|exceeded|insufficient|[\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af])/iu

/** What stands within the first words of an error, whatever leads to it. */
const early = /error|exception|fail|denied|not found|n't exist|not exist|limit|declin|unsupported/i

const mark =
  /truncat|clipped|omitted|elided|more (?:lines|rows|results|items|entries|char|content|output)|remaining|to continue|continue reading|\d (?:out )?of \d|limit (?:of|reached|hit|exceed)|not shown|still running|new output|background|saved to/i

const wall =
  /loading|please wait|redirect|a moment|java ?script|cookie|captcha|robot|human|verif|unusual|log ?in|sign ?in|password|denied|blocked|not found|n't exist|unavailable|can't be reached|error|for sale|construction|maintenance|[\u4e00-\u9fff]/i

/** What tools say when all went well. */
const fine =
  /^(?:success(?!: ?false)|ok\b|done\b|created|updated|deleted|wrote|saved|fixed|added|process started|query:|total \d|found \d|here(?:'s| is| are)|\d+[.:\t]|[{[|])/i

/** The text that a client printed, from its first letter on. */
const printed =
  /^meta=\S{1,40} content=\[TextContent\(type='text', text=['"](?:\{(?:\\n|\s)*"_meta": \w+,(?:\\n|\s)*"content": \[(?:\\n|\s)*\{(?:\\n|\s)*"type": "text",(?:\\n|\s)*"text": ")?/

const isClosed = (text: string): boolean => {
  let end = text.length - 1
  while (end > 0 && text.charCodeAt(end) <= 32) end -= 1
  const last = text.charCodeAt(end)
  return last === 125 || last === 93
}

/** Stems of what a short text may say, wherever in it. */
const stem =
  /error|exception|fail|n't|n\u2019t|not |unable|invalid|missing|unknown|denied|required|exceed|limit|quota|key|token|auth|credential|sign|log|subscri|must|should|expect|valid|tool|function|endpoint|too |fix |correct |\b[45]\d\d\b|[\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/i

const isSuspectText = (text: string, length: number): boolean => {
  const isFine = fine.test(text)
  if (!isFine && (beginning.test(text) || early.test(text.slice(0, 80)))) return true
  if (length <= tiny) return (!isFine && (stem.test(text) || wall.test(text))) || mark.test(text)
  return mark.test(text.slice(-end)) || mark.test(text.slice(0, 160)) || (length <= page && wall.test(text))
}

const isSuspectStructure = (text: string): boolean => {
  if (!isClosed(text)) return true
  if (text.length <= short) return fields(text) || (text.length <= 600 && message.test(text))
  return fields(text.slice(0, head)) || fields(text.slice(-tail))
}

const structured = /^\s*(?:\\+n)*[{[]\s*(?:\\+["'n]|["'{[\]}])/
const clientEnd = /\bisError=(?:True|False)\s*$/

const isSuspectClient = (text: string): boolean => {
  const last = text.slice(-tail)
  if (!clientEnd.test(last) || last.endsWith("True") || last.includes('isError": true')) return true
  const start = printed.exec(text)?.[0].length ?? 0
  const inner = text.slice(start, start + head)
  if (structured.test(inner)) return text.length <= short ? fields(inner) || message.test(inner) : fields(inner)
  const until = inner.indexOf('",\\n')
  return until < 0 ? isSuspectText(inner + last, text.length) : isSuspectText(inner.slice(0, until), until)
}

/** Whether an answer must be looked at. */
export const isSuspect = (text: string): boolean => {
  const { length } = text
  if (length === 0) return false
  if (length >= 5_000 && length % 1_000 === 0) return true
  const first = text.charCodeAt(0)
  if (first === 123 || first === 91) return isSuspectStructure(text)
  if (first === 109 && text.startsWith("meta=")) return isSuspectClient(text)
  return isSuspectText(text, length)
}
