/** Determines which tools of a snapshot write, as the preset `strict` of `toolguard lint` does. */
import * as ListingAnalysis from "#kit/lint/reading/ListingAnalysis"
import type { ListedTool } from "#kit/lint/reading/ListedTool"
import { isDestructive, isWriting } from "#kit/lint/reading/WritingTools"
import type { Snapshot } from "./Snapshot.ts"

const at: ListedTool["at"] = { tool: [], name: [], description: [], parameters: [], result: [] }

/**
 * Returns the access of the tools that write, by name. The access of a tool that declares none is derived from its
 * description and name.
 */
export const writeAccessOf = (tools: Snapshot): ReadonlyMap<string, "write" | "destructive"> => {
  const listed = [...tools].map(([name, { access, description, parameters, result }]): ListedTool => ({
    name,
    description,
    parameters,
    result,
    style: "functions",
    access,
    isRepeatable: false,
    shown: {},
    at
  }))
  const { subjects } = ListingAnalysis.read({ tools: listed, unreadable: [] }, () => 0)
  return new Map(
    subjects.flatMap((subject) =>
      isWriting(subject) ? [[subject.tool.name, isDestructive(subject) ? "destructive" : "write"] as const] : []
    )
  )
}
