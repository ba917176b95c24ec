/** Collects rejected fields by tool, path and fault, with examples and a suggested change to the schema. */
import type { ArgumentIssue } from "effect-toolguard/internal/domain/schema/ArgumentIssues"
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import * as FieldPath from "effect-toolguard/internal/domain/text/FieldPath"
import type { ReplayedCall } from "#kit/replay/ReplayedCall"
import { beginning, byCount, others, table } from "./Tables.ts"
import type { CallPlace, RejectedField, Suggestion } from "./Report.ts"

/** The maximum number of different values to show of a field. */
const mostExamples = 3
/** The maximum number of characters to show of each value. */
const longestExample = 80
/** The maximum number of different values to keep of a field. */
const mostSent = 20
/** The maximum number of characters to keep of each value. */
const longestSent = 1_000

interface Row {
  readonly tool: string
  readonly path: string
  readonly problem: string
  readonly issue: ArgumentIssue
  readonly examples: Map<string, CallPlace>
  readonly sent: Set<string>
  count: number
  accepted: number
  /** True if the row collects the fields past the limit, for which no change is suggested. */
  readonly isMixed?: boolean
}

/** Creates an empty collection. `redact` removes secrets from all texts. */
export const make = (redact: (text: string) => string) => {
  const rows = table<Row>()
  return {
    add: (call: ReplayedCall, args: unknown, at: CallPlace): void => {
      for (const issue of call.issues) {
        const path = redact(FieldPath.format(issue.path.map((part) => (typeof part === "number" ? "[]" : part))))
        const problem = redact(problemOf(issue))
        const rowOf = (tool: string): Row => ({
          tool,
          path,
          problem,
          issue,
          examples: new Map(),
          sent: new Set(),
          count: 0,
          accepted: 0
        })
        const row = rows.at(
          JSON.stringify([call.tool, path, problem]),
          () => rowOf(call.tool),
          () => ({ ...rowOf(others), path: others, problem: others, isMixed: true })
        )
        row.count += 1
        if (call.judged?._tag === "Success" || call.judged?._tag === "Partial") row.accepted += 1
        const sent = beginning(jsonOf(valueAt(args, issue.path)), longestSent)
        if (row.sent.size < mostSent) row.sent.add(sent)
        if (row.examples.size < mostExamples && !row.examples.has(sent)) row.examples.set(sent, at)
      }
    },
    rows: (): ReadonlyArray<RejectedField> =>
      rows
        .rows()
        .map(({ accepted, count, examples, isMixed, issue, path, problem, sent, tool }): RejectedField => ({
          tool,
          path: path === "" ? "(whole)" : path,
          problem,
          count,
          accepted,
          examples: [...examples].map(([text, at]) => ({ sent: cut(redact(text), longestExample), at })),
          suggestion: isMixed === true ? { _tag: "keep" } : suggestionFor(issue, count, accepted, [...sent], redact)
        }))
        .sort(
          byCount(
            ({ count }) => count,
            ({ path, problem, tool }) => `${tool} ${path} ${problem}`
          )
        )
  }
}

const problemOf = ({ allowed = [], code, expected, got, message }: ArgumentIssue): string => {
  switch (code) {
    case "missing":
      return "missing"
    case "unexpected":
      return "unknown field"
    case "enum":
      return `not one of ${allowed.length} values`
    case "type":
      return `expected ${expected ?? "another type"}, got ${got ?? "something else"}`
    default:
      return message ?? (expected === undefined ? code : `expected ${expected}`)
  }
}

/** Returns the value at a path. The cast is safe, because any object can be read by key. */
const valueAt = (args: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    args
  )

const jsonOf = (value: unknown): string => (value === undefined ? "(nothing)" : (JSON.stringify(value) ?? "(nothing)"))

/** Returns the text of a JSON string whose end may have been cut off. */
const unquoted = (json: string): string => {
  try {
    return String(JSON.parse(json))
  } catch {
    return json.slice(1)
  }
}

/**
 * Suggests a relaxed schema if the tool itself accepted at least half of the values. Otherwise suggests to keep the
 * schema.
 */
const suggestionFor = (
  issue: ArgumentIssue,
  count: number,
  accepted: number,
  sent: ReadonlyArray<string>,
  redact: (text: string) => string
): Suggestion => {
  if (accepted === 0 || accepted * 2 < count) return { _tag: "keep" }
  if (issue.got === "null") return { _tag: "nullable" }
  switch (issue.code) {
    case "missing":
      return { _tag: "optional" }
    case "unexpected":
      return { _tag: "open object" }
    case "enum":
      return sent.every((text) => text.startsWith('"'))
        ? { _tag: "wider enum", values: sent.map((text) => cut(redact(unquoted(text)), 40)).slice(0, 10) }
        : { _tag: "wider type", type: issue.got ?? "anything" }
    case "type":
      return { _tag: "wider type", type: issue.got ?? "anything" }
    default:
      return { _tag: "wider bound", expected: issue.expected ?? issue.message ?? "" }
  }
}
