/**
 * The report as one page that needs nothing else: its style, script and charts are inside, and it reaches no network.
 *
 * **Details**
 *
 * - Pure: the same report gives the same page, byte for byte.
 * - Everything is readable without JavaScript, the pages of conversations included; the script sorts and filters.
 * - Texts of others are escaped, cut, and show what cannot be seen. The page stays below some 12 million characters.
 */
import { html, Html, nothing } from "effect-toolguard/internal/domain/text/Html"
import type { Report } from "#kit/report/Report"
import { counted, of } from "#kit/report/html/elements/Numbers"
import * as Places from "#kit/report/html/elements/Places"
import { policy } from "./Policy.ts"
import { script } from "./Script.ts"
import { render, type Section } from "#kit/report/html/elements/Section"
import { conversations, pages } from "#kit/report/html/sections/Conversations"
import { failures } from "#kit/report/html/sections/Failures"
import { loops } from "#kit/report/html/sections/Loops"
import { extent, overview } from "#kit/report/html/sections/Overview"
import { rejected } from "#kit/report/html/sections/Rejected"
import { repeats } from "#kit/report/html/sections/Repeats"
import { repair } from "#kit/report/html/sections/Repair"
import { files, skipped, unchecked } from "#kit/report/html/sections/Sources"
import { spared } from "#kit/report/html/sections/Spared"
import { suspects } from "#kit/report/html/sections/Suspects"
import { tools } from "#kit/report/html/sections/Tools"
import { style } from "./Style.ts"

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%235a5fe0' d='M8 0l7 2.5v5C15 12 12 15 8 16 4 15 1 12 1 7.5v-5z'/%3E%3Cpath fill='none' stroke='%23fff' stroke-width='1.8' d='M4.5 8l2.5 2.5 4.5-5'/%3E%3C/svg%3E"

const navigation = (sections: ReadonlyArray<Section>): Html =>
  html`<nav class="sections" aria-label="Sections">
    <ul>
      <li><a href="#summary">Summary</a></li>
      ${sections
        .filter(({ body }) => body !== undefined)
        .map(
          ({ count, id, short, title }) =>
            html`<li>
              <a href="#${id}"
                >${short ?? title}${count === undefined ? nothing : html` <span>${counted(count)}</span>`}</a
              >
            </li>`
        )}
    </ul>
  </nav>`

const notFound = (sections: ReadonlyArray<Section>): Html => {
  const told = sections.flatMap(({ body, none = "" }) => (body === undefined && none !== "" ? [none] : []))
  return told.length === 0
    ? nothing
    : html`<section id="clear" aria-labelledby="clear-title">
        <h2 id="clear-title">Looked for, and not found</h2>
        <ul class="clear">
          ${told.map((sentence) => html`<li>${sentence}</li>`)}
        </ul>
      </section>`
}

/** The page, as text. */
export const page = (report: Report): string => {
  const talks = pages(report)
  const places = Places.make(report.files, talks.anchored)
  const sections: ReadonlyArray<Section> = [
    suspects(report, places),
    ...(report.totals.calls === 0 ? [skipped(report, places)] : []),
    spared(report),
    failures(report, places),
    rejected(report, places),
    loops(report, places),
    repeats(report, places),
    repair(report),
    tools(report),
    conversations(report, talks),
    ...(report.totals.calls === 0 ? [] : [skipped(report, places)]),
    unchecked(report),
    files(report)
  ]
  const { calls, conversations: all } = report.totals
  const document = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta http-equiv="Content-Security-Policy" content="${new Html(policy)}" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="referrer" content="no-referrer" />
      <meta name="robots" content="noindex" />
      <title>Replay report: ${of(calls, "call")} of ${of(all, "conversation")}</title>
      <link rel="icon" href="${icon}" />
      ${new Html(`<style>${style}</style>`)}
    </head>
    <body>
      <a class="skip" href="#summary">Skip to the summary</a>
      <header class="top">
        <h1><a href="#summary">Replay report</a></h1>
        <p>${extent(report)}</p>
      </header>
      <div class="frame">
        ${navigation(sections)}
        <main>
          <div id="overview">${overview(report)}${sections.map(render)}${notFound(sections)}</div>
          ${talks.markup}
        </main>
      </div>
      <footer>
        <p>Made by toolguard replay, from the files alone: the same files give the same page.</p>
      </footer>
      ${new Html(`<script>${script}</script>`)}
    </body>
  </html>`
  return `<!doctype html>\n${document.markup}\n`
}
