/**
 * Derives the requirements of the specification after an answer of the tool: the classes with which the call may end,
 * and the evidence for the effect of a write.
 *
 * This module follows the specification and shares no classification code with the pipeline under test. Where the
 * specification leaves a choice (an error text that refines a status, for example), every permitted class is allowed.
 */
import type { FailureTag } from "effect-toolguard/internal/domain/failure/Failure"
import * as Option from "effect/Option"
import * as HandlerFailure from "./HandlerFailure.ts"
import type { FuzzAnswer } from "./FuzzCase.ts"
import { textOf, valueOf } from "./ScriptedAnswer.ts"
import type { Subject } from "./Subject.ts"

/** The class of failure, or the success, with which a call may end. */
export type End = FailureTag | "Success"

/** The ends of a call and the evidence that the specification permits after an answer. */
export interface Expectation {
  readonly ends: ReadonlyArray<End>
  readonly evidence: HandlerFailure.Evidence
}

/** The context on which the verdict on a decoded result depends. */
export interface ResultContext {
  readonly arguments: unknown
  /** When the result was received, in milliseconds since the case started. */
  readonly at: number
}

const anything: ReadonlyArray<End> = [
  "Success",
  "ToolArgError",
  "SchemaMismatch",
  "PartialData",
  "SemanticGarbage",
  "Transient",
  "Resource",
  "Permanent",
  "HumanReview"
]

/**
 * The guard's limits for a text. A longer or deeper text is refused. In a text longer than `uncounted`, the guard also
 * limits the number of parts.
 */
const limits = { characters: 10_000_000, depth: 200, uncounted: 65_536 }

/** Returns the expectation after an answer. */
export const ofAnswer = (subject: Subject, answer: FuzzAnswer, context: ResultContext): Expectation => {
  switch (answer._tag) {
    case "Value": {
      const value = valueOf(subject, answer.value)
      return typeof value === "string" && subject.textKind !== "string"
        ? ofText(subject, value, context)
        : ofValue(subject, value, context)
    }
    case "Odd": {
      const value = HandlerFailure.withOdd(valueOf(subject, answer.value), answer.odd)
      if (answer.odd === "proxy") return { ends: ["Permanent", "SchemaMismatch", "Success"], evidence: "any" }
      return subject.isResult(value)
        ? { ends: anything.filter((end) => end !== "Transient"), evidence: "committed" }
        : { ends: ["SchemaMismatch"], evidence: "committed" }
    }
    case "Text":
    case "Large":
      return ofText(subject, textOf(answer) ?? "", context)
    case "Cut":
      return { ends: ["Transient"], evidence: "unknown" }
    case "Response":
      return ofResponse(subject, answer, context)
    case "Fault": {
      const { evidence, tags } = HandlerFailure.named(answer.fault)
      return { ends: tags, evidence }
    }
    case "Crash":
      return { ends: ["Permanent"], evidence: "unknown" }
    case "Silence":
      return { ends: ["Transient"], evidence: "unknown" }
    case "Handler":
      return { ends: anything, evidence: "any" }
  }
}

/** The expectation after an attempt that times out. */
export const late: Expectation = { ends: ["Transient"], evidence: "unknown" }

/** Returns the expectation after a value, whether it is a valid result or not. */
export const ofValue = (subject: Subject, value: unknown, context: ResultContext): Expectation => {
  if (!subject.isResult(value) && mayStateFailure(value)) return failedText
  if (!subject.isRead && statesFailure(value)) return { ends: anything, evidence: "any" }
  return {
    ends: subject.isResult(value) ? endsAfterChecks(subject, value, context) : ["SchemaMismatch"],
    evidence: "committed"
  }
}

const endsAfterChecks = (
  subject: Subject,
  value: unknown,
  { arguments: args, at }: ResultContext
): ReadonlyArray<End> => {
  const { checks, enforce } = subject.definition
  if (checks.length === 0) return ["Success"]
  const verdict = subject.check(value, args, at)
  if (enforce === "advise") return ["Success"]
  if (verdict === undefined) return ["Permanent"]
  return [({ Ok: "Success", Partial: "PartialData", Garbage: "SemanticGarbage" } as const)[verdict._tag]]
}

const ofText = (subject: Subject, text: string, context: ResultContext): Expectation => {
  if (subject.textKind !== "bytes" && mayBeOutage(text)) return { ends: anything, evidence: "any" }
  if (subject.textKind === "string") return subject.isResult(text) ? ofValue(subject, text, context) : failedText
  if (subject.textKind === "bytes") return ofValue(subject, new TextEncoder().encode(text), context)
  if (text.length > limits.characters) return { ends: ["Permanent"], evidence: "answered" }
  const isEmpty = text.trim() === ""
  if (isEmpty && (text !== "" || Option.isNone(subject.decode(null)))) {
    return { ends: ["SchemaMismatch"], evidence: "committed" }
  }
  const parsed = parse(isEmpty ? "null" : text)
  if (parsed === undefined) {
    if (mayBeError(text)) {
      return { ends: failedText.ends, evidence: subject.definition.salvage === undefined ? "answered" : "any" }
    }
    return subject.definition.salvage === undefined
      ? { ends: ["SchemaMismatch"], evidence: /^\s*[[{"]/u.test(text) ? "any" : "answered" }
      : { ends: ["SchemaMismatch", "PartialData", "SemanticGarbage", "Permanent"], evidence: "any" }
  }
  const decoded = subject.decode(parsed.value)
  if (Option.isNone(decoded) && mayStateFailure(parsed.value)) return failedText
  if (!subject.isRead && statesFailure(parsed.value)) return { ends: anything, evidence: "any" }
  const ends: ReadonlyArray<End> = Option.isSome(decoded)
    ? endsAfterChecks(subject, decoded.value, context)
    : ["SchemaMismatch"]
  return text.length > limits.uncounted || isForbidden(parsed.value, 0)
    ? { ends: [...ends, "SchemaMismatch", "Permanent"], evidence: "any" }
    : { ends, evidence: "committed" }
}

/** The expectation for a text that is not a result, and may therefore state a failure. */
const failedText: Expectation = { ends: anything.filter((end) => end !== "Success"), evidence: "any" }

/** True if a text that is neither JSON nor a page may be only an error. Its words determine the class of the failure. */
const mayBeError = (text: string): boolean => !/^\s*[[{"<]/u.test(text) && /error|exception|fail|wrong/iu.test(text)

/** True if a text may be the notice of a server or a gateway that cannot answer now, in place of a result. */
const mayBeOutage = (text: string): boolean =>
  text.length < 40_000 &&
  !/^\s*[[{"]/u.test(text) &&
  /\b(?:408|429|5\d\d)\b|gateway|overloaded|time-?out|too many requests|unavailable|\p{Script=Han}/iu.test(text)

/** True if an answer may state a failure: as a text, or in a field that can contain an error message. */
const mayStateFailure = (value: unknown): boolean => typeof value === "string" || hasStatement(value, 0)

/** True if the answer of a write may state a failure although it conforms to the contract. */
const statesFailure = (value: unknown, depth = 0): boolean => {
  const read = typeof value === "string" ? parse(value)?.value : value
  if (typeof read !== "object" || read === null) return false
  const fields = Object.entries(read)
  return (
    fields.some(([name, field]) => statement.test(name) && field !== null) ||
    (fields.length === 1 && depth < 4 && statesFailure(fields[0]?.[1], depth + 1))
  )
}

/** Fields in which the answer of a write can state a failure. */
const statement =
  /^(?:ok|success|successful|succeeded|(?:user_?)?errors?|(?:is|has)_?errors?|failed|failure|(?:http_?)?status(?:_?code)?|result|err(?:or)?_?code|errno|code)$/i

/** True if a field can contain an error message, or if the value is nested too deeply to read its fields. */
const hasStatement = (value: unknown, depth: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (depth > limits.depth ||
    Object.entries(value).some(([name, field]) => failureFields.test(name) || hasStatement(field, depth + 1)))

/** Fields in which an answer can state a failure. */
const failureFields =
  /^(?:ok|success|is_?error|err(?:ors?|_?msg|_?message)?|fault|exception|messages?|msg|status\w*|details?|title|reason|info\w*|notes?|description|result|response|text)$/i

const parse = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text.startsWith("\ufeff") ? text.slice(1) : text) }
  } catch {
    return undefined
  }
}

/** True if a value is nested too deeply, or has a field name that would pollute a prototype. */
const isForbidden = (value: unknown, depth: number): boolean => {
  if (typeof value !== "object" || value === null) return false
  return (
    depth >= limits.depth ||
    Object.entries(value).some(
      ([name, field]) => name === "__proto__" || name === "constructor" || isForbidden(field, depth + 1)
    )
  )
}

/** The class of each HTTP status that the specification or its list of codes names. */
const statuses: Readonly<Record<number, FailureTag>> = {
  400: "ToolArgError",
  401: "Permanent",
  403: "Permanent",
  408: "Transient",
  422: "ToolArgError",
  425: "Transient",
  429: "Transient",
  500: "Transient",
  502: "Transient",
  503: "Transient",
  504: "Transient"
}

/** True if a value of Retry-After is a number of seconds or a date. Any other value proves nothing. */
const isWait = (value: string): boolean => /^\s*\d+(?:\.\d+)?\s*$/.test(value) || /^\s*[a-z]{3}, .*GMT\s*$/i.test(value)

/** A response body without information, so that only its status determines the class. */
export const genericErrorBody = '{"error":"request failed"}'

const ofResponse = (
  subject: Subject,
  { body, headers, status }: Extract<FuzzAnswer, { readonly _tag: "Response" }>,
  context: ResultContext
): Expectation => {
  if (status >= 200 && status <= 299) {
    const expected = ofText(subject, textOf({ _tag: "Text", text: body }) ?? "", context)
    return status === 202 && !expected.ends.includes("Success") ? { ...expected, evidence: "answered" } : expected
  }
  const tag = body === "" || body === genericErrorBody ? statuses[status] : undefined
  const ends = tag === undefined ? anything.filter((end) => end !== "Success") : [tag]
  const hasRetryAfter = Object.entries(headers ?? {}).some(
    ([name, value]) => name.toLowerCase() === "retry-after" && isWait(value)
  )
  if (status >= 400 && status <= 499) {
    return { ends, evidence: status === 408 || status === 499 ? "unknown" : "none" }
  }
  return { ends, evidence: status >= 500 ? (status === 503 && hasRetryAfter ? "none" : "unknown") : "answered" }
}
