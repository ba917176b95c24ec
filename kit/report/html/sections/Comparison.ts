/** Renders the calls whose outcome differs between two versions of the tools. */
import { html, type Html } from "effect-toolguard/internal/domain/text/Html"
import { names } from "#kit/report/CallChange"
import type { ChangeRow, ComparedReport } from "#kit/report/Comparison"
import * as Untrusted from "#kit/report/html/elements/UntrustedText"
import { counted, grouped, share } from "#kit/text/Numbers"
import type { Places } from "#kit/report/html/elements/Places"
import { advice, type Section } from "#kit/report/html/elements/Section"
import { table } from "#kit/report/html/elements/Table"

const outcome = (name: string, { detail, verdict }: ChangeRow["example"]["before"]): Html =>
  html`<span class="note"
    >${Untrusted.path(name)}: ${Untrusted.text(detail === "" ? verdict : `${verdict}; ${detail}`)}</span
  >`

/** Creates the section on the comparison of two versions; a section without content if no versions were compared. */
export const comparison = ({ comparison: compared, totals }: ComparedReport, places: Places): Section => {
  const section = { id: "versions", title: "What changes between the versions", short: "Versions" }
  if (compared === undefined) return { ...section, body: undefined }
  const { after, answered, before, broken, causes, changed } = compared
  return {
    ...section,
    count: changed,
    none: `Nothing changes: all ${counted(compared.calls, "call")} of the compared tools have the same outcome with both versions.`,
    body:
      changed === 0
        ? undefined
        : html`<p>
              With ${Untrusted.path(after)} in place of ${Untrusted.path(before)}, ${grouped(changed)} of
              ${counted(totals.calls, "call")} (${share(changed, totals.calls)}) have another outcome. The log answered
              ${grouped(answered)} of them well.
            </p>
            ${advice(
              broken === 0
                ? "No call that succeeds and that the log answered well would stop succeeding. Check the examples, and release."
                : `${counted(broken, "call")} that the log answered well would stop succeeding. Open the examples, and loosen the rules that refuse them.`
            )}
            ${table(
              { caption: "Changed calls by cause, tool, field and rule", sorted: ["Calls", "descending"] },
              [
                { name: "Tool", of: ({ tool }) => Untrusted.code(tool) },
                { name: "Cause", of: ({ cause }) => names[cause] },
                { name: "Field", of: ({ path }) => (path === "" ? "" : Untrusted.code(path)) },
                { name: "Rule", of: ({ rule }) => Untrusted.text(rule) },
                { name: "Calls", of: ({ count }) => grouped(count), isNumber: true },
                {
                  name: "Answered well",
                  of: ({ answered, count }) =>
                    html`${grouped(answered)} <span class="quiet">${share(answered, count)}</span>`,
                  isNumber: true
                },
                {
                  name: "Example",
                  of: ({ example }) =>
                    html`${places.link(example, example.call)}
                      <code>${Untrusted.text(example.arguments)}</code> ${outcome(before, example.before)}
                      ${outcome(after, example.after)}`,
                  isWide: true
                }
              ],
              causes
            )}`
  }
}
