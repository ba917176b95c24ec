/**
 * Ready-made checks for results without a precise contract: failures that real tools report as successes [3.4].
 *
 * **When to use**
 *
 * Use them for tools whose `success` is loose (text, any JSON), and for recorded traffic. A precise `success` is
 * better, because it refuses all of these shapes.
 *
 * **Details**
 *
 * - Recognisers unwrap an answer: JSON or a Python repr in text, the parts of an MCP result, `response`, `data` …
 * - A failure is recognised by its shape first. Phrases count only if the classifier has a rule for them.
 * - A recognised failure fails the call with the class and the words of that failure, as if the tool had failed with
 *   it: "Error: 503 …" is Transient. A page without content is SemanticGarbage.
 * - Results that only look like a failure are accepted: `grep` with exit code 1, a failed test run, an empty list, a
 *   log of errors.
 *
 * **Example** (A tool that returns any text)
 *
 * ```ts import.meta.vitest
 * import { Recognisers } from "effect-toolguard"
 *
 * const verdict = Recognisers.errorText("Error: 503 Service Unavailable")
 * verdict._tag // => "Garbage"
 * Recognisers.errorText("Errors: 0, warnings: 3")._tag // => "Ok"
 * ```
 */
import { cutMarkIn, moreIn } from "#domain/answers/CutMark"
import { errorIn } from "#domain/answers/ErrorText"
import { failedItemsIn } from "#domain/answers/FailedItems"
import { failureIn, hiddenFailureIn } from "#domain/answers/HiddenFailure"
import { innerErrorIn } from "#domain/answers/InnerError"
import { reportsSuccess } from "#domain/answers/ReportedSuccess"
import { hidden, oneLine } from "./HiddenVerdict.ts"
import { errorTitleIn, isHtml, placeholderIn, titleOf } from "#domain/answers/WebPage"
import { isNothing, messageIn, statedIn } from "#domain/answers/StatedError"
import * as Failure from "#domain/failure/Failure"
import { answersIn } from "#domain/answers/WrappedAnswers"
import { isJsonObject } from "#domain/json/JsonObject"
import { garbage, type GarbageVerdict, ok, type OkVerdict, partial, type PartialVerdict } from "#domain/tool/Verdict"

/**
 * A check for results of any type. The name of the tool helps to recognise its successes: `Request denied` is a success
 * of the tool `deny_request`.
 */
export type Recogniser = (result: unknown, context?: { readonly tool?: string }) => OkVerdict | GarbageVerdict

/** Reports a hidden failure if `find` returns a message for an answer in the result. */
const recogniser =
  (find: (answer: unknown, tool: string) => string | undefined): Recogniser =>
  (result, { tool = "" } = {}) => {
    const answers = answersIn(result)
    const message = answers.map((answer) => find(answer, tool)).find((found) => found !== undefined)
    return message === undefined ? ok : hidden(message, hiddenFailureIn(answers, tool)?.error ?? message)
  }

/** Does the same as `recogniser`, for answers that are text. */
const ofText = (find: (text: string, tool: string) => string | undefined): Recogniser =>
  recogniser((answer, tool) => (typeof answer === "string" ? find(answer, tool) : undefined))

/**
 * Recognises an answer that is marked as an error: `isError: true` of an MCP result, even inside a result with
 * `isError: false`.
 *
 * The field must be on the answer itself or next to `content`. An entity with such a field is accepted.
 */
export const innerError: Recogniser = (result) => {
  const answers = answersIn(result)
  const message = innerErrorIn(answers)
  return message === undefined ? ok : hidden(message, hiddenFailureIn(answers)?.error)
}

/**
 * Recognises a failure message next to an empty error: `{"error": "", "message": "endpoint does not exist"}`, even if
 * the message is in a wrapped answer.
 */
export const hiddenMessage: Recogniser = recogniser((answer, tool) => {
  if (!isJsonObject(answer) || !Object.hasOwn(answer, "error") || !isNothing(answer["error"])) return undefined
  return answersIn(answer)
    .map((inner) => messageIn(inner, tool))
    .find((message) => message !== undefined)
})

/**
 * Recognises an answer that contains only an error: `{"error": "presentation not found"}`, or `"status": "error"` or
 * `"success": false` with a message. An error next to data is accepted.
 */
export const statedError: Recogniser = recogniser(statedIn)

/**
 * Recognises a text that is only an error: `Error: 503 …`, `Failed to retrieve …`, `502 Bad Gateway`, a stack trace.
 *
 * A log, a test run or a listing that contains such a line is accepted.
 */
export const errorText: Recogniser = ofText((text, tool) => (reportsSuccess(text, tool) ? undefined : errorIn(text)))

/** Recognises an HTML page where data was expected. For tools that fetch pages, use `errorPage`. */
export const htmlPage: Recogniser = (result) => {
  const page = answersIn(result).find((answer): answer is string => typeof answer === "string" && isHtml(answer))
  if (page === undefined) return ok
  const title = errorTitleIn(page)
  const detail = `an HTML page "${titleOf(page)}"`
  return hidden(detail, title === undefined ? Failure.ofCode("unexpected_content", { tool: "", detail }) : title)
}

/** Recognises an HTML page whose title is an error: `502 Bad Gateway`, `Access denied`. Other pages are accepted. */
export const errorPage: Recogniser = ofText(errorTitleIn)

/** Combines the recognisers above except `htmlPage`, and recognises batches in which all items failed. */
export const hiddenFailure: Recogniser = (result, { tool } = {}) => {
  const found = failureIn(result, tool)
  return found === undefined ? ok : hidden(found.message, found.error)
}

/**
 * Recognises a page without content: `Loading...`, a consent wall, a captcha, a login form, a page that was not found.
 * Use it for tools that fetch pages. A page of more than 1,500 characters is accepted.
 */
export const placeholderPage: Recogniser = (result) => {
  const found = textsIn(result)
    .map(placeholderIn)
    .find((text) => text !== undefined)
  return found === undefined
    ? ok
    : garbage({
        code: "placeholder_page",
        detail: `The page has no content: ${oneLine(found)}`,
        hint: "The page requires a browser, a login or consent, or does not exist. Use another page or another tool."
      })
}

/** Reports a batch in which some items failed: `{"results": [{"id": 1, "error": "…"}, …]}`. */
export const failedItems = (result: unknown): OkVerdict | PartialVerdict<undefined> => {
  for (const answer of answersIn(result)) {
    const items = failedItemsIn(answer)
    if (items === undefined) continue
    return partial({
      narrow: "The other items are done. Call again only for those that failed, following their messages.",
      detail: `${items.failed} of ${items.total} items failed: ${oneLine(items.message)}`
    })
  }
  return ok
}

/**
 * Reports an answer that states that a part is missing: `[431 more lines in file. Use offset=825 to continue]`,
 * `Content truncated.`, `Page 1 of 5`, `"has_more": true` next to rows.
 */
export const markedPartial = (result: unknown): OkVerdict | PartialVerdict<undefined> => {
  const mark =
    answersIn(result)
      .map(moreIn)
      .find((text) => text !== undefined) ??
    textsIn(result)
      .map((text) => cutMarkIn(text))
      .find((text) => text !== undefined)
  return mark === undefined
    ? ok
    : partial({
        narrow: "Request the next part as the answer says, or request less.",
        detail: `The answer says: ${oneLine(mark)}`
      })
}

/** Where a tool, or a gateway in front of it, truncates results. */
export interface CutOptions {
  /** The length in UTF-16 units. Default 10,000. */
  readonly length?: number
  /** One sentence on how to request less. */
  readonly narrow?: string
}

/**
 * Reports a text of exactly `length` characters as truncated.
 *
 * A text that ends with a line break, or is a complete JSON object or list, is accepted.
 */
export const cutAt =
  ({ length = 10_000, narrow = "Request a smaller part of it." }: CutOptions = {}): ((
    result: unknown
  ) => OkVerdict | PartialVerdict<undefined>) =>
  (result) =>
    textsIn(result).some((text) => text.length === length && !text.endsWith("\n") && !isCompleteJson(text))
      ? partial({ narrow, detail: `The text is cut at exactly ${length} characters.` })
      : ok

const textsIn = (result: unknown): ReadonlyArray<string> => {
  const own = typeof result === "string" ? [result] : []
  return [...own, ...answersIn(result).filter((answer) => typeof answer === "string")]
}

const isCompleteJson = (text: string): boolean => {
  try {
    return typeof JSON.parse(text) === "object"
  } catch {
    return false
  }
}
