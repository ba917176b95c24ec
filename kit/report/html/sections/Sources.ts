/** What was read, what was not, and what could not be checked. */
import { html } from "effect-toolguard/internal/domain/text/Html"
import type { Report } from "#kit/report/Report"
import * as Foreign from "#kit/report/html/elements/Foreign"
import { counted } from "#kit/report/html/elements/Numbers"
import type { Places } from "#kit/report/html/elements/Places"
import { advice, type Section } from "#kit/report/html/elements/Section"
import { table } from "#kit/report/html/elements/Table"

export const skipped = ({ skipped: { shown, total } }: Report, places: Places): Section => ({
  id: "skipped",
  title: "Not read",
  count: total,
  none: "Nothing was skipped: every line was read.",
  body:
    total === 0
      ? undefined
      : html`<p>What the files hold and this report does not, with the reason.</p>
          ${advice(
            html`If a whole file is missing here, name its format with <code class="flag">--format</code>. Single broken
              lines do no harm.`
          )}
          ${table(
            { caption: "Skipped, in the order of the files", total },
            [
              { name: "Where", of: ({ file, line }) => html`<span class="place">${places.file(file)}:${line}</span>` },
              { name: "Why", of: ({ reason }) => Foreign.said(reason), isWide: true }
            ],
            shown
          )}`
})

export const unchecked = ({ totals, unchecked: { shown, total } }: Report): Section => ({
  id: "unchecked",
  title: "Not checked",
  count: total,
  none: totals.calls === 0 ? "" : "Nothing in the tools' schemas was left unchecked.",
  body:
    total === 0
      ? undefined
      : html`<p>Constraints of the tools' schemas that the guard does not check. Arguments that break them pass.</p>
          ${advice("Write the constraint another way, or check it in the tool.")}
          ${table(
            { caption: "Constraints that were not checked", total },
            [
              { name: "Tool", of: ({ tool }) => Foreign.code(tool) },
              { name: "Where", of: ({ pointer }) => Foreign.code(pointer === "" ? "(whole)" : pointer) },
              { name: "Why", of: ({ reason }) => Foreign.said(reason), isWide: true }
            ],
            shown
          )}`
})

export const files = ({ files: rows }: Report): Section => ({
  id: "files",
  title: "Files",
  count: rows.length,
  body:
    rows.length === 0
      ? undefined
      : table(
          { caption: "Files that were read, in their order" },
          [
            { name: "File", of: ({ file }) => html`<span class="place">${Foreign.path(file)}</span>` },
            { name: "Conversations", of: ({ conversations }) => counted(conversations), isNumber: true },
            { name: "Calls", of: ({ calls }) => counted(calls), isNumber: true }
          ],
          rows
        )
})
