/** Fields that calls broke, grouped by tool, path and fault, with what was sent and how the schema could give way. */
import type { ArgumentIssue } from "#domain/ArgumentIssues"
import * as FieldPath from "#domain/FieldPath"
import type { ReplayedCall } from "#src/operate/replay/ReplayedCall"
import { byCount, table } from "./Counter.ts"
import type { CallPlace, RejectedField, Suggestion } from "./Report.ts"

/** Most different values that are shown of a field. */
const mostExamples = 3
const longestExample = 80
/** Rows of tools and fields that are held: names come from models, and must not fill the memory. */
const mostRows = 5_000

interface Row {
  readonly tool: string
  readonly path: string
  readonly problem: string
  readonly issue: ArgumentIssue
  readonly examples: Map<string, CallPlace>
  readonly sent: Set<string>
  count: number
  accepted: number
}

/** `redact` takes secrets out of what is shown. */
export const make = (redact: (text: string) => string) => {
  const rows = table<Row>()
  let held = 0
  return {
    add: (call: ReplayedCall, args: unknown, at: CallPlace): void => {
      for (const issue of call.issues) {
        const path = FieldPath.format(issue.path.map((part) => (typeof part === "number" ? "[]" : part)))
        const problem = problemOf(issue)
        if (held > mostRows) return
        const row = rows.at(JSON.stringify([call.tool, path, problem]), () => {
          held += 1
          return { tool: call.tool, path, problem, issue, examples: new Map(), sent: new Set(), count: 0, accepted: 0 }
        })
        row.count += 1
        if (call.judged?._tag === "Success" || call.judged?._tag === "Partial") row.accepted += 1
        const sent = written(at_(args, issue.path))
        if (row.sent.size < 20) row.sent.add(sent)
        if (row.examples.size < mostExamples && !row.examples.has(sent)) row.examples.set(sent, at)
      }
    },
    rows: (): ReadonlyArray<RejectedField> =>
      rows
        .rows()
        .map(({ accepted, count, examples, issue, path, problem, sent, tool }) => ({
          tool,
          path: path === "" ? "(whole)" : path,
          problem,
          count,
          accepted,
          examples: [...examples].map(([text, at]) => ({ sent: FieldPath.cut(redact(text), longestExample), at })),
          suggestion: suggestionFor(issue, count, accepted, [...sent])
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

const at_ = (args: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    args
  )

const written = (value: unknown): string => (value === undefined ? "(nothing)" : (JSON.stringify(value) ?? "(nothing)"))

/** A schema gives way only where the tool itself took most of what was sent. */
const suggestionFor = (
  issue: ArgumentIssue,
  count: number,
  accepted: number,
  sent: ReadonlyArray<string>
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
        ? { _tag: "wider enum", values: sent.map((text) => FieldPath.cut(String(JSON.parse(text)), 40)).slice(0, 10) }
        : { _tag: "wider type", type: issue.got ?? "anything" }
    case "type":
      return { _tag: "wider type", type: issue.got ?? "anything" }
    default:
      return { _tag: "wider bound", expected: issue.expected ?? issue.message ?? "" }
  }
}
