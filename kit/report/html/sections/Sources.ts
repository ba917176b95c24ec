/** Renders the files, skipped lines, and constraints that cannot be checked. */
import { html } from "effect-toolguard/internal/domain/text/Html"
import type { Report } from "#kit/report/Report"
import * as Untrusted from "#kit/report/html/elements/UntrustedText"
import { grouped } from "#kit/text/Numbers"
import type { Places } from "#kit/report/html/elements/Places"
import { advice, type Section } from "#kit/report/html/elements/Section"
import { table } from "#kit/report/html/elements/Table"

/** Creates the section on skipped lines. */
export const skipped = ({ skipped: { shown, total } }: Report, places: Places): Section => ({
  id: "skipped",
  title: "Skipped",
  count: total,
  none: "Nothing was skipped: every line was read.",
  body:
    total === 0
      ? undefined
      : html`<p>This report does not include these parts of the files.</p>
          ${advice(
            html`If a whole file was skipped, name its format with <code class="flag">--format</code>. Single malformed
              lines do no harm.`
          )}
          ${table(
            { caption: "Skipped, in the order of the files", total },
            [
              { name: "Where", of: ({ file, line }) => html`<span class="place">${places.file(file)}:${line}</span>` },
              { name: "Why", of: ({ reason }) => Untrusted.text(reason), isWide: true }
            ],
            shown
          )}`
})

/** Creates the section on unchecked constraints. */
export const unchecked = ({ totals, unchecked: { shown, total } }: Report): Section => ({
  id: "unchecked",
  title: "Not checked",
  count: total,
  none: totals.calls === 0 ? "" : "Every constraint of the tools' schemas was checked.",
  body:
    total === 0
      ? undefined
      : html`<p>The guard cannot check these constraints of the tools' schemas. Arguments that violate them pass.</p>
          ${advice("Rewrite the constraint, or check it in the tool.")}
          ${table(
            { caption: "Constraints that were not checked", total },
            [
              { name: "Tool", of: ({ tool }) => Untrusted.code(tool) },
              { name: "Where", of: ({ pointer }) => Untrusted.code(pointer === "" ? "(whole)" : pointer) },
              { name: "Why", of: ({ reason }) => Untrusted.text(reason), isWide: true }
            ],
            shown
          )}`
})

/** Creates the section on files. */
export const files = ({ files: rows }: Report): Section => ({
  id: "files",
  title: "Files",
  count: rows.length,
  body:
    rows.length === 0
      ? undefined
      : table(
          { caption: "Files, in the order of reading" },
          [
            { name: "File", of: ({ file }) => html`<span class="place">${Untrusted.path(file)}</span>` },
            { name: "Conversations", of: ({ conversations }) => grouped(conversations), isNumber: true },
            { name: "Calls", of: ({ calls }) => grouped(calls), isNumber: true }
          ],
          rows
        )
})
