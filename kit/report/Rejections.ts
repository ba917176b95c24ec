/** Collects rejected fields of arguments and results by tool, path and fault, with examples and a suggested change. */
import * as FaultGroups from "effect-toolguard/internal/domain/faults/FaultGroups"
import { isSmall } from "effect-toolguard/internal/domain/json/ValueSize"
import type { RejectedTool } from "#kit/propose/Proposal"
import type { ReplayedCall } from "#kit/replay/ReplayedCall"
import type * as SchemaAST from "effect/SchemaAST"
import * as Content from "#kit/traffic/Content"
import { hash } from "#kit/traffic/Hash"
import { byCount, others, table } from "./Tables.ts"
import type { CallPlace, RejectedField, ResultRow } from "./Report.ts"

/** Creates an empty collection. `redact` removes secrets from all texts. */
export const make = (redact: (text: string) => string) => {
  const sent = FaultGroups.make<CallPlace>(redact)
  const returned = FaultGroups.make<CallPlace>(redact)
  const schemas = new Map<string, SchemaAST.AST>()
  const results = table<{ -readonly [K in keyof ResultRow]: ResultRow[K] }>()
  return {
    /** Adds the calls of one conversation. */
    add: (calls: ReadonlyArray<ReplayedCall>, placeOf: (call: ReplayedCall) => CallPlace): void => {
      const repaired = repairedIn(calls)
      for (const call of calls) {
        const { answer, argumentFaults, isAnswered, judged, record, resultFaults, resultSchema, tally, tool } = call
        const at = placeOf(call)
        if (argumentFaults.length > 0) {
          const isFirstOnly = isLarge(call.arguments)
          sent.add({ tool, faults: argumentFaults, at, worked: isAnswered, isFirstOnly })
        }
        if (resultFaults === undefined) continue
        const text = answer?.text ?? ""
        const worked = !repaired.has(call)
        const isFirstOnly = resultFaults.length > 0 && isLarge(text)
        returned.add({ tool, faults: resultFaults, at, worked, answer: `${hash(text)} ${text.length}`, isFirstOnly })
        const rowOf = (tool: string) => ({ tool, checked: 0, rejected: 0, enforced: 0, failed: 0, passes: 0 })
        const row = results.at(
          tool,
          () => rowOf(tool),
          () => rowOf(others)
        )
        row.checked += 1
        if (resultFaults.length === 0) continue
        row.rejected += 1
        if (judged?._tag === "Failure") row.enforced += 1
        if (resultSchema !== undefined && !schemas.has(tool) && row.tool === tool) schemas.set(tool, resultSchema)
        const isFailed = record.outcome._tag === "Failure" && record.outcome.failure._tag === "SchemaMismatch"
        if (isFailed && tally.saving === undefined && tally.refusal === undefined) row.failed += 1
      }
    },
    /** Returns the groups of equal faults. */
    rows: (): ReadonlyArray<RejectedField> =>
      [...sent.groups().map(rowOf("arguments")), ...returned.groups().map(rowOf("result"))].sort(
        byCount(
          ({ count }) => count,
          ({ part, path, problem, tool }) => `${tool} ${part} ${path} ${problem}`
        )
      ),
    /** Returns the tools with rejected results, with the schema that rejected the first one. */
    rejectedTools: (): ReadonlyArray<RejectedTool> => {
      const groups = returned.groups()
      return [...schemas].map(([tool, schema]) => {
        const { calls, ...passes } = returned.rejected(tool)
        return { tool, schema, groups: groups.filter((group) => group.tool === tool), rejected: calls, ...passes }
      })
    },
    /** Returns the tools whose results were checked. */
    results: (): ReadonlyArray<ResultRow> =>
      results
        .rows()
        .map((row) => {
          const { calls: _, ...passes } = returned.rejected(row.tool)
          return { ...row, ...passes }
        })
        .sort(
          byCount(
            ({ rejected }) => rejected,
            ({ tool }) => tool
          )
        )
  }
}

/** True if only the first fault of a value, or of the value that a text holds as JSON, is listed. */
const isLarge = (value: unknown): boolean => !isSmall(Content.parsed(value))

/** Returns the calls whose result has faults, but not the result of the next identical call of the turn. */
const repairedIn = (calls: ReadonlyArray<ReplayedCall>): ReadonlySet<ReplayedCall> => {
  const next = new Map<string, ReplayedCall>()
  const repaired = new Set<ReplayedCall>()
  for (const call of calls.toReversed()) {
    const key = `${call.turn} ${call.key}`
    const later = next.get(key)
    if ((call.resultFaults ?? []).length > 0 && later?.resultFaults?.length === 0) repaired.add(call)
    next.set(key, call)
  }
  return repaired
}

const rowOf =
  (part: RejectedField["part"]) =>
  ({
    count,
    examples,
    fault,
    passes,
    passesIsUpperBound,
    reason,
    suggestion,
    tool,
    worked
  }: FaultGroups.FaultGroup<CallPlace>): RejectedField => ({
    part,
    tool,
    path: fault.path === "" ? "(whole)" : fault.path,
    problem: fault.problem,
    count,
    accepted: worked,
    examples,
    suggestion,
    reason,
    passes,
    ...(passesIsUpperBound === undefined ? {} : { passesIsUpperBound })
  })
