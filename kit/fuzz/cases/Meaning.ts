/**
 * What the specification demands that the guard makes of an answer: which classes a call may end with that ended with it, and
 * what of a write's effect is proven.
 *
 * Written from the specification, apart from the pipeline, which is what is checked. Where the specification leaves room
 * (words that refine a status, a check that looks at earlier results) every class within it is allowed.
 */
import type { FailureTag } from "effect-toolguard/internal/domain/failure/Failure"
import * as Option from "effect/Option"
import * as Fault from "./Fault.ts"
import type { FuzzAnswer } from "./FuzzCase.ts"
import { textOf, valueOf } from "./Given.ts"
import type { Subject } from "./Subject.ts"

/** How a call may end. */
export type End = FailureTag | "Success"

export interface Meaning {
  readonly ends: ReadonlyArray<End>
  readonly evidence: Fault.Evidence
}

/** What a verdict on a decoded result depends on. */
export interface Made {
  readonly arguments: unknown
  /** When the result was there, in milliseconds of the case. */
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

/** Most characters of an answer that are read, deepest nesting, and the size from which its parts are counted. */
const readable = { characters: 10_000_000, depth: 200, uncounted: 65_536 }

export const ofAnswer = (subject: Subject, answer: FuzzAnswer, made: Made): Meaning => {
  switch (answer._tag) {
    case "Value": {
      const value = valueOf(subject, answer.value)
      return typeof value === "string" && subject.textKind !== "string"
        ? ofText(subject, value, made)
        : ofValue(subject, value, made)
    }
    case "Odd": {
      const value = Fault.withOdd(valueOf(subject, answer.value), answer.odd)
      if (answer.odd === "proxy") return { ends: ["Permanent", "SchemaMismatch", "Success"], evidence: "any" }
      return subject.isResult(value)
        ? { ends: anything.filter((end) => end !== "Transient"), evidence: "committed" }
        : { ends: ["SchemaMismatch"], evidence: "committed" }
    }
    case "Text":
    case "Large":
      return ofText(subject, textOf(answer) ?? "", made)
    case "Cut":
      return { ends: ["Transient"], evidence: "unknown" }
    case "Response":
      return ofResponse(subject, answer, made)
    case "Fault": {
      const { evidence, tags } = Fault.named(answer.fault)
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

/** What is made of no answer in time. */
export const late: Meaning = { ends: ["Transient"], evidence: "unknown" }

/** What is made of a value, decoded or not. */
export const ofValue = (subject: Subject, value: unknown, made: Made): Meaning => ({
  ends: subject.isResult(value) ? judged(subject, value, made) : ["SchemaMismatch"],
  evidence: "committed"
})

const judged = (subject: Subject, value: unknown, { arguments: args, at }: Made): ReadonlyArray<End> => {
  const { checks, enforce } = subject.definition
  if (checks.length === 0) return ["Success"]
  const verdict = subject.judge(value, args, at)
  if (verdict === undefined) return ["Permanent"]
  if (enforce === "advise") return ["Success"]
  return [({ Ok: "Success", Partial: "PartialData", Garbage: "SemanticGarbage" } as const)[verdict._tag]]
}

const ofText = (subject: Subject, text: string, made: Made): Meaning => {
  if (subject.textKind === "string") return ofValue(subject, text, made)
  if (subject.textKind === "bytes") return ofValue(subject, new TextEncoder().encode(text), made)
  if (text.length > readable.characters) return { ends: ["Permanent"], evidence: "unknown" }
  const parsed = parse(text === "" ? "null" : text)
  if (parsed === undefined || (text === "" && Option.isNone(subject.decode(null)))) {
    return subject.definition.salvage === undefined
      ? { ends: ["SchemaMismatch"], evidence: "unknown" }
      : { ends: ["SchemaMismatch", "PartialData", "SemanticGarbage", "Permanent"], evidence: "any" }
  }
  const decoded = subject.decode(parsed.value)
  const ends: ReadonlyArray<End> = Option.isSome(decoded) ? judged(subject, decoded.value, made) : ["SchemaMismatch"]
  return text.length > readable.uncounted || isForbidden(parsed.value, 0)
    ? { ends: [...ends, "SchemaMismatch", "Permanent"], evidence: "any" }
    : { ends, evidence: "committed" }
}

const parse = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text.startsWith("\ufeff") ? text.slice(1) : text) }
  } catch {
    return undefined
  }
}

/** Nested deeper than is read, or with a name that would pollute an object. */
const isForbidden = (value: unknown, depth: number): boolean => {
  if (typeof value !== "object" || value === null) return false
  return (
    depth >= readable.depth ||
    Object.entries(value).some(
      ([name, field]) => name === "__proto__" || name === "constructor" || isForbidden(field, depth + 1)
    )
  )
}

/** The statuses that the specification speaks of, and those whose class its codes name. */
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

/** Without words of its own a response is judged by its status. */
export const wordless = '{"error":"request failed"}'

const ofResponse = (
  subject: Subject,
  { body, headers, status }: Extract<FuzzAnswer, { readonly _tag: "Response" }>,
  made: Made
): Meaning => {
  if (status >= 200 && status <= 299) return ofText(subject, textOf({ _tag: "Text", text: body }) ?? "", made)
  const tag = body === "" || body === wordless ? statuses[status] : undefined
  const ends = tag === undefined ? anything.filter((end) => end !== "Success") : [tag]
  const isAsked = Object.keys(headers ?? {}).some((name) => name.toLowerCase() === "retry-after")
  if (status === 304 || (status >= 400 && status <= 499)) {
    return { ends, evidence: status === 408 ? "unknown" : "none" }
  }
  return { ends, evidence: status >= 500 ? (status === 503 && isAsked ? "none" : "unknown") : "any" }
}
