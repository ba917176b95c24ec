/** Detects incomplete recorded answers, which are truncated, announce more data, or contain failed items. */
import { cutMarkIn, moreIn } from "effect-toolguard/internal/domain/answers/CutMark"
import { failedItemsIn } from "effect-toolguard/internal/domain/answers/FailedItems"
import { isCutAtRoundLength, isTruncated } from "effect-toolguard/internal/domain/answers/TruncatedText"
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"

const size =
  /^(?:limit|length|size|n|k|top_?[kn]|rows|first|take|count|(?:max|num|number_of|per)_?\w*|page_?size|\w*(?:_limit|limit|per_?page|_size|_count|range))$/i

/** True if the arguments limit the amount of data. The answer is then complete even if it announces more data. */
const asksForSize = (args: unknown, depth = 0): boolean =>
  isJsonObject(args) &&
  depth <= 2 &&
  Object.entries(args).some(
    ([name, value]) => (size.test(name) && value !== null && value !== "") || asksForSize(value, depth + 1)
  )

const cut = (text: string): string | undefined => {
  if (isCutAtRoundLength(text)) return `The text is cut at exactly ${text.length} characters.`
  return isTruncated(text) ? "The text ends in the middle of a value." : undefined
}

const failed = (answer: unknown): string | undefined => {
  const items = failedItemsIn(answer)
  return items === undefined ? undefined : `${items.failed} of ${items.total} items failed: ${items.message}`
}

/**
 * Returns one line that names the missing part, or `undefined` if the answer is complete. `answers` are the answers
 * that the text wraps.
 */
export const missingIn = (text: string, answers: ReadonlyArray<unknown>, args: unknown): string | undefined => {
  const whole = cut(text)
  if (whole !== undefined) return whole
  for (const answer of answers) {
    const found =
      typeof answer === "string"
        ? (cut(answer) ?? failed(answer) ?? cutMarkIn(answer, asksForSize(args)))
        : (failed(answer) ?? (asksForSize(args) ? undefined : moreIn(answer)))
    if (found !== undefined) return found
  }
  return undefined
}
