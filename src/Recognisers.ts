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
import { classify } from "#domain/Classification"
import * as FieldPath from "#domain/FieldPath"
import { answersIn, isFields } from "#domain/WrappedAnswers"
import { garbage, type GarbageVerdict, ok, type OkVerdict, partial, type PartialVerdict } from "#domain/Verdict"

/** A check that any result can be given to. */
export type Recogniser = (result: unknown) => OkVerdict | GarbageVerdict

/** Longest text that counts as one message. */
const longestMessage = 600

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

const hints = {
  ToolArgError: "Check the arguments and call again with others, or use another tool.",
  Transient: "Its upstream failed for now. Use another tool, or tell the user to try later."
} as const

const hidden = (message: string): GarbageVerdict => {
  const { tag } = classify(message, { access: "read" })
  return garbage({
    code: "hidden_failure",
    detail: `The answer is a failure: ${FieldPath.cut(message.trim().replace(/\s+/g, " "), 160)}`,
    hint:
      tag === "ToolArgError" || tag === "Transient"
        ? hints[tag]
        : "There is no data in it. Use another tool or tell the user; the same call gives the same."
  })
}

/** True where the classifier of errors knows the words, and they do not tell of a success beside the failure. */
const readsAsFailure = (message: string): boolean =>
  !/(?<!\bnot )(?<!\bnot be )(?<!n't )(?<!n't be )\b(?:created|saved|sent|updated|deleted|removed|added|moved|found|completed|succeeded|successful(?:ly)?|done)\b/i.test(
    message
  ) && ruleOf(message) !== "default"

const ruleOf = (message: string): string => classify(message, { access: "read" }).rule

/**
 * An answer that calls itself an error: `isError: true` of an MCP result, also inside of a result that says `false`.
 *
 * An entity that has such a field is none: the field must stand on the answer itself or beside `content`.
 */
export const innerError: Recogniser = (result) => {
  const answers = answersIn(result)
  const failed = answers.find(
    (answer, index) =>
      isFields(answer) &&
      (answer["isError"] === true || answer["is_error"] === true) &&
      (index === 0 || Object.hasOwn(answer, "content"))
  )
  return failed === undefined ? ok : hidden(textIn(failed))
}

/** The first text in an answer, for the detail. */
const textIn = (answer: unknown): string => {
  const text = answersIn(answer).find((it) => typeof it === "string" && it.trim() !== "")
  if (typeof text === "string") return text
  const message = isFields(answer) ? (answer["message"] ?? answer["error"]) : undefined
  return typeof message === "string" ? message : "isError is true, without a message"
}

/** Fields that say something about an answer, and hold none of its data. */
const aboutOnly =
  /^(?:message|msg|error|errors|detail|code|status|status_?code|success|ok|title|type|trace_?id|request_?id|timestamp|path|info)$/i

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  value === false ||
  (typeof value === "object" && Object.keys(value).length === 0)

/** The message of an answer that holds nothing else, if it tells of a failure. */
const failureMessage = (answer: unknown): string | undefined => {
  if (!isFields(answer)) return undefined
  const message = answer["message"] ?? answer["msg"] ?? answer["title"]
  if (typeof message !== "string" || message.length > longestMessage) return undefined
  if (Object.entries(answer).some(([name, value]) => !aboutOnly.test(name) && !isNothing(value))) return undefined
  const status = Number(answer["status"] ?? answer["statusCode"] ?? answer["status_code"] ?? answer["code"])
  return (status >= 400 && status <= 599) || readsAsFailure(message) ? message : undefined
}

/**
 * A message of a failure beside an error that is empty: `{"error": "", "message": "endpoint does not exist"}`, also where
 * the message stands in what the answer wraps.
 */
export const hiddenMessage: Recogniser = recogniser((answer) => {
  if (!isFields(answer) || !Object.hasOwn(answer, "error") || !isNothing(answer["error"])) return undefined
  return answersIn(answer)
    .map(failureMessage)
    .find((message) => message !== undefined)
})

/** The text of an error field, where it holds one. */
const errorOf = (error: unknown): string | undefined => {
  const text = isFields(error) ? (error["message"] ?? error["detail"]) : error
  return typeof text === "string" && text.trim() !== "" ? text : undefined
}

/**
 * An answer that names its error and holds nothing else: `{"error": "presentation not found"}`, or `"status": "error"`
 * with a message. With data beside it, an error is a remark.
 */
export const statedError: Recogniser = recogniser((answer) => {
  if (!isFields(answer)) return undefined
  if (Object.entries(answer).some(([name, value]) => !aboutOnly.test(name) && !isNothing(value))) return undefined
  return errorOf(answer["error"]) ?? (answer["status"] === "error" ? errorOf(answer["message"]) : undefined)
})

const prefixes: ReadonlyArray<RegExp> = [
  /^(?!assertion)\w*(?:error|exception)\s*:\s*(?!\s*(?:0|none|no|null|false)\b)\S/i,
  /^error (?:executing|calling|fetching|running|while|when|code|\d{3})\b/i,
  /^(?:failed|unable) to \w/i
]

/** A status with its phrase, or a phrase alone: `503 Service Unavailable`, `Forbidden`. */
const isStatus = (line: string): boolean =>
  line.length <= 120 &&
  /^(?:http|reason):/.test(ruleOf(line)) &&
  /^(?:\w{0,20}[ :/]{0,3}|http\/\d(?:\.\d)? )?[45]\d\d\b|^\D*$/i.test(line)

/**
 * A text that is nothing but an error: `Error: 503 …`, `Failed to retrieve …`, `502 Bad Gateway`.
 *
 * One line, or a status on the first; a log, a test run or a listing that holds such a line is information.
 */
export const errorText: Recogniser = recogniser((answer) => {
  if (typeof answer !== "string") return undefined
  const [line = "", ...more] = answer.trim().split("\n")
  if (line.length > longestMessage) return undefined
  if (more.length > 0) return /^(?:error\W{1,3}|http\S* )?[45]\d\d\b/i.test(line) && isStatus(line) ? line : undefined
  return prefixes.some((prefix) => prefix.test(line)) || isStatus(line) ? line : undefined
})

const html = /^(?:\uFEFF|\s|<!--.*?-->|<\?xml.*?\?>)*<(?:!doctype\s+html|html)\b/is

const titleOf = (page: string): string => /<(title|h1)\b[^>]*>([^<]{1,200})<\/\1>/i.exec(page)?.[2]?.trim() ?? ""

/** An HTML page where data was expected. Not for tools that fetch pages: see `errorPage`. */
export const htmlPage: Recogniser = recogniser((answer) =>
  typeof answer === "string" && html.test(answer.slice(0, 2_000)) ? `an HTML page "${titleOf(answer)}"` : undefined
)

/** An HTML page whose title is that of an error: `502 Bad Gateway`, `Access denied`. Other pages pass. */
export const errorPage: Recogniser = recogniser((answer) => {
  if (typeof answer !== "string" || !html.test(answer.slice(0, 2_000))) return undefined
  const title = titleOf(answer)
  return title.length <= 80 && (isStatus(title) || /^access denied\b/i.test(title)) ? title : undefined
})

/** All of these but `htmlPage`, which depends on the tool, in one check. */
export const hiddenFailure: Recogniser = (result) => {
  for (const recognise of [innerError, hiddenMessage, statedError, errorText, errorPage]) {
    const verdict = recognise(result)
    if (verdict._tag === "Garbage") return verdict
  }
  return ok
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
