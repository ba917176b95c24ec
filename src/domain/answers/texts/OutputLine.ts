/**
 * Reads a line of a program's output: the prefix that a logger, a compiler or a shell puts before a message, the level,
 * and whether the message is an error.
 */
import { isSystemMessage } from "#domain/classification/grammar/SystemMessage"
import { sentences } from "#domain/classification/phrases/Strerror"
import { isFailure, isSuccess } from "./FailureSentence.ts"

/** What a line is to an answer. `detail` belongs to the line above it. */
export type Kind = "error" | "detail" | "remark" | "success" | "other"

/** The longest line that is read, in characters. */
const longestLine = 400

/** Parts of a prefix: times, levels and names in brackets, programs, places in files, marks. */
const prefix = new RegExp(
  [
    /[\s|│╷╵>*#=~•✗✘❌⚠!-]+/,
    /\p{Extended_Pictographic}\uFE0F?/u,
    /\[[^\]\n]{0,80}\]:?/,
    /\(\d+\/\d+\)|\d{1,3}\) /,
    /(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /,
    /(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* +\d{1,2} \d\d:\d\d:\d\d\S*/,
    /\d{4}[-/.]\d\d[-/.]\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?)?\S{0,8}/,
    /\d\d[-/.]\d\d[-/.]\d{2,4}(?: \d\d:\d\d(?::\d\d)?)?\S{0,8}/,
    /\d\d:\d\d:\d\d(?:[.,]\d+)?\S{0,8}/,
    /[EWIDF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [\w.-]+:\d+\]/,
    /(?:file:\/\/)?(?:[a-z]:)?[\w.~<>@+\\/-]*[./\\][\w.~<>@+\\/-]*(?:[:(][ ]?\d+(?:[:,] ?\d+)?\)?)?:/,
    /(?:npm|remote|stderr|stdout|output|response|level=\w+|ts=\S+|caller=\S+|component=\S+|status=\d+|time="[^"\n]*"|logger=\S+)(?=[\s:|])[:]?/,
    /(?:uncaught|unhandled)(?: promise)?(?: rejection| exception| error)?(?: \(in promise\))?:? /,
    /caused by: /,
    /line \d+(?:, column \d+)?: /
  ]
    .map(({ source }) => source)
    .join("|"),
  "iuy"
)

/** The name of a program. A capitalised word is the beginning of a message. */
const program =
  /(?!https?:|error|fatal|fail|exception|warn|info|debug|panic|note|success|ok\b|status|result|state|ERR|WARN|INFO|FAIL|NOTE)(?:[a-z][\w.@/\\-]{1,40}|[A-Z][A-Z\d-]{1,20}|[A-Z][a-z]+-\w{2,30} )(?:\[\d+\])?: +/y

/** Levels of errors, and other levels. */
const errorLevel =
  /(?:^|[\s[(|<=:"-])(?:error|fatal|critical|severe|emerg|panic|err|ERR!|FAILED|FAILURE|FAIL)(?=[\s\]:)|>",!/-]|$)|^[EF]\d{4} /i
const otherLevel =
  /(?:^|[\s[(|<=:"-])(?:info|inf|debug|trace|warn(?:ing)?|warnung|notice|verbose|dbg|wrn)(?=[\s\]:)|>",/-]|$)/i

/** Messages that begin with the name of an error, or with a word for one. */
const heads = new RegExp(
  [
    /^\(?(?:\w+ ){0,4}?[\w.$:@/\\-]*(?:[A-Za-z.:_](?:Error|Exception|Fault|Errno|NotFound|AccessDenied|DoesNotExist)|(?:^|\W)(?:Error|Exception))(?:s? (?!handl|log|report|rate|class|page)|(?=[:([\])]|$))/,
    // codes in capitals, of which one part is a word for a failure
    /^\(?(?=\w*(?:ERR|FAIL|DENIED|INVALID|NOT_FOUND|EXCEED|UNAVAIL|UNAUTH|FORBIDDEN|MISSING|TIME_?OUT|TIMED_OUT|REFUSED|REJECTED|EXPIRED|UNSUPPORTED|CONFLICT|ABORT|BAD_|ILLEGAL|DUPLICATE|EXHAUSTED|TOO_|LIMIT))[A-Z][A-Z\d]*(?:_[A-Z\d]+)+\)?(?:[\]:] ?|$)/,
    /^(?:ORA|PLS|TNS|SP2|SQL|DB2|DSN|CPF|MCH|HRESULT|SQLSTATE|SQLCODE)-?\d{3,6}[EN]?\b|^HRESULT: 0x8/,
    /^[A-Z]\w*(?:::\w+)*::\w*(?:Error|Exception)\w*(?:::\w+)*:? /,
    /^\w{2,60}(?:Failed|Failure)\(|^<? ?HTTP\/[\d.]+ [45]\d\d\b|^(?:GET|POST|PUT|PATCH|DELETE|HEAD) \S+ ?(?:[:=-]>?|\u2192|returned)? ?[45]\d\d\b/,
    /^thread '[^']*' panicked|^Msg \d+, Level 1\d|\(\w+Error\)$/,
    /^PAYMENT FAILED|^[A-Z ]{3,40} (?:FAILED|ERROR|DENIED|EXCEEDED|NOT FOUND)$/
  ]
    .map(({ source }) => source)
    .join("|"),
  "u"
)

const wordyHeads = new RegExp(
  [
    /^(?:[\w+#.-]{1,24} ){0,3}(?:fatal|panic|error|err|errors|failure|failed|exception|fehler|erreur|errore|erro|ошибка|出错|错误|エラー|오류)(?!\p{L}) ?(?:\[[^\]]{0,40}\]|\([^)]{0,40}\)|#?\w?\d{1,6}|in \S.*|at \S.*)? ?(?:[:=!\uFF1A]|\|\s)/u,
    /^(?:[^\n]{0,160}[:)] )?(?:fatal |compile |syntax |runtime |internal |linker )?error\b ?(?:[A-Z]{0,4}\d{2,5}|\[[^\]]{1,20}\])? ?:/,
    /^(?:error|fatal|failure|failed|exception|panic|segmentation fault|traceback)(?=[:!([]|$)(?! ?\((?:noun|verb|n\.|v\.))/,
    /^(?:failed|unable) to\b|^traceback \(most recent|^(?:uncaught|unhandled) \w*(?:error|exception|rejection)/,
    /^(?:出错|错误)/,
    /^[a-z]+(?:_[a-z]+)*_(?:error|failed|denied|exceeded|invalid|required|expired|unavailable|found)$/,
    /^(?:https?|http code|status|status code|error) ?:? ?[45]\d\d\b(?!\.\d)(?:\s|$|[:,-])/,
    /^[45]\d\d:? (?:bad request|unauthori[sz]ed|payment required|forbidden|(?:page )?not found|method not allowed|not acceptable|request timeout|conflict|gone|payload too large|unsupported media|unprocessable|too many requests|internal|not implemented|bad gateway|service unavailable|gateway time-?out|client error|server error)/
  ]
    .map(({ source }) => source)
    .join("|"),
  "iu"
)

/** The mark of `make` before the reason why it stops. */
const stopped = /\bmake(?:\[\d+\])?: \*\*\S? \S/

const strerror: ReadonlySet<string> = new Set(sentences.map(([sentence]) => sentence))

/** A program and what it worked on, before the reason of the system: `gzip: stdout: No space left on device`. */
const systemError = /^[a-z][\w.+-]{1,30}(?:\[\d+\])? ?: (?:[^\n]{0,300}: )?([^:\n]{4,80}?)[.\u3002]?$/u

/** True if a line is an error that a program reports in the words of the system's library. */
const isSystemError = (line: string): boolean => {
  const reason = systemError.exec(line)?.[1]?.toLowerCase().replaceAll("\u2019", "'")
  return (
    reason !== undefined && (strerror.has(reason) || isSystemMessage(reason.replaceAll(/(?<=\p{L})-(?=\p{L})/gu, " ")))
  )
}

/** The last line of a trace in Python: a class with its module, and the message (`zipfile.BadZipFile: File is not …`). */
const qualified = /^[a-z_]\w*(?:\.[a-z_]\w*){0,6}\.[A-Z]\w{2,60}: (\S[^\n]*)$/

const isException = (line: string): boolean => {
  const message = qualified.exec(line)?.[1]
  return message !== undefined && isFailure(message)
}

/** Lines that belong to the error above: frames, code with marks below it, notes, fields of the error. */
const details =
  /^\s*(?:at [\w.<$[(/\\]|at line|from \S+:\d|File "|Traceback \(most|\^|[~^]+\s*$|-->|=> |\d+ *\||\|?\s*\^|\|\s|└|├|#\d+ |in (?:function|call)\b|called as|goroutine \d|\.{3}|note:|help:|hint:|detail:?|details|context:|query:|did you mean|caused by|suggestion|reason|for more info|see |usage:|run |try |candidate|possible|expected|found|required|got|received|receiver|tried calling|location|code|status|type|title|message|instance|request|response|headers?|body|params?|url|path|errors?:|trace|stack|consider|you may|or (?:higher|lower)|please|\+ |@ \.?|@ \(|\* |- |@\w+=|[{}()[\],;]+\s*$|["'\w]+ ?(?:=>|:) )/i

const frame = /^\s+\S/

/** Returns the message of a line without its prefix, and the prefix. */
const splitOf = (line: string): readonly [prefix: string, message: string] => {
  let at = 0
  for (let parts = 0; parts < 14; parts++) {
    const part = [prefix, program].find((form) => {
      form.lastIndex = at
      return form.test(line)
    })
    if (part === undefined || part.lastIndex === at) break
    at = part.lastIndex
  }
  return [line.slice(0, at), line.slice(at)]
}

/** Lines of source code, and quotations of code. */
const code =
  /\b(?:throw (?:new )?\w+|raise \w+\(|except \w+|catch ?\(|new \w*(?:Error|Exception)\(|console\.\w+\(|TODO|FIXME|extends \w*(?:Error|Exception))|^\s*(?:const|let|var|import|export|def|class|func|fn|return|public|private|if ?\(|for ?\(|#include)\b/

/** A comment in source code, and lines of code that are also sentences. */
const comment = /^\s*(?:\/\/ |package \w+;?$|interface )/

/** True if a line is source code or a comment in it. */
export const isCode = (line: string): boolean => code.test(line) || comment.test(line)

/** A note of a tool that cuts its answers: `[Line 3 exceeds 50 KB. Use offset=4 to continue]`. */
const cutNote = /^\s*\[[^\]\n]*\b(?:use|offset|truncated)\b/i

/** True if a line begins with the mark of an error: its name, its level or a word for it. */
export const isMarked = (line: string): boolean => {
  const text = line.slice(0, longestLine)
  const [before, message] = splitOf(text)
  return (
    !code.test(text) &&
    (stopped.test(text) ||
      isSystemError(text) ||
      isException(text) ||
      (errorLevel.test(before) && !measure.test(message)) ||
      isHead(message) ||
      isHead(text.trim()))
  )
}

/** A word at the beginning of a message that can be its level. */
const firstWord = /^[\w!]{1,9}[\s:|-]/

/** An error in the fields of a log line. */
const errorField = /\berr(?:or)?="[^"]{3}/

/** Levels of warnings and less, and the names and codes of warnings. */
const lowerLevel = /\b(?:WARN(?:ING)?|INFO|DEBUG|NOTICE|VERBOSE|TRACE)\b/
const namedWarning = /^\w*Warning: |\b[A-Z]{2,4}\d{4}W\b/

/** A message that says that there is no error, or how many there are. */
const noErrors = /^\W*(?:0|none|null|no|false)(?: errors?| failures?)?\W*$/i
const countsNone = /\b(?:0|no) errors?\b/i

/** Signs before the lines of a frame around an error. */
const frameSign = /^\s*[│|]/

/** Returns what a line is to an answer. */
export const kindOf = (line: string): Kind => {
  const text = line.slice(0, longestLine)
  if (code.test(text)) return "other"
  if (isSystemError(text) || isException(text)) return "error"
  if (cutNote.test(text)) return "remark"
  const [before, message] = splitOf(text)
  if (code.test(message)) return "other"
  const level = `${before} ${firstWord.exec(message)?.[0] ?? ""}`
  const isError = (errorLevel.test(level) && !measure.test(message)) || stopped.test(text) || errorField.test(text)
  if (
    !isError &&
    (otherLevel.test(level) || lowerLevel.test(text.slice(0, 160)) || namedWarning.test(`${message}\n${text}`))
  ) {
    // the message of a log line can be the line of another log
    return /\bERROR\b|\bFATAL\b/.test(message) && !countsNone.test(message) ? "error" : "remark"
  }
  if (isError && !noErrors.test(message)) return "error"
  if (isHead(message) || isHead(text.trim()) || isFailure(message)) return "error"
  if (isSuccess(message)) return "success"
  const inside = line.replace(frameSign, " ")
  return frame.test(inside) || details.test(inside) ? "detail" : "other"
}

/** Names and counts in which `error` is a measure. */
const measure =
  /^\w+ \((?:noun|verb|adj)|^(?:assertion|standard|mean|squared|absolute|relative|average|percent|margin|root|rounding|total|number of)\b|\berrors? ?[:=] ?(?:(?:none|null|no(?: errors?)?(?: found)?|false|n\/a|""|'')(?=\W*$|[,;|)\]}])|0(?![\w.])|\d[\d.,]* ?%?\s*$)|^errors: \d|^error: \d[\d.]*\s*[,;|)]/i

const isHead = (message: string): boolean =>
  /\p{L}/u.test(message) && (heads.test(message) || wordyHeads.test(message)) && !measure.test(message)
