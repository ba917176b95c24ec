/**
 * Renders the results that violated their schema, with examples, suggested changes, and the number of calls that would
 * pass with each change.
 */
import { isWritten } from "effect-toolguard/internal/domain/faults/Suggestion"
import { html, nothing } from "effect-toolguard/internal/domain/text/Html"
import type { Report } from "#kit/report/Report"
import * as Untrusted from "#kit/report/html/elements/UntrustedText"
import { atMost, counted, grouped } from "#kit/text/Numbers"
import type { Places } from "#kit/report/html/elements/Places"
import { advice, type Section } from "#kit/report/html/elements/Section"
import { table } from "#kit/report/html/elements/Table"
import { changedLines, examplesColumn, suggested } from "./RejectedFields.ts"

/** Creates the section on rejected results. */
export const rejectedResults = ({ rejected, results }: Report, places: Places): Section => {
  const rows = rejected.filter(({ part }) => part === "result")
  const relaxable = rows.filter((row) => isWritten(row.suggestion)).length
  const byHand = rows.filter(({ suggestion }) => suggestion._tag === "by hand").length
  const checked = results.reduce((sum, row) => sum + row.checked, 0)
  const passes = results.reduce((sum, row) => sum + row.passes, 0)
  const most = atMost(results.some((row) => row.passesIsUpperBound))
  const broken = results.filter((row) => row.rejected > 0)
  return {
    id: "results",
    title: "Results that violate their schema",
    short: "Rejected results",
    count: rows.length,
    none: checked === 0 ? "" : `No rejected results: all ${counted(checked, "checked result")} match their schemas.`,
    body:
      rows.length === 0
        ? undefined
        : html`<p>
              These results violate the schema of the tool's results. The guard does not pass them on, unless the tool
              only advises. The table shows how, how often, and how many rejected calls would pass if the schema were
              relaxed: with this change alone, and with all suggested changes of the tool.
            </p>
            ${advice(
              relaxable === 0
                ? byHand === 0
                  ? "Keep the schemas: the results are at fault."
                  : html`Change ${counted(byHand, "field")} by hand: no change of one place accepts only these values.`
                : html`Relax ${counted(relaxable, "field")}: ${most(passes)} rejected ${passes === 1 ? "call" : "calls"}
                    would pass. <code class="flag">--propose</code> writes the changed schemas.`
            )}
            ${table(
              { caption: "Rejected results by tool, path and fault", sorted: ["Calls", "descending"] },
              [
                {
                  name: "Tool and field",
                  of: ({ path, tool }) =>
                    html`${Untrusted.code(tool)} <span class="note">${Untrusted.code(path)}</span>`
                },
                { name: "Fault", of: ({ problem }) => Untrusted.text(problem), isWide: true },
                { name: "Calls", of: ({ count }) => grouped(count), isNumber: true },
                {
                  name: "Would pass",
                  of: ({ passes, passesIsUpperBound }) =>
                    html`${atMost(passesIsUpperBound)(passes.alone)}
                      <span class="quiet"
                        >${passes.together > passes.alone ? `${atMost(passesIsUpperBound)(passes.together)} with all` : ""}</span
                      >`,
                  isNumber: true
                },
                examplesColumn(places),
                {
                  name: "Suggestion",
                  of: (row) => html`${suggested(row)} <span class="note">${Untrusted.text(row.reason)}</span>`,
                  isWide: true
                }
              ],
              rows
            )}
            ${changedLines(rows)}
            ${
              broken.length === 0
                ? nothing
                : html`<h3>By tool</h3>
                    ${table(
                      { caption: "Checked results by tool", sorted: ["Rejected", "descending"] },
                      [
                        { name: "Tool", of: ({ tool }) => Untrusted.code(tool), isWide: true },
                        { name: "Checked", of: (row) => grouped(row.checked), isNumber: true },
                        { name: "Rejected", of: (row) => grouped(row.rejected), isNumber: true },
                        { name: "Among failures", of: (row) => grouped(row.failed), isNumber: true },
                        { name: "Would pass", of: (row) => atMost(row.passesIsUpperBound)(row.passes), isNumber: true }
                      ],
                      broken
                    )}`
            }`
  }
}
