/** Collects rejected fields of arguments and results by tool, path and fault, with examples and a suggested change. */
import * as FaultGroups from "effect-toolguard/internal/domain/faults/FaultGroups"
import { isSmall } from "effect-toolguard/internal/domain/json/ValueSize"
import * as ChangedLine from "#kit/propose/ChangedLine"
import type { RejectedTool } from "#kit/propose/Proposal"
import { relax } from "#kit/propose/RelaxedSchema"
import type { ReplayedCall } from "#kit/replay/ReplayedCall"
import { resultSchema as printed } from "effect-toolguard/internal/domain/schema/Contract"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as Content from "#kit/traffic/Content"
import { hash } from "effect-toolguard/internal/domain/text/Hash"
import { byCount, others, table } from "./Tables.ts"
import type { CallPlace, RejectedField, ResultRow } from "./Report.ts"

/** Creates an empty collection. `redact` removes secrets from all texts. */
export const make = (redact: (text: string) => string) => {
  const sent = FaultGroups.make<CallPlace>(redact)
  const versions = new Map<string, Versions>()
  /** True if the newest schema of a tool can be relaxed as suggested, or if no schema is known. */
  const canChange = (tool: string, change: FaultGroups.Change): boolean => {
    const schema = versions.get(tool)?.schema
    return schema === undefined || relax(schema, change) !== undefined
  }
  const returned = FaultGroups.make<CallPlace>(redact, (change) => canChange(change.tool, change))
  /** The results of the tools by version of their schema, because a proposal relaxes only the newest version. */
  const byVersion = FaultGroups.make<CallPlace>(redact, (change) => canChange(toolOf(change.tool), change))
  /** The last schema of the arguments that each tool refused. */
  const parameters = new Map<string, SchemaAST.AST>()
  const lineOf = (group: FaultGroups.FaultGroup<CallPlace>, schema: SchemaAST.AST | undefined) => {
    const line = ChangedLine.of(group, schema)
    return line === undefined ? undefined : redact(line)
  }
  const results = table<{ -readonly [K in keyof ResultRow]: ResultRow[K] }>()
  return {
    /** Adds the calls of one conversation. */
    add: (calls: ReadonlyArray<ReplayedCall>, placeOf: (call: ReplayedCall) => CallPlace): void => {
      const repaired = repairedIn(calls)
      for (const call of calls) {
        const {
          answer,
          argumentFaults,
          argumentSchema,
          isAnswered,
          loggedEnd,
          record,
          resultFaults,
          resultSchema,
          tally,
          tool
        } = call
        const at = placeOf(call)
        if (argumentFaults.length > 0) {
          const isFirstOnly = isLarge(call.arguments)
          if (argumentSchema !== undefined) parameters.set(tool, argumentSchema)
          sent.add({ tool, faults: argumentFaults, at, worked: isAnswered, isFirstOnly })
        }
        if (resultFaults === undefined) continue
        const text = answer?.text ?? ""
        const worked = !repaired.has(call)
        const isFirstOnly = resultFaults.length > 0 && isLarge(text)
        const checked = { faults: resultFaults, at, worked, answer: `${hash(text)} ${text.length}`, isFirstOnly }
        returned.add({ ...checked, tool })
        const rowOf = (tool: string) => ({ tool, checked: 0, rejected: 0, enforced: 0, failed: 0, passes: 0 })
        const row = results.at(
          tool,
          () => rowOf(tool),
          () => rowOf(others)
        )
        row.checked += 1
        if (row.tool === tool) {
          if (resultSchema !== undefined) see(versions, tool, resultSchema)
          byVersion.add({ ...checked, tool: keyOf(tool, versions.get(tool)) })
        }
        if (resultFaults.length === 0) continue
        row.rejected += 1
        if (loggedEnd?._tag === "Failure") row.enforced += 1
        const isFailed = record.outcome._tag === "Failure" && record.outcome.failure._tag === "SchemaMismatch"
        if (isFailed && tally.saving === undefined && tally.refusal === undefined) row.failed += 1
      }
    },
    /** Returns the groups of equal faults. */
    rows: (): ReadonlyArray<RejectedField> =>
      [
        ...sent.groups().map((group) => rowOf("arguments", group, lineOf(group, parameters.get(group.tool)))),
        ...returned.groups().map((group) => rowOf("result", group, lineOf(group, versions.get(group.tool)?.schema)))
      ].sort(
        byCount(
          ({ count }) => count,
          ({ part, path, problem, tool }) => `${tool} ${part} ${path} ${problem}`
        )
      ),
    /** Returns the tools whose newest schema rejected results, with this schema and the results that it rejected. */
    rejectedTools: (): ReadonlyArray<RejectedTool> => {
      const groups = byVersion.groups()
      return [...versions].flatMap(([tool, seen]) => {
        const key = keyOf(tool, seen)
        const { calls, ...passes } = byVersion.rejected(key)
        const own = groups.flatMap((group) => (group.tool === key ? [{ ...group, tool }] : []))
        const { all, schema } = seen
        return calls === 0 ? [] : [{ tool, schema, versions: all.size, groups: own, rejected: calls, ...passes }]
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

/** The versions of a tool's schema of results. */
interface Versions {
  /** The version that was seen last. */
  schema: SchemaAST.AST
  /** The hash of each version, because equal schemas are compiled again for other lists of tools. */
  readonly hashes: WeakMap<SchemaAST.AST, number>
  readonly all: Set<number>
}

/** Notes the version of a tool's schema that a result was checked against. */
const see = (versions: Map<string, Versions>, tool: string, schema: SchemaAST.AST): void => {
  const seen = versions.get(tool) ?? { schema, hashes: new WeakMap(), all: new Set() }
  versions.set(tool, seen)
  seen.schema = schema
  if (seen.hashes.has(schema)) return
  const version = hash(JSON.stringify(printed(Schema.make(schema)).jsonSchema2020))
  seen.hashes.set(schema, version)
  seen.all.add(version)
}

/** Identifies the newest version of a tool's schema. */
const keyOf = (tool: string, seen: Versions | undefined): string =>
  JSON.stringify([tool, seen?.hashes.get(seen.schema)])

/** Returns the tool of a key that `keyOf` returned. */
const toolOf = (key: string): string => {
  const [tool] = JSON.parse(key) as readonly [string, number]
  return tool
}

/** True if only the first fault of a value, or of the value that a text holds as JSON, is listed. */
const isLarge = (value: unknown): boolean => !isSmall(Content.parsed(value))

/** Returns the calls whose result has faults, but not the result of the next identical call of the turn. */
const repairedIn = (calls: ReadonlyArray<ReplayedCall>): ReadonlySet<ReplayedCall> => {
  if (!calls.some(({ resultFaults = [] }) => resultFaults.length > 0)) return new Set()
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

const rowOf = (
  part: RejectedField["part"],
  {
    count,
    examples,
    fault,
    passes,
    passesIsUpperBound,
    reason,
    suggestion,
    tool,
    worked
  }: FaultGroups.FaultGroup<CallPlace>,
  line: string | undefined
): RejectedField => ({
  part,
  tool,
  path: fault.path === "" ? "(whole)" : fault.path,
  problem: fault.problem,
  count,
  accepted: worked,
  examples,
  suggestion,
  reason,
  ...(line === undefined ? {} : { line }),
  passes,
  ...(passesIsUpperBound === undefined ? {} : { passesIsUpperBound })
})
