/** Converts the report to one JSON value, for programs. */
import * as JsonPointer from "effect-toolguard/internal/domain/json/JsonPointer"
import type { Preset } from "#kit/lint/rules/Severity"
import { stepOf } from "#kit/lint/Steps"
import { counts, type FileReport, type LocatedFinding, type Report, type ToolCost, total } from "./Report.ts"

const finding = ({ category, message, pointer, region, rule, severity, tool }: LocatedFinding) => ({
  rule,
  severity,
  category,
  step: stepOf(rule),
  tool: tool ?? null,
  message,
  pointer: JsonPointer.format(pointer),
  ...region
})

interface JsonFile {
  readonly file: string
  readonly tokens: number
  readonly tools: ReadonlyArray<ToolCost>
  readonly findings: ReadonlyArray<ReturnType<typeof finding>>
  readonly suppressed: ReadonlyArray<ReturnType<typeof finding> & { readonly reason: string }>
}

const file = ({ file, findings, suppressed, tools }: FileReport): JsonFile => ({
  file,
  tokens: total(tools),
  tools,
  findings: findings.map(finding),
  suppressed: suppressed.map((each) => ({ ...finding(each), reason: each.reason }))
})

/** Returns `{ preset, files, summary }`. Each file has its findings in the order of its tools, and the tokens of each tool. */
export const of = (report: Report, preset: Preset) => {
  const tools = report.flatMap(({ tools }) => tools)
  return {
    preset,
    files: report.map(file),
    summary: {
      ...counts(report),
      suppressed: report.reduce((sum, { suppressed }) => sum + suppressed.length, 0),
      tools: tools.length,
      tokens: total(tools)
    }
  }
}
