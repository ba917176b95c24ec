/** Renders the fields of arguments whose values violated the schema, with examples and a suggested change to the schema. */
import { isWritten } from "effect-toolguard/internal/domain/faults/Suggestion"
import { type Html, html, nothing } from "effect-toolguard/internal/domain/text/Html"
import type { RejectedField, Report } from "#kit/report/Report"
import * as Untrusted from "#kit/report/html/elements/UntrustedText"
import { counted, grouped, share } from "#kit/text/Numbers"
import { length, limited } from "#kit/report/html/elements/Limit"
import type { Places } from "#kit/report/html/elements/Places"
import { advice, type Section } from "#kit/report/html/elements/Section"
import { type Column, table } from "#kit/report/html/elements/Table"
import { suggestion } from "#kit/report/html/elements/Terms"

/** Renders a suggested change. */
export const suggested = ({ line, suggestion: relaxation }: RejectedField) => {
  const { meaning, name } = suggestion(relaxation)
  const look = relaxation._tag === "keep" ? "plain" : "saved"
  return html`<span class="badge b-${look}">${Untrusted.name(name)}</span>
    ${line === undefined ? html`<span class="note">${Untrusted.text(meaning)}</span>` : nothing}`
}

/** Creates the column with the examples of a field and their calls. */
export const examplesColumn = (places: Places): Column<RejectedField> => ({
  name: "Examples",
  of: ({ examples }) =>
    html`<ul class="examples">
      ${examples.map(({ at, sent }) => html`<li><code>${Untrusted.text(sent)}</code> ${places.link(at, at.call)}</li>`)}
    </ul>`,
  isWide: true
})

const limit = { items: 500, characters: 400_000 }

/** Renders the changed lines of the schemas, ready to be copied. */
export const changedLines = (rows: ReadonlyArray<RejectedField>): Html => {
  const changed = rows.flatMap(({ line, path, tool }) => (line === undefined ? [] : [{ line, path, tool }]))
  if (changed.length === 0) return nothing
  const { omitted, shown } = limited(
    changed,
    limit,
    ({ line, path, tool }) =>
      html`<li>
        ${Untrusted.code(tool)} <span class="quiet">${Untrusted.code(path)}</span>
        <pre class="source"><code>${Untrusted.source(line)}</code></pre>
      </li>`,
    length
  )
  return html`<h3>Changed lines of the schemas</h3>
    <ul class="lines">
      ${shown}
    </ul>
    ${omitted === 0 ? nothing : html`<p class="left">The first ${grouped(shown.length)} of ${counted(changed.length, "line")}.</p>`}`
}

/** Creates the section on rejected fields of arguments. */
export const rejectedFields = ({ rejected, totals }: Report, places: Places): Section => {
  const rows = rejected.filter(({ part }) => part === "arguments")
  const relaxable = rows.filter((row) => isWritten(row.suggestion)).length
  return {
    id: "rejected",
    title: "Rejected fields",
    count: rows.length,
    none: totals.calls === 0 ? "" : "No rejected fields: all arguments match the known schemas.",
    body:
      rows.length === 0
        ? undefined
        : html`<p>
              These arguments violate the tool's own schema. The table shows how, how often, and how often the tool
              accepted them anyway.
            </p>
            ${advice(
              relaxable === 0
                ? "Keep the schemas: the tools rejected these arguments too."
                : `Relax ${counted(relaxable, "field")}: the tool accepted what its schema forbids. A guard that is too strict makes the model distrust every tool.`
            )}
            ${table(
              { caption: "Rejected fields by tool, path and fault", sorted: ["Calls", "descending"] },
              [
                { name: "Tool", of: ({ tool }) => Untrusted.code(tool) },
                { name: "Field", of: ({ path }) => Untrusted.code(path) },
                { name: "Fault", of: ({ problem }) => Untrusted.text(problem) },
                { name: "Calls", of: ({ count }) => grouped(count), isNumber: true },
                {
                  name: "Accepted",
                  of: ({ accepted, count }) =>
                    html`${grouped(accepted)} <span class="quiet">${share(accepted, count)}</span>`,
                  isNumber: true
                },
                examplesColumn(places),
                { name: "Suggestion", of: suggested, isWide: true }
              ],
              rows
            )}
            ${changedLines(rows)}`
  }
}
