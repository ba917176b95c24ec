/**
 * Recognises web pages without content: HTML error pages, and placeholders (`Loading...`, consent walls, captchas,
 * login forms) that a tool fetched instead of the content.
 */
import { ruleOf } from "#domain/classification/Classification"
import { isStatus } from "./ErrorText.ts"

const html = /^(?:\uFEFF|\s|<!--.*?-->|<\?xml.*?\?>)*<(?:!doctype\s+html|html)\b/is

/** True if a text is an HTML page. */
export const isHtml = (text: string): boolean => html.test(text.slice(0, 2_000))

/** Returns the title of an HTML page, or its first heading if the page has no title. */
export const titleOf = (page: string): string =>
  /<(title|h1|h2|pre)\b[^>]*>([^<]{1,200})<\/\1>/i.exec(page.slice(0, 20_000))?.[2]?.trim() ?? ""

/** The longest error page of a gateway, and its longest visible text, in characters. */
const longestPage = 40_000
const longestVisible = 3_000

/**
 * A title that consists of an HTTP status for an outage and the phrase of the status, such as `503 Service
 * Unavailable`. A title with more words belongs to a text about the status.
 */
const outageTitle =
  /^(?:[\w.-]{1,80} \| )?(?:iis [\d.]+ detailed error - )?(?:https? |error:? |status:? |http (?:error|status):? |code:? )*(?:(?:408|429|50[0234]|52\d|530)(?:\.\d{1,3})?)(?:[\s:|(\u2013\u2014-]+(?:the )?(?:error|service(?: is)?(?: temporarily)? (?:unavailable|overloaded)|temporarily unavailable|bad gateway|gateway time-?out|too many requests|rate limited|request time-?out|internal server error|server error|proxy error|backend fetch failed|connection (?:timed out|refused)|web server is (?:down|returning an unknown error)|web server received an invalid response while acting as a gateway or proxy server|origin is unreachable|a timeout occurred|ssl handshake failed|\p{Script=Han}{1,12}))?[\s).!1]*$/iu

/** A title that consists of such a phrase. */
const outagePhrase =
  /^(?:error:? )?(?:service (?:temporarily )?unavailable|(?:the )?service is (?:temporarily )?unavailable|bad gateway|gateway time-?out|too many requests|temporarily unavailable)(?: - [\w ]{1,40})?[.!]?$/i

const headings = /<(title|h1|h2)\b[^>]*>([^]{1,300}?)<\/\1\s*>/gi

/**
 * Returns the title or the heading of the error page of a server or gateway that is unavailable; `undefined` for any
 * other text. Articles about such errors have a longer title or a longer text.
 */
export const outageTitleIn = (text: string): string | undefined => {
  if (text.length > longestPage || !isHtml(text)) return undefined
  const visible = text.replaceAll(/<(script|style|svg)\b[^]*?<\/\1\s*>/gi, " ").replaceAll(/<[^<>]{0,2000}>/g, " ")
  if (visible.replaceAll(/\s+/g, " ").length > longestVisible) return undefined
  for (const [, element = "", content = ""] of text.matchAll(headings)) {
    const heading = content
      .replaceAll(/<[^<>]{0,200}>/g, " ")
      .replaceAll(/&(?:ndash|mdash|nbsp|#8211|#8212|#160);/g, " ")
      .replaceAll(/\s+/g, " ")
      .trim()
    if (heading.length > 120) continue
    if (outagePhrase.test(heading) || (outageTitle.test(heading) && !isBareStatus(heading))) return heading
    // the headings of a page with another title belong to its content
    if (element.toLowerCase() === "title" && heading !== "" && !/^(?:application )?error\b/i.test(heading))
      return undefined
  }
  return undefined
}

/** True if a title has a status and no word for an error, like the title of an article on the status. */
const isBareStatus = (title: string): boolean =>
  !/\p{Script=Han}|[a-z]{4,}/iu.test(title.replaceAll(/https?|status|code/gi, ""))

/** Returns the title of an HTML error page, such as `502 Bad Gateway`; `undefined` for any other text. */
export const errorTitleIn = (text: string): string | undefined => {
  if (!isHtml(text)) return undefined
  const outage = outageTitleIn(text)
  if (outage !== undefined) return outage
  const title = titleOf(text)
  if (title === "" || title.length > 80) return undefined
  const isError =
    isStatus(title) ||
    /^(?:access denied|application error|error(?: \d{3})?(?= *(?:[:|\u2013\u2014-]|$))|not found|page not found|server error|cannot (?:get|post|put|delete) \/\S*)(?:\W|$)/i.test(
      title
    ) ||
    /^refusal:(?:endpoint|rights|authentication)/.test(ruleOf(title))
  return isError ? title : undefined
}

/** The longest placeholder, in characters. */
const longestPlaceholder = 1_500

/** The maximum length of a page that is only a login form or a consent wall, in characters without links. */
const longestForm = 700

/** Lines above a fetched page: its source and titles. */
const preamble =
  /^(?:contents? of \S+:?|content type [^\n]*|url(?: source)?: \S+|title: [^\n]*|markdown content:|#{1,6} [^\n]*|[^\n|]{1,80} [|\u2013\u2014-] [^\n]{1,60})\s*(?:\n|$)/i

/** The text of a page that had not finished loading. */
const waiting =
  /^(?:loading|please wait(?: (?:for|while) [\w ]{1,40})?|redirecting|just a moment|one moment|checking your browser|verifying|connecting|processing|undefined|\[object object\]|nan|url error|page error|<error>[^<]{1,300}<\/error>|加载中|请稍候|正在加载)[\s.\u2026!]*(?:please wait[\s.\u2026!]*)?$/i

const walls: ReadonlyArray<RegExp> = [
  // scripts
  /\b(?:enable|turn on|requires?|needs?|without|activate) (?:\w{1,12} )?(?:java ?script|cookies)\b/i,
  /\bjava ?script (?:is|must be|has been|seems to be|appears to be) (?:\w{1,12} )?(?:disabled|required|enabled|off|blocked)\b/i,
  // robots
  /\bbrowser (?:is|seems|appears) (?:to be )?(?:out of date|outdated|not supported|unsupported|no longer supported)\b|\b(?:update|upgrade) your browser\b/i,
  /\b(?:verify|confirm|prove|checking|check|make sure) (?:that |if )?(?:you(?:'re| are)|you)(?: not)? (?:a )?(?:human|robot|bot|person)\b/i,
  /\bare you (?:a )?(?:human|robot)\b|\bnot a robot\b|\bcaptcha\b|\bhuman verification\b/i,
  /\bmake sure you(?:'|\u2019)?(?:re| are) not a\b|\bunusual (?:traffic|activity)\b|\bautomated (?:access|requests|queries)\b|\bsecurity (?:check|verification)\b|\bddos protection\b|\bbot detection\b/i,
  /\bchecking (?:if |your |the )[^\n]{0,30}\b(?:browser|connection|secure)\b|\bsecurity of your connection\b|\bjust a moment\.\.\.|\bperformance (?:&|and) security by\b|\bpress (?:&|and) hold\b|\bpardon our interruption\b/i,
  /\baccess to this page (?:has been|is) (?:denied|blocked|restricted)\b|\byou (?:have been|are|were) blocked\b|\b(?:do not|don(?:'|\u2019)t) have (?:permission|access) to (?:access|view)\b/i
]

/** Phrases that pages with content also contain. They count only in short pages. */
const softWalls: ReadonlyArray<RegExp> = [
  // consent
  /\bbefore you continue to\b|\b(?:accept|reject|allow|manage) (?:all )?cookies\b|\bwe (?:and our partners )?use cookies\b[\s\S]{0,400}\b(?:accept|reject|agree|manage|preferences)\b|\bcookie (?:consent|preferences|settings)\b|\bwe value your privacy\b/i,
  // login
  /\b(?:log|sign)[ -]?in (?:to (?:continue|view|see|access|your|proceed|read|\w+$)|required|or (?:sign|register|create))\b/i,
  /\b(?:please|must|need to|have to) (?:log|sign)[ -]?in\b|\bforgot(?:ten)? (?:your )?password\b|\bcreate (?:an|new|your) account\b/i,
  /^#{1,4}\s*(?:log|sign)[ -]?(?:in|on)\s*$/im,
  /^(?:log|sign)[ -]?in\s*\n[\s\S]{0,40}?^(?:sign ?up|register|create account)\b/im,
  /请(?:先)?登录|验证码|人机验证|安全验证|登录后/u,
  // errors in the shape of a page
  /\b(?:page|content|article|url) (?:you(?:'re| are| were)? (?:looking for|requested|tried)|could not be found|cannot be found|not found|does(?: not|n't) exist|is(?: not|n't) available|no longer exists|is unavailable)\b/i,
  /^\W{0,4}(?:error )?(?:404|403|500|502|503)\b[^\n]{0,20}\b(?:not found|forbidden|error|bad gateway|unavailable)\b/im,
  /\b(?:this )?(?:site|page) can(?:'|\u2019)?t be reached\b|\bdomain (?:is|may be) for sale\b|\bunder (?:construction|maintenance)\b|\bcoming soon\b|\bwelcome to nginx\b|\bapache2? (?:\w+ )?default page\b|页面不存在|访问的页面/iu
]

const links = /\]\([^)\s]{0,2000}\)|https?:\/\/\S{1,2000}/g

/** Returns the phrase that shows that a page has no content; `undefined` if the page has content. */
export const placeholderIn = (text: string): string | undefined => {
  if (text.length > longestPlaceholder) return undefined
  let body = text.trim()
  for (let before = ""; before !== body;) {
    before = body
    body = body.replace(preamble, "").trim()
  }
  if (waiting.test(body)) return body
  const isForm = body.replaceAll(links, "").length <= longestForm
  for (const wall of isForm ? [...walls, ...softWalls] : walls) {
    const found = wall.exec(text)
    if (found !== null) return found[0]
  }
  return undefined
}
