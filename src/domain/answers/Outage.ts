/**
 * Recognises texts that are only the notice of an outage: the error page of a gateway (nginx, Cloudflare, IIS …), a status
 * such as `503 Service Unavailable`, and short notices such as `系统繁忙，请稍后再试`.
 *
 * A text about outages is data: an article, a log, a page of instructions.
 */
import { classify, ruleOf } from "#domain/classification/Classification"
import { QuotedError } from "#domain/classification/QuotedError"
import { errorIn } from "./ErrorText.ts"
import { isHtml, outageTitleIn } from "./WebPage.ts"

/** The longest notice, in characters. */
const longestNotice = 160

/** Rules of the classifier whose messages are about a whole service, and not about one thing that the text names. */
const aboutService =
  /^(?:http:|reason:|gateway:|chinese:(?:transient|rate)$|transient:(?:busy|again)$|limit:(?:rate|too-))/

/** Returns the title of the page, or the notice; `undefined` for any other text. */
export const outageIn = (text: string): string | undefined => {
  if (isHtml(text)) return outageTitleIn(text)
  if (text.length > 2 * longestNotice) return undefined
  const line = text.trim()
  if (line.length > longestNotice || line.includes("\n")) return undefined
  if (errorIn(line) === undefined) return undefined
  const { tag } = classify(line, { access: "read" })
  return tag === "Transient" && aboutService.test(ruleOf(line)) && /\p{Letter}/u.test(line) ? line : undefined
}

/** Returns the error of a notice or a title for the classifier, with the status that it contains. */
export const errorOf = (notice: string): QuotedError => {
  const status = /\b(?:408|429|50[0234]|52\d|530)\b/.exec(notice)?.[0]
  return new QuotedError(notice, status === undefined ? notice : { status: Number(status), message: notice })
}
