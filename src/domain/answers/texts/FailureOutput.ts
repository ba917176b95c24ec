/**
 * Recognises short answers that consist of a failure and what belongs to it: a sentence, the lines of a log, the output of
 * a compiler or a shell, a stack trace in any language.
 *
 * **Details**
 *
 * - The first line, or the last, must be an error, and the other lines must belong to it or be few. One of several lines
 *   must begin with the mark of an error, such as its name or its level. A log with an error among other lines, a
 *   document, source code, a table, a list, a message of a person, and a report of tests state no failure.
 * - Only the first 3,000 characters of an answer are read, and no answer that is longer.
 */
import { isJsonObject } from "#domain/json/JsonObject"
import { isRefusal, statesFailure } from "./FailureSentence.ts"
import { isCode, isMarked, type Kind, kindOf } from "./OutputLine.ts"
import { printedFieldsIn, xmlFieldsIn } from "./PrintedFields.ts"
import { problemIn } from "./StatedProblem.ts"

/** The longest answer, in characters. */
const longestOutput = 3_000

const maxLines = 60
const longestMessage = 600

/** Forms of texts that contain failures as their subject. */
const documents: ReadonlyArray<RegExp> = [
  // markdown, mails, commits, changes
  /^(?:#{1,6} |\|[^\n]*\|\s*$|- \[[ x]\]|```)/m,
  /^(?:from|to|subject|date|author|cc|commit|re):? \S[^\n]*\n(?:[^\n]*\n){0,3}(?:from|to|subject|date|author|cc|merge):/im,
  /^(?:commit )?[0-9a-f]{7,40} \S[^\n]*(?:\n[0-9a-f]{7,40} |$)/,
  /^(?:diff --git|@@ -\d|index [0-9a-f]+\.\.)|^-[^\n\s-][^\n]*\n\+[^\n\s+]/m,
  // a quotation with its author, a document with its name
  /^["\u201c][^\n]{10,400}["\u201d] [-\u2013\u2014] \S/,
  /^document \S+\n/i,
  // reports of tests and checks
  /\b\d+ (?:tests? )?(?:passed|passing|skipped|succeeded)\b|\b(?:tests|passed|failures|failed)(?: run)?: +\d|\bran \d+ tests?\b|^(?:ok|not ok) \d+ |\.{3} ?ok\b/im,
  // a heading, a title before a paragraph, a sentence that introduces a quotation
  /^\*\*[^*\n]{2,60}\*\*:?\s*$/m,
  /^[A-Z][^\n.:!?]{5,80}\n\n[^\n]{150,}/,
  /(?:\blike this|\bas follows|\bcomo|\bcomme|\bwie folgt|例如|如下)\s*:\s*$/im,
  // help
  /^usage: (?:[^\n]*\n){1,3}\s*(?:options|arguments|commands|positional)\b/im,
  // HTTP heads
  /^HTTP\/[\d.]+ [23]\d\d/
]

/** Entries of a tracker. */
const ticket = /^[A-Z]{2,10}-\d+ \[/

/** A status with its meaning. Two of them are a list: one answer has one status. */
const meaning = /^[1-5]\d\d: [A-Z][\w' -]{2,40}$/

/** A field of a record that is printed one field a line. */
const record = /^\s*[A-Z][\w .-]{0,30}: \S/

/** A row of a table, or a code with its meaning: `404 | NotFound | …`, `13 Permission denied`. */
const row = /^\s*(?:[^|\n]{1,60}(?:\|[^|\n]{0,80}){2,}|\d{1,4}\*?:?\s+\p{L}.*)$/u

/** True if most of at least four lines are rows of a table. */
const isTable = (lines: ReadonlyArray<string>): boolean =>
  lines.length > 3 && lines.filter((line) => row.test(line)).length >= 0.7 * lines.length

/** True if at least two lines, and a third of all, are source code. */
const isSource = (lines: ReadonlyArray<string>): boolean => {
  const count = lines.filter(isCode).length
  return count > 1 && 3 * count >= lines.length
}

/** A row of values that are separated by commas. The first row of a table can have any form. */
const commaSeparated = /^[^,\n]{1,60}(?:,[^,\n]{0,60}){2,}$/

/** Lines of lists: items, codes with their phrase, rows, entries with a number, settings with their types, questions. */
const entries: ReadonlyArray<RegExp> = [
  /^\s*(?:[-*•]|\d{1,3}[.)]) \S/,
  /^[1-5]\d\d [A-Z][\w -]{2,40}$/,
  commaSeparated,
  /^[A-Z]{2,6}-?\d{1,5}\b[: ]/,
  /^\s*[a-z]\w* \w+ +=(?: |$)/,
  /^.{8,160}\? ?(?:[-(\u2013].*)?$/
]

/** True if each of at least three lines has the form of an item, a row or an entry of a list. */
const isListing = (lines: ReadonlyArray<string>): boolean => {
  if (lines.every((line) => ticket.test(line)) || lines.every((line) => meaning.test(line))) return true
  if (lines.length < 3) return false
  if (lines.length > 3 && lines.every((line) => record.test(line)) && kindOf(lines[0] ?? "") !== "error") return true
  return entries.some((form) =>
    lines.every((line, index) => form.test(line) || (index === 0 && form === commaSeparated))
  )
}

const isDocument = (text: string, lines: ReadonlyArray<string>): boolean =>
  documents.some((form) => form.test(text)) || isListing(lines) || isTable(lines) || isSource(lines)

/** The repr of an MCP result of a Python client. */
const clientResult = /^meta=\S+ content=/

/** Codes for the colours of a terminal. */
const colours = /\u001B\[[\d;]*m/g

/** The beginning of an object, a list or an element, perhaps after its name. A heading of HTML is text. */
const objectStart = /^(?!<h\d)(?:\{|<(?! HTTP)|\[(?!\d{2,4}[-/.]\d\d)["'{[\d\s]|[\w ]{0,20}[:=]\s*(?:\{|\[["'{[\d\s]))/i

/** Returns the message of a short answer that consists of a failure; `undefined` for any other text. */
export const failureOutputIn = (text: string): string | undefined => {
  if (text.length > longestOutput || clientResult.test(text)) return undefined
  const plain = text.replaceAll(colours, "").trim()
  const fields = /^<(?! HTTP)/.test(plain) ? xmlFieldsIn(plain) : printedFieldsIn(plain)
  const problem = fields === undefined ? undefined : problemIn(fields)
  if (problem !== undefined) return problem.slice(0, longestMessage)
  if (objectStart.test(plain) && (/^<|\n/.test(plain) || plain.length > longestMessage || parsed(plain) !== undefined))
    return undefined
  const logged = logEntry.exec(plain)?.[1]
  if (logged !== undefined) return loggedErrorIn(logged)
  const lines = plain.split(/\r?\n/).filter((line) => /[\p{L}\p{N}]/u.test(line))
  if (lines.length === 0 || lines.length > maxLines) return undefined
  if (lines.length > 1 && isDocument(plain, lines)) return undefined
  const [first = ""] = lines
  const message = plain.slice(0, longestMessage)
  if (lines.length === 1) return isFailedLine(first) ? message : undefined
  return isFailed(lines) ? message : undefined
}

/** A line of a log that consists of a time and a JSON object. */
const logEntry = /^[\dT:.,+Z -]{10,40}\s(\{[^\n]*\})$/

/** Returns the message of an entry with the level of an error; `undefined` for any other entry. */
const loggedErrorIn = (json: string): string | undefined => {
  const entry = parsed(json)
  if (!isJsonObject(entry) || !/^(?:error|fatal|critical)$/i.test(String(entry["level"]))) return undefined
  const { message, msg } = entry
  return typeof message === "string" ? message : typeof msg === "string" ? msg : json.slice(0, longestMessage)
}

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

const isFailedLine = (line: string): boolean => {
  const kind = kindOf(line)
  if (kind === "remark" || kind === "success") return false
  return isMarked(line) ? !isProse(line) : isRefusal(line) && statesFailure(line)
}

/** True if a line has several sentences that neither state a failure nor explain one. */
const isProse = (line: string): boolean =>
  /[.!?] [A-Z]/.test(line) && !/^[\w.$[\]-]{0,60}(?:error|exception|fatal|fail)/i.test(line) && !statesFailure(line)

const isFailed = (lines: ReadonlyArray<string>): boolean => {
  const kinds = lines.map(kindOf)
  const count = (kind: Kind): number => kinds.filter((one) => one === kind).length
  const errors = count("error")
  if (errors === 0) return false
  if (!lines.some(isMarked)) return false
  // many lines are a failure only if they are little else
  if (lines.length > 3 && count("other") + count("remark") + count("success") > errors) return false
  const others = count("other") + 1.5 * count("remark") + 2 * count("success")
  const own = kinds.filter((kind) => kind !== "detail")
  if (own[0] === "success" || own.at(-1) === "success" || own.at(-1) === "remark") return false
  if (kinds[0] === "error" || own[0] === "error") return others <= 3 * errors
  return own.at(-1) === "error" ? others <= 3 + errors : others <= errors + (count("remark") === 0 ? 1.5 : 0)
}
