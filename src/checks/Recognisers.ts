/**
 * Ready-made checks for results without a contract of their own: failures that real tools hide in a success (SPEC 3.4).
 *
 * **When to use**
 *
 * On tools whose `success` says too little (text, any JSON), and on recorded traffic. A precise `success` is better: it
 * refuses all of these shapes by itself.
 *
 * **Details**
 *
 * - They look into what wraps an answer: JSON or a Python repr in text, the parts of an MCP result, `response`, `data` …
 * - A failure is recognised by its shape first; words count only where the classifier of errors knows them.
 * - What looks like a failure and is none passes: `grep` ending with 1, a red test run, an empty list, a log of errors.
 *
 * **Example** (A tool that answers with any text)
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
import { errorTitleIn, isHtml, placeholderIn, titleOf } from "#domain/answers/Page"
import { isNothing, messageIn, statedIn } from "#domain/answers/StatedError"
import { classify } from "#domain/classification/Classification"
import { cut } from "#domain/text/Cut"
import { answersIn } from "#domain/answers/WrappedAnswers"
import { isJsonObject } from "#domain/json/JsonObject"
import { garbage, type GarbageVerdict, ok, type OkVerdict, partial, type PartialVerdict } from "#domain/tool/Verdict"

/** A check that any result can be given to. */
export type Recogniser = (result: unknown) => OkVerdict | GarbageVerdict

/** The first sentence that `find` gives for an answer in the result makes the whole a hidden failure. */
const recogniser =
  (find: (answer: unknown) => string | undefined): Recogniser =>
  (result) => {
    for (const answer of answersIn(result)) {
      const message = find(answer)
      if (message !== undefined) return hidden(message)
    }
    return ok
  }

/** The same for what only a text can be. */
const ofText = (find: (text: string) => string | undefined): Recogniser =>
  recogniser((answer) => (typeof answer === "string" ? find(answer) : undefined))

const ofMessage = (message: string | undefined): OkVerdict | GarbageVerdict =>
  message === undefined ? ok : hidden(message)

const hints = {
  ToolArgError: "Check the arguments and call again with others, or use another tool.",
  Transient: "Its upstream failed for now. Use another tool, or tell the user to try later."
} as const

const hidden = (message: string): GarbageVerdict => {
  const { tag } = classify(message, { access: "read" })
  return garbage({
    code: "hidden_failure",
    detail: `The answer is a failure: ${oneLine(message)}`,
    hint:
      tag === "ToolArgError" || tag === "Transient"
        ? hints[tag]
        : "There is no data in it. Use another tool or tell the user; the same call gives the same."
  })
}

const oneLine = (text: string): string => cut(text.trim().replace(/\s+/g, " "), 160)

/**
 * An answer that calls itself an error: `isError: true` of an MCP result, also inside of a result that says `false`.
 *
 * An entity that has such a field is none: the field must stand on the answer itself or beside `content`.
 */
export const innerError: Recogniser = (result) => ofMessage(innerErrorIn(answersIn(result)))

/**
 * A message of a failure beside an error that is empty: `{"error": "", "message": "endpoint does not exist"}`, also where
 * the message stands in what the answer wraps.
 */
export const hiddenMessage: Recogniser = recogniser((answer) => {
  if (!isJsonObject(answer) || !Object.hasOwn(answer, "error") || !isNothing(answer["error"])) return undefined
  return answersIn(answer)
    .map(messageIn)
    .find((message) => message !== undefined)
})

/**
 * An answer that names its error and holds nothing else: `{"error": "presentation not found"}`, or `"status": "error"`
 * or `"success": false` with a message. With data beside it, an error is a remark.
 */
export const statedError: Recogniser = recogniser(statedIn)

/**
 * A text that is nothing but an error: `Error: 503 …`, `Failed to retrieve …`, `502 Bad Gateway`, a stack trace.
 *
 * A log, a test run or a listing that holds such a line is information.
 */
export const errorText: Recogniser = ofText(errorIn)

/** An HTML page where data was expected. Not for tools that fetch pages: see `errorPage`. */
export const htmlPage: Recogniser = ofText((text) => (isHtml(text) ? `an HTML page "${titleOf(text)}"` : undefined))

/** An HTML page whose title is that of an error: `502 Bad Gateway`, `Access denied`. Other pages pass. */
export const errorPage: Recogniser = ofText(errorTitleIn)

/** All of the above but `htmlPage`, which depends on the tool, and a batch of which every item failed, in one check. */
export const hiddenFailure: Recogniser = (result) => ofMessage(hiddenFailureIn(answersIn(result))?.message)

/**
 * A page that is none: `Loading...`, a consent wall, a captcha, a login form, a page that was not found. For tools that
 * fetch pages; a page of more than 1,500 characters has content.
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

/** A batch of which some items failed: `{"results": [{"id": 1, "error": "…"}, …]}`. */
export const failedItems = (result: unknown): OkVerdict | PartialVerdict<undefined> => {
  for (const answer of answersIn(result)) {
    const items = failedItemsIn(answer)
    if (items === undefined) continue
    return partial({
      narrow: "The other items are done. Call again only for those that failed, with what their messages say.",
      detail: `${items.failed} of ${items.total} items failed: ${oneLine(items.message)}`
    })
  }
  return ok
}

/**
 * An answer that says of itself that a piece is missing: `[431 more lines in file. Use offset=825 to continue]`,
 * `Content truncated.`, `Page 1 of 5`, `"has_more": true` beside rows.
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
        narrow: "Ask for the next part, as the answer says, or for less.",
        detail: `It says: ${oneLine(mark)}`
      })
}

/** Where a tool, or what stands before it, cuts its results. */
export interface CutOptions {
  /** In UTF-16 units. Default 10,000. */
  readonly length?: number
  /** What to make smaller. */
  readonly narrow?: string
}

/**
 * A text of exactly `length` characters was cut there without a mark.
 *
 * One that ends where a text may end passes: with a line break, or as complete JSON.
 */
export const cutAt =
  ({ length = 10_000, narrow = "Ask for a smaller part of it." }: CutOptions = {}): ((
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
