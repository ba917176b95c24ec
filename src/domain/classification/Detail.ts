/** Chooses the line of an error that becomes its detail. */
import type { Evidence } from "./Evidence.ts"
import { isFrame } from "./StackFrame.ts"

/** Maximum length of a detail, in characters. */
const longestDetail = 200

const heading =
  /^(?:error|errors|fatal|warning|failed|failure|exception|traceback \(most recent call last\)|stack trace|caused by)?[:!.\s-]*$/i
/** Matches the message of an error with which Effect wraps another error. The wrapped error has the real message. */
const wrapping = /^An (?:unknown )?error occurred(?: in Effect\.\w+)?$/
const errorLine = /^(?:fatal|error|ERROR|FATAL|psql: error|[\w.]*(?:Error|Exception)): ?\S/

/**
 * Matches the request that Effect's HTTP client appends to its errors. The detail keeps its method and drops its URL.
 */
const request = /\((GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE) https?:\/\/[^\s)]*\)/gu

/**
 * Returns the words of an upstream if they are known. Otherwise returns one line that describes the error, at most
 * `longestDetail` characters long and never empty. The line is the last error of a Python traceback, otherwise an
 * early line that starts with `fatal:` or `error:`, otherwise the first line that is neither a heading nor a stack
 * frame.
 */
export const detailOf = (evidence: Evidence): string => {
  if (evidence.quote !== undefined) return evidence.quote
  const lines = evidence.text
    .split("\n", 60)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !heading.test(line) && !wrapping.test(line) && !isFrame(line))
  const traceback = /^traceback \(most recent call last\)/im.test(evidence.text)
  const line = traceback ? lines.findLast((candidate) => errorLine.test(candidate)) : undefined
  const chosen =
    line ?? lines.find((candidate, index) => index < 12 && /^(?:fatal|error): \S/.test(candidate)) ?? lines[0]
  const rest = evidence.text.trim()
  const text = chosen ?? (rest === "" || wrapping.test(rest) ? fallback(evidence) : rest)
  const plain = text
    .replaceAll(request, "($1)")
    .replaceAll(/<[^<>]{1,200}>/g, " ")
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim()
  const single = plain === "" ? fallback(evidence) : plain
  if (single.length <= longestDetail) return single
  const cut = single.slice(0, longestDetail - 1)
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`
}

const fallback = (evidence: Evidence): string => {
  const [status] = evidence.statuses
  if (status !== undefined) return `HTTP status ${status}`
  const word = evidence.codes[0] ?? evidence.names[0] ?? evidence.tags[0]
  return word === undefined ? "The tool failed without an error message." : `The tool failed: ${word}`
}
