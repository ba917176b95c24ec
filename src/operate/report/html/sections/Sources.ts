/** What was read, what was not, and what could not be checked. */
import { html } from "#domain/Html"
import type { Report } from "#src/operate/report/Report"
import * as Foreign from "#src/operate/report/html/Foreign"
import { counted } from "#src/operate/report/html/Numbers"
import type { Places } from "#src/operate/report/html/Places"
import { advice, type Section } from "#src/operate/report/html/Section"
import { table } from "#src/operate/report/html/Table"

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
