/** Writes the relaxed schemas of results that a replay proposes to a new file. */
import * as PrivateFile from "effect-toolguard/internal/layers/stores/PrivateFile"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Json from "#kit/cli/console/Json"
import { problem, type Problem } from "#kit/cli/console/Problem"
import * as Proposal from "#kit/propose/Proposal"
import type { Report } from "#kit/report/Report"
import { atMost, counted } from "#kit/text/Numbers"
import * as OutputFiles from "./OutputFiles.ts"

const save = (file: string, text: string): Effect.Effect<void, Problem> =>
  Effect.try({
    try: () => PrivateFile.write(file, text, { isNew: true }),
    catch: (error) =>
      error instanceof Error && "code" in error && error.code === "EEXIST"
        ? OutputFiles.exists(file)
        : OutputFiles.cannotWrite(file, error)
  })

/** Writes the proposals, and prints a summary. Writes nothing if no change is suggested. */
export const write = (
  file: string,
  { results, totals }: Report,
  tools: ReadonlyArray<Proposal.RejectedTool>
): Effect.Effect<void, Problem> => {
  const checked = results.reduce((sum, row) => sum + row.checked, 0)
  const rejected = results.reduce((sum, row) => sum + row.rejected, 0)
  if (totals.calls === 0) {
    return Effect.fail(
      problem("The log has no calls of tools, so no schema was proposed.", "Pass a log in which the model calls tools.")
    )
  }
  if (totals.calls === totals.unanswered) {
    return Effect.fail(
      problem("The log has no results, so no schema was proposed.", "Pass a log with the tools' answers.")
    )
  }
  if (checked === 0) {
    return Effect.fail(
      problem(
        "No result was checked, because no schema of results is known.",
        "Pass --tools with a module of guarded tools, or a log whose tools have an output schema."
      )
    )
  }
  if (rejected === 0) {
    return Console.error(`All ${counted(checked, "checked result")} match their schemas, so ${file} was not written.`)
  }
  const proposals = tools.map(Proposal.of).filter(({ changes }) => changes.length > 0)
  if (proposals.length === 0) {
    return Console.error(
      `No change is suggested for the ${counted(rejected, "rejected result")}, so ${file} was not written.`
    )
  }
  const text = OutputFiles.isJson(file) ? `${Json.text(Proposal.jsonSchemas(proposals))}\n` : Proposal.source(proposals)
  const passes = proposals.reduce((sum, proposal) => sum + proposal.passes, 0)
  const most = atMost(proposals.some(({ passesIsUpperBound }) => passesIsUpperBound))
  return Effect.andThen(
    save(file, text),
    Console.error(
      `Wrote ${file}: relaxed schemas of ${counted(proposals.length, "tool")}, with which ${most(passes)} of ${counted(rejected, "rejected result")} would pass.`
    )
  )
}
