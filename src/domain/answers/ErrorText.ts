/**
 * Recognises texts that are only an error: `Error: 503 …`, `Failed to retrieve …`, `ERROR:` followed by a paragraph, or
 * a stack trace.
 *
 * **Details**
 *
 * - The text must begin with a phrase that introduces an error. A log, a test run, a listing or an article that
 *   contains such a phrase elsewhere is information.
 * - The lines after the first must belong to the error: indented details, stack frames, advice.
 * - A sentence without such a beginning counts only if the classifier recognises a refusal, a limit or a message of a
 *   known program, whose wording does not occur in data: keys, credentials, subscriptions, quotas, validators, tools
 *   that do not exist.
 */
import { classify, ruleOf } from "#domain/classification/Classification"
import { reasonPhrases } from "#domain/classification/codes/HttpStatus"

/** The longest text that can be one message. */
export const longestMessage = 600

const longestSentence = 250

const success =
  /(?<!\bnot )(?<!\bnot be )(?<!n't )(?<!n't be )\b(?:created|saved|sent|updated|deleted|removed|added|moved|found|completed|succeeded|successful(?:ly)?|done)\b/i

/** True if the classifier recognises a failure and the text reports neither a success nor an empty answer. */
export const readsAsFailure = (message: string): boolean => {
  const rule = ruleOf(message)
  if (rule.startsWith("refusal:endpoint")) return true
  return rule !== "default" && !success.test(message) && !(rule.startsWith("missing:") && nothingFound.test(message))
}

/** A sentence that says that the answer is empty. */
const nothingFound =
  /^(?:there (?:are|is|were|was) )?no (?!such\b)[\w' -]{2,60}$|^(?:there (?:are|is|were|was) )?no (?!such\b)[\w' -]{2,40} (?:found|match|available|exist)/i

/** Decorations that programs put before a message: bullets, crosses, emphasis, headings, tags. */
const decoration = /^(?:[\s\p{Extended_Pictographic}\uFE0F\u2717\u2718\u2715*_`>#|-]|<(?:\w+_)?error>|\[(?=error\b))+/iu

const nothing = String.raw`(?!\s*(?:(?:0|none|null|false|n\/a)\b|no(?: \w+)?\s*(?:$|[.,;])|-?[\d.,]+ ?%?\s*$))`

const anyOf = (forms: ReadonlyArray<RegExp>): RegExp => new RegExp(forms.map(({ source }) => source).join("|"), "i")

/** Beginnings that only errors have. */
const leads = anyOf([
  new RegExp(String.raw`^(?!assertion)[\w.]{0,60}(?:error|exception)s?\]?\s*[:\uFF1A]${nothing}\s*\S`, "i"),
  new RegExp(
    String.raw`^(?!standard|mean|squared|absolute|relative|average|percent|margin|root|rounding)(?:[\w-]{2,24} ){1,3}(?:error|exception)(?: \([\w -]{1,20}\)| \d{3})?\s*[:\uFF1A]${nothing}\s*\S`,
    "i"
  ),
  /^(?:the )?user (?:does ?n[o']t want|declined|denied|rejected|refused|cancell?ed|did not (?:approve|allow))\b/i,
  /^[\w ]{2,40} failed: [A-Z]{3,}(?:_[A-Z]{2,})+\b/i,
  /^(?:error|exception) (?:(?!handl|log|report|track|check|monitor|correct|recover)[a-z]{2,16}ing|while|when|in|during|on|at|from|code|occurred|\d{3})\b/i,
  /^(?:an? )?unhandled (?:errors?|exceptions?)\b|^[^\n]{0,120}\(\d+ sub-exceptions?\)$/i,
  /^(?:an? |some |the )?(?:[a-z]{2,16} ){0,3}(?:error|exception|problem|failure) (?:has |was |had )?(?:occurred|happened|encountered|thrown)\b/i,
  /^(?:failed|failure|unable) to [a-z]/i,
  /^could ?(?:not|n't) (?!be\b)[a-z]{3,16}\b/i,
  /^(?:something|things?) went wrong\b/i,
  /^(?:skipp(?:ed|ing)|ignor(?:ed|ing)|reject(?:ed|ing)|abort(?:ed|ing))\b[^\n]{0,30}\b(?:call|request|operation|tool|command)\b/i,
  /^(?:oops|sorry|apologies)\b[^\n]{0,80}(?:error|wrong|fail|not|n't|unable|invalid|limit|unavailable)/i,
  /^(?:the |this |your |api |tool |http )?(?:request|operation|command|call|connection|query|navigation|execution|download|upload|fetch|login|authentication|authorization|validation|lookup|transaction|update|script|job|task|process|function|tool|tool call) (?:has |was |has been |was not )?(?:timed out|failed(?! \d)|aborted|rejected|denied|refused|forbidden|skipped|cancell?ed|crashed|exceeded)\b/i,
  /^(?:the |this |your )?(?:tool )?(?:call|request|action|operation) (?:was |is |has been )?not (?:approved|permitted|allowed|authori[sz]ed)\b/i,
  /^(?:the )?(?:tool|function) (?:call )?(?:['"`][^'"`\n]{1,80}['"`]|[\w.-]{2,80}) (?:exceeded|failed|timed out|crashed|(?:was |is )?not (?:found|available|registered))\b/i,
  /^(?:access|permission)(?: is| was)? (?:denied|forbidden|restricted)\b/i,
  /^https? (?:error|status)\b/i,
  /^status[ _]code:? [45]\d\d\b/i,
  /^\d{1,3} validation errors?\b/i,
  /^(?:input|output|argument|schema|request|parameter) validation (?:error|failed)\b/i,
  /^(?:mcp|json-?rpc) error -\d/i,
  /^traceback \(most recent call last\)/i,
  /^(?:erreur|fehler|errore|erro|ошибка|エラー|오류)\s*[:\uFF1A]\s*\S/i,
  /^[^\n:\uFF1A]{0,20}(?:失败|错误|异常|出错)\s*[:\uFF1A\u3002\uFF01]/u,
  /^(?:无法|未找到|找不到|缺少|无效的|请求失败|参数错误|操作失败)/u
])

/** Beginnings that an answer may also have, so the classifier must recognise a failure in the line. */
const weakLeads = anyOf([
  /^(?:invalid|missing|unknown|unsupported|malformed|unrecogni[sz]ed|bad|illegal|undefined|unexpected|duplicate|no such|non-?existent) \S+(?: |:|$)/i,
  /^(?:could ?not|couldn't|can ?not|can't|did not|didn't) (?:be )?[a-z]{3,16}\b/i,
  /^(?:the )?(?:[\w '"`/:@-]|\.(?! )){2,120} (?:was |is |were |could |does |do |has )?(?:not|n't) (?:been |an? )?(?:be )?(?:found|exist|defined|registered|recogni[sz]ed|valid|supported|available|allowed|permitted|installed|granted|in (?:the |this |your )?(?:list|database|index|catalogue?|collection|dataset|range))\b/i,
  /^(?:i|we) (?:could ?n[o']t|can ?not|can't) (?:understand|parse|process|recogni[sz]e|interpret|read)\b/i,
  /^no [\w '"`./:@-]{2,80} (?:named|called|with (?:the )?(?:id|name|key))\b/i,
  /^(?:the )?(?:parameter|argument|field|column|property|option|port|input)s? \S/i,
  /^(?:please )?provide (?:an? |the |at least |one |either )/i,
  /^[a-z]{1,24}(?:_[a-z]{1,24}){1,4} (?:requires?|needs?|expects?|must)\b/i,
  /^(?:did you mean|please (?:provide|specify|check|enter|supply|use|try|set|verify|authenticate|configure|log|sign|subscribe|upgrade))\b/i,
  /^only [\w ,/()-]{2,60} (?:is|are) (?:supported|allowed|accepted|permitted)\b/i,
  /^(?:(?!tests?\b|checks?\b|builds?\b)[\w-]{2,20} ){1,4}(?<!test |check |build |assertion |verification )failed: \S/i,
  /^[\w '"#.-]{1,60} (?:is |was |are )?out of (?:range|bounds)\b/i,
  /^[\w ]{2,30} limit (?:reached|exceeded)\b/i,
  /^(?:missing|required|insufficient|exceeded|too many|rate limit|quota|timeout|timed out)\b/i
])

/** Word stems that nearly all messages of the rules below contain. To save time, other sentences are not classified. */
const stem =
  /key|token|auth|credential|password|log(?:in|ged)|sign(?:ed)? ?in|subscri|plan|licen|quota|limit|exceed|too |credit|billing|payment|valid|required|expected|must|should|permitted|propert|tool|function|endpoint|route|api\b|method|implement|throttl|slow down|\bfix |correct |output|response|upstream|gateway|no such|cannot|can't|could|unable|fatal|refused|reset|closed|denied|overload|timed? ?out|unavailable|unreachable|try again|retry|deadlock|errno|\b[EW][A-Z]{4,}/i

/** Rules of the classifier whose messages do not resemble data: refusals, limits, and messages of known programs. */
const unmistakable =
  /^(?:transient:(?!outage)|errno:|sqlstate:|mysql:|curl:|grpc:|net:|npm:|spawn:|tls:|strerror:|git:|shell:|container:|database:|script:|refusal:(?:key|authentication|credentials|subscription|endpoint)|limit:|validator:|missing:tool|jsonrpc:|gateway:)/

const isUnmistakable = (text: string): boolean => unmistakable.test(ruleOf(text.replaceAll(quoted, "x")))

/** Matches quotations. They are ignored, because a quoted phrase is only mentioned. */
const quoted = /(?<!\w)(["'`])[^"'`\n]{1,80}\1(?!\w)|[\u201c\u00ab][^\u201d\u00bb\n]{1,80}[\u201d\u00bb]/g

/** True if a line is one sentence, possibly with advice, and reports neither a success nor an exit status. */
const isSentence = (line: string): boolean =>
  !success.test(line) && !prose.test(line) && !/\bexit(?:ed)?(?: with)?(?: exit)? (?:code|status)\b/i.test(line)

const prose =
  /[.!?] (?!(?:please|try|check|see|use|if|make|contact|perhaps|did|retry|upgrade|subscribe|go|ensure|wait|visit|you|your|it|this|for|set|the (?:input|command|process)|reset|limit|learn|available|valid|allowed|supported|request|current|retrying)\b)[A-Z]/i

/** True if a line begins like an error. After a weak beginning, the classifier must also recognise a failure. */
const startsLikeError = (line: string): boolean =>
  leads.test(line) || (line.length <= longestSentence && weakLeads.test(line) && readsAsFailure(line))

/**
 * Matches a Chinese sentence that says that a service cannot answer now: `系统繁忙，请稍后再试`. A text about such sentences is
 * longer.
 */
const chineseNotice =
  /^(?:(?:很?抱歉|对不起|對不起|提示|错误|錯誤|警告|error)[\s,.:!\uFF0C\uFF1A\uFF01\u3002]*)?(?:当前|當前|目前|您的?|该|該|本)?(?:系统|系統|服务|服務|伺服|网络|網路|網絡|网关|網關|请求|請求|操作|接口|访问|訪問|存取|调用|呼叫|连接|連接|連線|后端|後端|后台|上游|平台|数据库|資料庫|模型|用户|人数|并发|流量|api|ai|器|的|量){0,5}(?:响应|響應|处理|處理|执行|執行)?(?:太|过于|過於|过|過|暂时|暫時|临时|臨時|正|正在|比较|比較|发生|發生|出现|出現|已|被|性){0,3}(?:繁忙|忙|不可用|超时|逾时|逾時|超時|频繁|頻繁|过多|過多|太多|异常|異常|故障|中断|中斷|(?:维护|維護|升级|升級)中|开小差|開小差|拥挤|擁擠|过载|過載|无响应|無回應|无法访问|無法存取|限流)(?:了|中)?(?:[\s,.!\uFF0C\u3002\uFF01]*(?:请|請)?(?:您)?(?:稍后|稍後|稍候|过一会儿?|晚点|等待?片刻后?)(?:再|重新)?(?:重?[试試](?:一次)?|访问|操作|使用)?)?[\s.!~\u3002\uFF01\uFF5E]*$/iu

const longestChineseNotice = 60

const isChineseNotice = (line: string): boolean =>
  line.length <= longestChineseNotice && chineseNotice.test(line) && /^chinese:(?:transient|rate)$/.test(ruleOf(line))

/** True if a line is an HTTP status with its phrase, or a phrase alone: `503 Service Unavailable`, `Forbidden`. */
export const isStatus = (line: string): boolean =>
  line.length <= 120 &&
  (/\b[45]\d\d\b/.test(line) || reasonPhrases.has(line.toLowerCase().replaceAll(/^error: |[.!]$/g, ""))) &&
  /^(?:http|reason):/.test(ruleOf(line)) &&
  /^(?:\w{0,20}[ :/]{0,3}|http\/\d(?:\.\d)? )?[45]\d\d\b|^\D*$/i.test(line) &&
  !amount.test(line)

/** Matches amounts and addresses: `450 EUR`, `512 rows`, `501 Market Street`. */
const amount =
  /^[45]\d\d(?:[.,]\d|\s?(?:[€$£¥%]|(?:EUR|USD|GBP|CHF|JPY|CNY|km|kg|g|m|cm|mm|ml|l|ms|s|min|h|rows?|items?|results?|users?|files?|bytes|[kmg]b|px|points?|pages?|people|days?|hours?|minutes?)\b|(?:\p{L}+ ){1,3}(?:street|st|road|rd|avenue|ave|lane|drive|square)\b))/iu

const frame = /^\s*(?:at \S.{0,300}[:(]\d+|File "[^"\n]{1,300}", line \d+|Traceback \(most recent|\^+\s*$|caused by:)/i

/** Lines that may follow an error and belong to it. */
const belongs =
  /^(?:\s*$|\s+\S|[-*\u2022\d]\S?\s|at \S|File "|Traceback|Caused by|For (?:further|more) information|[[(]?(?:Analy[sz]e the|Available|Allowed|Valid|Supported|Did you|Please|Try|Hint|Note|See|Use|Suggestion|Troubleshooting|Details?|Usage|Expected|Received|Got|Check|LINE \d|DETAIL|HINT|CONTEXT|QUERY)\b)/i

/** True if the first line ends with a colon and a short paragraph with the cause follows. */
const isCause = (line: string, lines: ReadonlyArray<string>): boolean => {
  const below = lines.slice(1).filter((other) => other.trim() !== "")
  return line.endsWith(":") && below.length <= 3 && below.every((other) => other.length <= 200 && !/^[\d[]/.test(other))
}

/** Returns the message of a stack trace if the text contains little else, which means that the tool crashed. */
const crash = (lines: ReadonlyArray<string>): string | undefined => {
  const first = lines.findIndex((line) => frame.test(line))
  if (first < 0) return undefined
  const frames = lines.filter((line) => frame.test(line)).length
  const others = lines.filter((line) => line.trim() !== "" && !frame.test(line) && !/^\s/.test(line)).length
  if (frames < 2 || others > frames + 4) return undefined
  if (/^traceback/i.test(lines[first]?.trim() ?? "")) {
    return lines.findLast((line) => /^[\w.]{1,80}(?:Error|Exception|Exit|Interrupt)\b/.test(line))?.trim()
  }
  return lines
    .slice(0, first)
    .findLast((line) => /error|exception|fail/i.test(line))
    ?.trim()
}

/** Returns the text under a heading that only announces a failure: `ERROR:`, `# Search Failed`. */
const headed = (line: string, rest: string): string | undefined => {
  if (/^(?:(?:error|failed|failure|exception)\s*[:!]|success: ?false)$/i.test(line))
    return rest.trim() === "" ? undefined : rest.trim()
  if (!/^[\w ]{1,40}\b(?:failed|error)$/i.test(line)) return undefined
  const below = rest.trim().split("\n", 1)[0] ?? ""
  return startsLikeError(below) || /\b(?:error|failed|exception)\b/i.test(below) ? below : undefined
}

/** Matches a text that begins with the level of a warning, which is not an error. */
const warning = /^(?:warn(?:ing)?|warnung|avertissement|advertencia|aviso|avviso|предупреждение|警告) ?[:\uFF1A]/i

/** Returns the message of a text that is only an error; `undefined` for any other text. */
export const errorIn = (text: string): string | undefined => {
  const plain = text.slice(0, 4_000).trim()
  const bare = plain.replace(decoration, "")
  const lines = bare.split("\n")
  const line = lines[0]?.trim() ?? ""
  if (line === "" || line.length > longestMessage || warning.test(line)) return undefined
  if (lines.length === 1) {
    if (startsLikeError(line) || isStatus(line) || isChineseNotice(line)) return line
    return line.length <= longestSentence && stem.test(line) && isSentence(line) && isUnmistakable(line)
      ? line
      : undefined
  }
  const rest = bare.slice(bare.indexOf("\n"))
  const isAnswer = /^(?:error\W{1,3}|http\S* )?[45]\d\d\b/i.test(line) && isStatus(line)
  if (isAnswer && !/^[1-5]\d\d\b/m.test(rest)) return line
  const message = headed(line, rest) ?? crash(lines)
  if (message !== undefined) return message.slice(0, longestMessage)
  if (fixAndRetry.test(plain)) return `${line}\n${lines.at(-1)}`
  const isPrinted = /^(?:fatal|FATAL|ERROR|psql: error): /.test(line) && plain.length <= longestMessage
  if (isPrinted && !/^\W?\d\d/m.test(rest) && isUnmistakable(plain)) return plain
  const isWhole = text.length <= 4_000 && (lines.slice(1).every((other) => belongs.test(other)) || isCause(line, lines))
  if (startsLikeError(line) && (isWhole || ruleOf(plain).startsWith("validator:")))
    return plain.slice(0, longestMessage)
  return undefined
}

/** The advice at the end of an MCP client's report of invalid arguments. */
const fixAndRetry = /\bfix the errors? and (?:try|call|retry)\b[^\n]{0,30}$/i

/** The longest text that is an error because of its words alone, in characters. */
const longestWords = 100

const denials: ReadonlySet<string> = new Set(["unauthorized", "permission_denied"])

/**
 * Returns the message of a text that consists of an error, although JSON was expected; `undefined` for any other text.
 *
 * Such a text cannot be the promised data. If it is short, the words of an outage, of an exhausted resource or of a
 * missing permission suffice: `out of memory`, `内存不足`.
 */
export const errorInsteadOfJson = (text: string): string | undefined => {
  const found = errorIn(text)
  if (found !== undefined) return found
  const line = text.trim()
  if (line.length > longestWords || line.includes("\n") || !isSentence(line)) return undefined
  const { code, rule, tag } = classify(line, { access: "read" })
  const isKnown = rule !== "default" && (tag === "Transient" || tag === "Resource" || denials.has(code))
  return isKnown ? line : undefined
}
