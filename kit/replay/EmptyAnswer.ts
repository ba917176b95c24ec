/** Detects recorded answers without content: placeholder pages and empty envelopes. */
import { isHtml, placeholderIn, titleOf } from "effect-toolguard/internal/domain/answers/WebPage"
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"

const fetching =
  /fetch|browse|scrap|crawl|navigat|playwright|puppeteer|browser|visible_text|web_?page|page_content|url|html|markdown|screenshot|snapshot/i

const holdsUrl = (args: unknown, depth = 0): boolean => {
  if (typeof args === "string") return /^https?:\/\//i.test(args)
  if (typeof args !== "object" || args === null || depth > 3) return false
  return Object.entries(args).some(
    ([name, value]) =>
      (/^(?:ur[li]s?|link|website|domain|href)$/i.test(name) && typeof value === "string") ||
      (name === "tool_name" && typeof value === "string" && fetching.test(value)) ||
      holdsUrl(value, depth + 1)
  )
}

/** True if a call fetches a page. */
export const isFetched = (tool: string, args: unknown): boolean => fetching.test(tool) || holdsUrl(args)

const isEnvelope = (answer: unknown): boolean =>
  isJsonObject(answer) && Object.hasOwn(answer, "error") && Object.hasOwn(answer, "response")

const isVoid = (answer: unknown): boolean => isJsonObject(answer) && answer["error"] === "" && answer["response"] === ""

/**
 * Returns one line that says why an answer has no content, or `undefined` if the answer may have content. `answers` are
 * the answers that the text wraps.
 */
export const emptiness = (tool: string, args: unknown, answers: ReadonlyArray<unknown>): string | undefined => {
  if (answers.some(isVoid)) return "The answer contains neither an error nor a result."
  const isWrapped = answers.some(isEnvelope)
  const isPage = isFetched(tool, args)
  for (const answer of answers) {
    if (typeof answer !== "string") continue
    if (isWrapped && isHtml(answer)) return `The answer is an HTML page instead of data: "${titleOf(answer)}"`
    const placeholder = isPage ? placeholderIn(answer) : undefined
    if (placeholder !== undefined) return `The page has no content: ${placeholder}`
  }
  return undefined
}
