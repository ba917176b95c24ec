/**
 * Renders the sections that answer what people ask first: which tool costs most, which schema is wrong, and what changes
 * when the guard enforces.
 */
import { html, type Html, nothing } from "effect-toolguard/internal/domain/text/Html"
import { quoted, valueOf } from "#kit/report/AdvisedTools"
import { changeName } from "#kit/report/ChangeNames"
import type { Report, ToolRow } from "#kit/report/Report"
import { bars } from "#kit/report/html/elements/Chart"
import type { Section } from "#kit/report/html/elements/Section"
import { table } from "#kit/report/html/elements/Table"
import * as Terms from "#kit/report/html/elements/Terms"
import * as Untrusted from "#kit/report/html/elements/UntrustedText"
import { about, counted, dollars, grouped, share } from "#kit/text/Numbers"

/** The maximum number of tools and fields. The sections below have all of them. */
const maxRows = 5

const tokensOf = ({ inputTokens, outputTokens }: ToolRow): number => inputTokens + outputTokens

/** Creates the section on the tools whose calls cost most. */
export const costs = ({ tools, totals }: Report): Section => ({
  id: "costs",
  title: "Which tool costs most",
  short: "Costs",
  body:
    tools.length === 0
      ? undefined
      : html`<p>
            The tokens of the requests to the model that made the calls: ${about(totals.inputTokens)} of input and
            ${about(totals.outputTokens)} of output in all. Calls of one request share its tokens. See
            <a href="#tools">all tools</a>.
          </p>
          ${bars(
            tools.slice(0, maxRows).map((row) => ({
              name: Untrusted.code(row.tool),
              count: tokensOf(row),
              figure: share(tokensOf(row), totals.inputTokens + totals.outputTokens),
              note: `${about(tokensOf(row))} tokens for ${counted(row.calls, "call")}${row.failed === 0 ? "" : `, ${grouped(row.failed)} of which failed`}. The answers have about ${about(row.answerTokens)} tokens.${row.money === null ? "" : ` ${dollars(row.money)}.`}`
            })),
            "plain"
          )}`
})

const wrongFields = ({ rejected }: Report): Html => {
  const wrong = rejected.filter(({ suggestion }) => suggestion._tag !== "keep")
  if (wrong.length === 0) return nothing
  const all = ["arguments", "result"] as const
  const links = all
    .filter((part) => wrong.some((field) => field.part === part))
    .map((part) =>
      part === "arguments" ? html` <a href="#rejected">arguments</a>` : html` <a href="#results">results</a>`
    )
  return html`<h3>Fields to change</h3>
    ${table(
      { caption: "The fields that the log contradicts most often", total: wrong.length },
      [
        { name: "Tool", of: ({ tool }) => Untrusted.code(tool) },
        { name: "Field", of: ({ part, path }) => html`${Untrusted.code(path)} of the ${part}` },
        { name: "Calls", of: ({ count }) => grouped(count), isNumber: true },
        { name: "Change", of: ({ suggestion }) => Terms.suggestion(suggestion).name, isWide: true }
      ],
      wrong.slice(0, maxRows)
    )}
    <p class="quiet">Examples and the changed lines are under${links}.</p>`
}

/** Creates the section on schemas that the log contradicts. */
export const schemas = (report: Report): Section => {
  const accepting = report.strict.filter(({ accepted }) => accepted > 0)
  const refusing = accepting.filter(({ refused }) => refused > 0)
  const fields = wrongFields(report)
  const { calls } = report.totals
  return {
    id: "schemas",
    title: "Which schema is wrong",
    short: "Schemas",
    count: accepting.length,
    none: calls === 0 ? "" : "No wrong schema: the log contradicts none.",
    body:
      accepting.length === 0 && fields === nothing
        ? undefined
        : html`${
            accepting.length === 0
              ? nothing
              : html`<p>
                    These tools answered calls well that the schema of their arguments forbids, so the schema is
                    stricter than the server. To report such calls without refusing them, replay with
                    <code class="flag"
                      >--advise
                      ${Untrusted.text(quoted(valueOf((refusing.length === 0 ? accepting : refusing).map(({ tool }) => tool))))}</code
                    >, and set <code>enforce: "advise"</code> for these tools until their schemas are changed.
                  </p>
                  ${table(
                    { caption: "Tools whose schema is stricter than their server", sorted: ["Accepted", "descending"] },
                    [
                      { name: "Tool", of: ({ tool }) => Untrusted.code(tool) },
                      { name: "Forbidden calls", of: ({ violating }) => grouped(violating), isNumber: true },
                      { name: "Accepted", of: ({ accepted }) => grouped(accepted), isNumber: true },
                      {
                        name: "Of its good calls",
                        of: ({ accepted, worked }) => share(accepted, worked),
                        isNumber: true
                      },
                      { name: "Would be refused", of: ({ refused }) => grouped(refused), isNumber: true }
                    ],
                    accepting
                  )}`
          }
          ${fields}`
  }
}

/** Creates the section on what changes when the guard enforces. */
export const changes = ({ changes: rows, suspects, totals }: Report): Section => {
  const calls = rows.reduce((sum, row) => sum + row.calls, 0)
  return {
    id: "changes",
    title: "What changes when the guard enforces",
    short: "Changes",
    count: calls,
    none: totals.calls === 0 ? "" : "Nothing changes when the guard enforces: every call would be made.",
    body:
      rows.length === 0
        ? undefined
        : html`<p>
              These calls would not be made.
              ${
                suspects.total === 0
                  ? "None of them is a suspect: the log does not contradict the guard."
                  : html`<a href="#suspects">${counted(suspects.total, "suspect")}</a> among them worked in the log, or
                      soon after: review them first.`
              }
            </p>
            ${table(
              { caption: "Calls that would not be made, by reason", sorted: ["Calls", "descending"] },
              [
                { name: "Reason", of: ({ reason }) => changeName(reason), isWide: true },
                { name: "Calls", of: (row) => grouped(row.calls), isNumber: true },
                { name: "Of all calls", of: (row) => share(row.calls, totals.calls), isNumber: true },
                { name: "Suspects", of: (row) => grouped(row.suspects), isNumber: true }
              ],
              rows
            )}`
  }
}
