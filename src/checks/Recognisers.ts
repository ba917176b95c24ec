/**
 * Ready-made checks for results without a precise contract: failures that real tools report as successes [3.4].
 *
 * **When to use**
 *
 * For tools whose `success` is loose (text, any JSON), and for recorded traffic. A precise `success` is better: it refuses
 * all of these shapes by itself.
 *
 * **Details**
 *
 * - They unwrap an answer: JSON or a Python repr in text, the parts of an MCP result, `response`, `data` …
 * - A failure is recognised by its shape first; words count only if the classifier knows them.
 * - What only looks like a failure passes: `grep` ending with 1, a red test run, an empty list, a log of errors.
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
import { hiddenFailureIn } from "#domain/answers/HiddenFailure"
import { innerErrorIn } from "#domain/answers/InnerError"
import { errorTitleIn, isHtml, placeholderIn, titleOf } from "#domain/answers/WebPage"
import { isNothing, messageIn, statedIn } from "#domain/answers/StatedError"
import { classify } from "#domain/classification/Classification"
import { cut } from "#domain/text/Cut"
import { answersIn } from "#domain/answers/WrappedAnswers"
import { isJsonObject } from "#domain/json/JsonObject"
import { garbage, type GarbageVerdict, ok, type OkVerdict, partial, type PartialVerdict } from "#domain/tool/Verdict"

/** A check that accepts any result. */
export type Recogniser = (result: unknown) => OkVerdict | GarbageVerdict

/** Reports a hidden failure if `find` returns a message for an answer in the result. */
const recogniser =
  (find: (answer: unknown) => string | undefined): Recogniser =>
  (result) => {
    for (const answer of answersIn(result)) {
      const message = find(answer)
      if (message !== undefined) return hidden(message)
    }
    return ok
  }

/** The same for answers that are text. */
const ofText = (find: (text: string) => string | undefined): Recogniser =>
  recogniser((answer) => (typeof answer === "string" ? find(answer) : undefined))

const ofMessage = (message: string | undefined): OkVerdict | GarbageVerdict =>
  message === undefined ? ok : hidden(message)

const hints = {
  ToolArgError: "Check the arguments and call again with others, or use another tool.",
  Transient: "Its upstream is failing for now. Use another tool, or tell the user to try later."
} as const

const hidden = (message: string): GarbageVerdict => {
  const { tag } = classify(message, { access: "read" })
  return garbage({
    code: "hidden_failure",
    detail: `The answer is a failure: ${oneLine(message)}`,
    hint:
      tag === "ToolArgError" || tag === "Transient"
        ? hints[tag]
        : "It holds no data. Use another tool or tell the user; the same call returns the same."
  })
}

const oneLine = (text: string): string => cut(text.trim().replace(/\s+/g, " "), 160)

/**
 * Recognises an answer that is marked as an error: `isError: true` of an MCP result, even inside a result that says `false`.
 *
 * The field must be on the answer itself or next to `content`; an entity with such a field passes.
 */
export const innerError: Recogniser = (result) => ofMessage(innerErrorIn(answersIn(result)))

/**
 * Recognises a failure message next to an empty error: `{"error": "", "message": "endpoint does not exist"}`, also if the
 * message is in a wrapped answer.
 */
export const hiddenMessage: Recogniser = recogniser((answer) => {
  if (!isJsonObject(answer) || !Object.hasOwn(answer, "error") || !isNothing(answer["error"])) return undefined
  return answersIn(answer)
    .map(messageIn)
    .find((message) => message !== undefined)
})

/**
 * Recognises an answer that holds only an error: `{"error": "presentation not found"}`, or `"status": "error"` or
 * `"success": false` with a message. An error next to data passes.
 */
export const statedError: Recogniser = recogniser(statedIn)

/**
 * Recognises a text that is only an error: `Error: 503 …`, `Failed to retrieve …`, `502 Bad Gateway`, a stack trace.
 *
 * A log, a test run or a listing that contains such a line passes.
 */
export const errorText: Recogniser = ofText(errorIn)

/** Recognises an HTML page where data was expected. For tools that fetch pages use `errorPage`. */
export const htmlPage: Recogniser = ofText((text) => (isHtml(text) ? `an HTML page "${titleOf(text)}"` : undefined))

/** Recognises an HTML page with the title of an error: `502 Bad Gateway`, `Access denied`. Other pages pass. */
export const errorPage: Recogniser = ofText(errorTitleIn)

/** All of the above except `htmlPage`, which depends on the tool, and batches whose every item failed. */
export const hiddenFailure: Recogniser = (result) => ofMessage(hiddenFailureIn(answersIn(result))?.message)

/**
 * Recognises a page without content: `Loading...`, a consent wall, a captcha, a login form, a page that was not found. For
 * tools that fetch pages; a page of more than 1,500 characters has content.
 */
export const placeholderPage: Recogniser = (result) => {
  const found = textsIn(result)
    .map(placeholderIn)
    .find((text) => text !== undefined)
  return found === undefined
    ? ok
    : garbage({
        code: "placeholder_page",
        detail: `The page holds no content: ${oneLine(found)}`,
        hint: "The page needs a browser, a login or a consent, or does not exist. Use another page or another tool."
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
 * Reports an answer that says that a part is missing: `[431 more lines in file. Use offset=825 to continue]`,
 * `Content truncated.`, `Page 1 of 5`, `"has_more": true` next to rows.
 */
export const markedPartial = (result: unknown): OkVerdict | PartialVerdict<undefined> => {
  const mark =
    answersIn(result)
      .map(moreIn)
      .find((said) => said !== undefined) ??
    textsIn(result)
      .map((text) => cutMarkIn(text))
      .find((said) => said !== undefined)
  return mark === undefined
    ? ok
    : partial({
        narrow: "Request the next part as the answer says, or request less.",
        detail: `It says: ${oneLine(mark)}`
      })
}

/** Where a tool, or a gateway in front of it, truncates results. */
export interface CutOptions {
  /** In UTF-16 units. Default 10,000. */
  readonly length?: number
  /** What to make smaller. */
  readonly narrow?: string
}

/**
 * Reports a text of exactly `length` characters: it was truncated without a mark.
 *
 * A text with a proper end passes: a line break, or complete JSON.
 */
export const cutAt =
  ({ length = 10_000, narrow = "Request a smaller part of it." }: CutOptions = {}): ((
    result: unknown
  ) => OkVerdict | PartialVerdict<undefined>) =>
  (result) =>
    textsIn(result).some((text) => text.length === length && !text.endsWith("\n") && !isWholeJson(text))
      ? partial({ narrow, detail: `The text is cut at exactly ${length} characters.` })
      : ok

const textsIn = (result: unknown): ReadonlyArray<string> => {
  const own = typeof result === "string" ? [result] : []
  return [...own, ...answersIn(result).filter((answer) => typeof answer === "string")]
}

const isWholeJson = (text: string): boolean => {
  try {
    return typeof JSON.parse(text) === "object"
  } catch {
    return false
  }
}
