/** Writes the relaxed schemas of results as a module or as JSON, from the groups of faults of a replay. */
import type { FaultGroup } from "effect-toolguard/internal/domain/faults/FaultGroups"
import type { Suggestion } from "effect-toolguard/internal/domain/faults/Suggestion"
import type * as SchemaAST from "effect/SchemaAST"
import * as FieldNames from "#kit/infer/FieldNames"
import { comment, quoted } from "#kit/infer/Layout"
import { atMost, counted, grouped } from "#kit/text/Numbers"
import * as OutputSchema from "./OutputSchema.ts"
import { inOrder, relax } from "./RelaxedSchema.ts"
import { definition } from "./SchemaSource.ts"

/** The rejected results of one tool. */
export interface RejectedTool {
  readonly tool: string
  /** The schema that rejected the results. */
  readonly schema: SchemaAST.AST
  /** The number of versions of the schema in the log. `schema` is the version that was seen last. Default: 1. */
  readonly versions?: number
  /** The faults of the results that `schema` rejected. */
  readonly groups: ReadonlyArray<FaultGroup<unknown>>
  /** The number of results that `schema` rejected. */
  readonly rejected: number
  /** The number of rejected results that would pass with all changes. */
  readonly passes: number
  /** Present if a counted call may have further faults, because only the first fault of a large value is listed. */
  readonly passesIsUpperBound?: true
}

/** The relaxed schema of one tool. */
export interface Proposal extends RejectedTool {
  readonly relaxed: SchemaAST.AST
  /** The groups whose change is part of the relaxed schema. */
  readonly changes: ReadonlyArray<FaultGroup<unknown>>
  /** The groups for which the schema is kept. */
  readonly kept: ReadonlyArray<FaultGroup<unknown>>
}

/** Applies all suggested changes to the schema of a tool. */
export const of = (tool: RejectedTool): Proposal => {
  let relaxed = tool.schema
  const applied = new Set<FaultGroup<unknown>>()
  for (const group of inOrder(tool.groups)) {
    const next = relax(relaxed, group, tool.schema)
    if (next === undefined) continue
    relaxed = next
    applied.add(group)
  }
  return {
    ...tool,
    relaxed,
    changes: tool.groups.filter((group) => applied.has(group)),
    kept: tool.groups.filter((group) => !applied.has(group))
  }
}

/** Describes a change as an instruction. */
export const instruction = (suggestion: Suggestion, problem: string): string => {
  switch (suggestion._tag) {
    case "keep":
      return "keep the schema"
    case "nullable":
      return "allow null"
    case "optional":
      return "make it optional"
    case "open object":
      return "allow additional fields"
    case "by hand":
      return "change the schema by hand"
    case "wider enum":
      return `allow ${suggestion.values.map((value) => JSON.stringify(value)).join(", ")}`
    case "wider type":
      return `also allow ${/, got (.+)$/.exec(problem)?.[1] ?? suggestion.type}`
    case "wider bound":
      return `relax the bound: ${suggestion.expected}`
  }
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ")

const pathOf = ({ path }: FaultGroup<unknown>["fault"]): string => (path === "" ? "(whole)" : path)

const noteOf = ({ fault, passes, passesIsUpperBound, suggestion }: FaultGroup<unknown>): string => {
  const most = atMost(passesIsUpperBound)
  const together = passes.together > passes.alone ? `, ${most(passes.together)} with all changes` : ""
  const alone = `${most(passes.alone)} ${passes.alone === 1 ? "call" : "calls"} would pass with this change alone`
  return oneLine(`Changed: ${instruction(suggestion, fault.problem)}. ${sentence(`${alone}${together}`)}.`)
}

const about = ({
  changes,
  kept,
  passes,
  passesIsUpperBound,
  rejected,
  tool,
  versions = 1
}: Proposal): ReadonlyArray<string> => [
  oneLine(
    `The result of ${quoted(tool)}. ${counted(rejected, "recorded result")} violated the schema; ${atMost(passesIsUpperBound)(passes)} would pass now.`
  ),
  ...(versions > 1
    ? [
        `The log has ${grouped(versions)} versions of the schema. This is the last one in the log, relaxed for its own results.`
      ]
    : []),
  "",
  ...changes.map((group) =>
    oneLine(
      `- Changed ${pathOf(group.fault)}: ${group.fault.problem}, in ${counted(group.count, "call")}. ${group.reason}`
    )
  ),
  ...kept.map((group) =>
    oneLine(
      `- Kept ${pathOf(group.fault)}: ${group.fault.problem}, in ${counted(group.count, "call")}. ${group.reason}`
    )
  )
]

const header = (tools: number): ReadonlyArray<string> =>
  comment([
    `Relaxed schemas for the results of ${counted(tools, "tool")}, proposed by \`toolguard replay --propose\`.`,
    "",
    "**Details**",
    "",
    "- Each changed line has a comment above it. Review each change before you use it.",
    "- Brands are not part of a schema at run time. Keep those of your schemas, and whatever a comment says to keep."
  ])

/** Returns the proposals as a module of Effect Schemas. */
export const source = (proposals: ReadonlyArray<Proposal>): string => {
  const names = new Set<string>()
  const nameOf = (tool: string): string => {
    const title = `${FieldNames.pascal(tool) || "Tool"}Success`
    let name = title
    for (let n = 2; names.has(name); n++) name = `${title}${n}`
    names.add(name)
    return name
  }
  const definitions = proposals.flatMap((proposal) => {
    const notes = proposal.changes.map((group) => ({ place: group.fault.place ?? [], text: noteOf(group) }))
    return ["", ...definition(nameOf(proposal.tool), proposal.relaxed, proposal.schema, notes, about(proposal))]
  })
  return `${[...header(proposals.length), `import * as Schema from "effect/Schema"`, ...definitions].join("\n")}\n`
}

/** Returns the proposals as JSON Schemas of results, by tool. */
export const jsonSchemas = (proposals: ReadonlyArray<Proposal>): unknown =>
  Object.fromEntries(
    proposals.map(({ changes, relaxed, tool, versions = 1 }) => [
      tool,
      {
        ...(versions > 1 ? { versions } : {}),
        changes: changes.map(({ count, fault, passes, passesIsUpperBound, reason, suggestion }) => ({
          path: pathOf(fault),
          problem: fault.problem,
          count,
          suggestion,
          reason,
          passes,
          ...(passesIsUpperBound === undefined ? {} : { passesIsUpperBound })
        })),
        outputSchema: OutputSchema.of(relaxed)
      }
    ])
  )
