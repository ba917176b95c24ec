/** Fields that calls broke, with what was sent and how the schema could give way. */
import { html } from "effect-toolguard/internal/domain/text/Html"
import type { RejectedField, Report } from "#kit/report/Report"
import * as Foreign from "#kit/report/html/elements/Foreign"
import { counted, of, share } from "#kit/report/html/elements/Numbers"
import type { Places } from "#kit/report/html/elements/Places"
import { advice, type Section } from "#kit/report/html/elements/Section"
import { table } from "#kit/report/html/elements/Table"
import { suggestion } from "#kit/report/html/elements/Words"

const suggested = ({ suggestion: given }: RejectedField) => {
  const { meaning, name } = suggestion(given)
  const look = given._tag === "keep" ? "plain" : "spared"
  return html`<span class="badge b-${look}">${Foreign.name(name)}</span>
    <span class="note">${Foreign.said(meaning)}</span>`
}

export const rejected = ({ rejected: rows, totals }: Report, places: Places): Section => {
  const loose = rows.filter((row) => row.suggestion._tag !== "keep").length
  return {
    id: "rejected",
    title: "Rejected fields",
    count: rows.length,
    none: totals.calls === 0 ? "" : "No rejected fields: all arguments keep to the schemas that are known.",
    body:
      rows.length === 0
        ? undefined
        : html`<p>
              Where arguments break the tool's own schema: why, how often, and whether the tool took them all the same.
            </p>
            ${advice(
              loose === 0
                ? "Keep the schemas: the tools did not take these arguments either."
                : `Loosen ${of(loose, "field")}: the tool took what its schema forbids. A guard that is too strict makes the model distrust every tool.`
            )}
            ${table(
              { caption: "Rejected fields by tool, path and fault", sorted: ["Calls", "descending"] },
              [
                { name: "Tool", of: ({ tool }) => Foreign.code(tool) },
                { name: "Field", of: ({ path }) => Foreign.code(path) },
                { name: "Fault", of: ({ problem }) => Foreign.said(problem) },
                { name: "Calls", of: ({ count }) => counted(count), isNumber: true },
                {
                  name: "Taken",
                  of: ({ accepted, count }) =>
                    html`${counted(accepted)} <span class="quiet">${share(accepted, count)}</span>`,
                  isNumber: true
                },
                {
                  name: "Was sent",
                  of: ({ examples }) =>
                    html`<ul class="examples">
                      ${examples.map(
                        ({ at, sent }) => html`<li><code>${Foreign.said(sent)}</code> ${places.link(at, at.call)}</li>`
                      )}
                    </ul>`,
                  isWide: true
                },
                { name: "Suggestion", of: suggested, isWide: true }
              ],
              rows
            )}`
  }
}
