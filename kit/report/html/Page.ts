/**
 * Renders the report as one self-contained HTML page. Style, script and charts are inline. The page makes no network
 * requests.
 *
 * **Details**
 *
 * - Rendering is pure: the same report yields the same page, byte for byte.
 * - Everything is readable without JavaScript, including the pages of conversations. The script only sorts, filters and
 *   folds tables, and updates the title.
 * - Untrusted texts are escaped and truncated, and hidden characters are made visible. The page has at most about 12
 *   million characters.
 * - The content security policy allows only the page's own style and script, by their hashes. A test compares the
 *   hashes, and prints the new values after a change.
 */
import { html, Html, nothing } from "effect-toolguard/internal/domain/text/Html"
import type { ComparedReport } from "#kit/report/Comparison"
import { counted, grouped } from "#kit/text/Numbers"
import * as Places from "#kit/report/html/elements/Places"
import { script } from "./Script.ts"
import { render, type Section } from "#kit/report/html/elements/Section"
import { alarms } from "#kit/report/html/sections/Alarms"
import { comparison } from "#kit/report/html/sections/Comparison"
import { conversations, pages } from "#kit/report/html/sections/Conversations"
import { lengths, overTime } from "#kit/report/html/sections/Distributions"
import { failures } from "#kit/report/html/sections/Failures"
import { loops } from "#kit/report/html/sections/Loops"
import { extent, overview } from "#kit/report/html/sections/Overview"
import { changes, costs, schemas } from "#kit/report/html/sections/Questions"
import { rejectedFields } from "#kit/report/html/sections/RejectedFields"
import { rejectedResults } from "#kit/report/html/sections/RejectedResults"
import { repeats } from "#kit/report/html/sections/Repeats"
import { repair } from "#kit/report/html/sections/Repair"
import { rollout } from "#kit/report/html/sections/Rollout"
import { files, skipped, unchecked } from "#kit/report/html/sections/Sources"
import { savings } from "#kit/report/html/sections/Savings"
import { suspects } from "#kit/report/html/sections/Suspects"
import { tools } from "#kit/report/html/sections/Tools"
import { style } from "./Style.ts"

/** The SHA-256 of the style, in base64. */
export const styleHash = "VczngLwQ1osuXIQH7jrnoao9RrAWrRlXeo0my2lqdOg="
/** The SHA-256 of the script, in base64. */
export const scriptHash = "Gjjyd0I46HAiiWQYLkmJENRAtWRvYnP9/4QhLFJJ2GU="

/** The page's `Content-Security-Policy`. */
export const policy = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
  `script-src 'sha256-${scriptHash}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'"
].join("; ")

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
                >${short ?? title}${count === undefined ? nothing : html` <span>${grouped(count)}</span>`}</a
              >
            </li>`
        )}
    </ul>
  </nav>`

const withoutFindings = (sections: ReadonlyArray<Section>): Html => {
  const sentences = sections.flatMap(({ body, none = "" }) => (body === undefined && none !== "" ? [none] : []))
  return sentences.length === 0
    ? nothing
    : html`<section id="clear" aria-labelledby="clear-title">
        <h2 id="clear-title">Checked, without findings</h2>
        <ul class="clear">
          ${sentences.map((sentence) => html`<li>${sentence}</li>`)}
        </ul>
      </section>`
}

/** Renders the page. */
export const page = (report: ComparedReport): string => {
  const rendered = pages(report)
  const places = Places.make(report.files, rendered.anchored)
  const sections: ReadonlyArray<Section> = [
    comparison(report, places),
    costs(report),
    schemas(report),
    changes(report),
    suspects(report, places),
    ...(report.totals.calls === 0 ? [skipped(report, places)] : []),
    savings(report),
    overTime(report),
    lengths(report),
    failures(report, places),
    alarms(report, places),
    rejectedResults(report, places),
    rejectedFields(report, places),
    loops(report, places),
    repeats(report, places),
    repair(report),
    rollout(report),
    tools(report),
    conversations(report, rendered),
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
      <title>Replay report: ${counted(calls, "call")} of ${counted(all, "conversation")}</title>
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
          <div id="overview">${overview(report)}${sections.map(render)}${withoutFindings(sections)}</div>
          ${rendered.markup}
        </main>
      </div>
      <footer>
        <p>Generated by toolguard replay. The same files yield the same page.</p>
      </footer>
      ${new Html(`<script>${script}</script>`)}
    </body>
  </html>`
  return `<!doctype html>\n${document.markup}\n`
}
