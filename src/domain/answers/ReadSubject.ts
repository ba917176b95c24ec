/**
 * Recognises answers of reads whose data is an error or a message: `{"error": …}` of `get_last_error`, and `{"message": …}`
 * of `read_message`. The name of the tool says what it reads.
 *
 * A failure to read remains a failure: `{"error": "unauthorized"}` of `get_last_error`, and a bare status such as
 * `{"message": "Forbidden"}`.
 */
import { classify } from "#domain/classification/Classification"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import { isStatus } from "./ErrorText.ts"
import { plain } from "./Payload.ts"
import { successNames } from "./ReportedSuccess.ts"
import { namesIn, stemOf, thingsReadBy } from "#domain/text/ToolName"

const stems = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/).map(stemOf))

/** Things that are errors. */
const errors = stems(`
  error failure exception fault incident problem issue bug crash diagnostic rejection violation code finding alert log
`)

/** Things that are texts. */
const texts = stems(`
  message mail email comment translation text note notification review chat commit reply post tweet transcript caption
  prompt quote sms body subject description headline title announcement feedback answer log line
`)

/** Codes of failures to read, whatever is read. */
const ofAccess: ReadonlySet<string> = new Set(["unauthorized", "rate_limited", "quota_exceeded"])

const hasAny = (things: ReadonlySet<string>, known: ReadonlySet<string>): boolean =>
  [...things].some((thing) => known.has(thing))

/** True if an answer denies its success, or has the empty data of a failed request. */
const isDenied = (answer: JsonObject): boolean =>
  Object.entries(answer).some(
    ([name, value]) => (successNames.has(plain(name)) && value === false) || (name === "data" && value === null)
  )

/** True if an error that an answer states is what the tool was asked to read. `message` is the text of the error. */
export const isErrorRead = (answer: unknown, message: string, tool: string): boolean => {
  if (!hasAny(thingsReadBy(tool), errors) || (isJsonObject(answer) && isDenied(answer))) return false
  return !ofAccess.has(classify(message, { access: "read" }).code)
}

/** True if a message is what the tool was asked to read. */
export const isTextRead = (answer: unknown, message: string, tool: string): boolean =>
  isErrorRead(answer, message, tool) ||
  (hasAny(thingsReadBy(tool), texts) && !isStatus(message) && !(isJsonObject(answer) && isDenied(answer)))

/** Words in the names of tools that can answer with errors as data, with a text that a person wrote, or with a state. */
const outputs = stems(`
  test lint diagnostic compile build check validate verify analyze audit typecheck log grep search translate diff status
  state policy rule help doc documentation faq can is has was does bash shell terminal console command powershell repl
`)

/**
 * True if a tool can answer with errors that it was asked for (a log, a report of tests), with a text that a person wrote
 * (a message), or with a state (whether something is possible).
 */
export const isOutputRead = (tool: string): boolean =>
  namesIn(tool).some((name) => outputs.has(stemOf(name))) ||
  hasAny(thingsReadBy(tool), errors) ||
  hasAny(thingsReadBy(tool), texts)

/** Words of tools that read documents, whose text can be about failures. */
const documents = stems(`
  file document page article content readme source code wiki url web website fetch crawl scrape browse snippet resource
  read cat view open knowledge library paper book text
`)

/** True if a tool reads documents. Only an answer of one line can be its failure. */
export const isDocumentRead = (tool: string): boolean => namesIn(tool).some((name) => documents.has(stemOf(name)))
