/** Renders the calls of each tool, and how many of them need approval. */
import { html, nothing } from "effect-toolguard/internal/domain/text/Html"
import type { Report, ToolRow } from "#kit/report/Report"
import { stacked } from "#kit/report/html/elements/Chart"
import * as Untrusted from "#kit/report/html/elements/UntrustedText"
import { grouped } from "#kit/text/Numbers"
import type { Section } from "#kit/report/html/elements/Section"
import { type Column, table } from "#kit/report/html/elements/Table"

const number = (name: string, of: (row: ToolRow) => number): Column<ToolRow> => ({
  name,
  isNumber: true,
  of: (row) => (of(row) === 0 ? html`<span class="zero">0</span>` : grouped(of(row)))
})

/** Creates the section on tools. */
export const tools = ({ asked, tools: rows }: Report): Section => {
  const most = Math.max(0, ...rows.map(({ calls }) => calls))
  const asks = new Map(asked.map(({ count, tool }) => [tool, count]))
  return {
    id: "tools",
    title: "Tools",
    count: rows.length,
    body:
      rows.length === 0
        ? undefined
        : html`<p>
              For each tool, the table shows the tokens of the requests that made its calls, how many calls failed, how
              many the guard would have refused or
              saved${asked.length === 0 ? "" : ", and about how many it would have asked a person"}.
            </p>
            <ul class="legend">
              <li><i class="k-good"></i>succeeded</li>
              <li><i class="k-bad"></i>failed</li>
              <li><i class="k-refused"></i>refused</li>
              <li><i class="k-saved"></i>saved</li>
            </ul>
            ${table(
              { caption: "Calls by tool", sorted: ["Tokens", "descending"] },
              [
                { name: "Tool", of: ({ tool }) => Untrusted.code(tool) },
                { name: "Share", of: (row) => shareOf(row, most), isChart: true },
                number("Calls", ({ calls }) => calls),
                number("Tokens", ({ inputTokens, outputTokens }) => inputTokens + outputTokens),
                number("Failed", ({ failed }) => failed),
                number("Refused", ({ refused }) => refused),
                number("Saved", ({ saved }) => saved),
                ...(asked.length === 0 ? [] : [number("Asked", ({ tool }) => asks.get(tool) ?? 0)])
              ],
              rows
            )}
            ${asked.length === 0 ? nothing : html`<p class="quiet">Asked means that a person must approve the call.</p>`}`
  }
}

/**
 * Renders the share of a tool's calls as a bar. A failed call that is also refused or saved appears only as refused or
 * saved.
 */
const shareOf = ({ calls, failed, refused, saved }: ToolRow, most: number) => {
  const executed = Math.max(0, calls - refused - saved)
  const failedCalls = Math.min(failed, executed)
  return stacked(
    [
      { count: executed - failedCalls, mark: "good" },
      { count: failedCalls, mark: "bad" },
      { count: refused, mark: "refused" },
      { count: saved, mark: "saved" }
    ],
    most
  )
}
