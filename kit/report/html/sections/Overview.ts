/** What a reader sees first: one sentence, the figures that matter, and what became of all calls. */
import { html, type Html, nothing } from "effect-toolguard/internal/domain/text/Html"
import { type NamedPart, whole } from "#kit/report/html/elements/Chart"
import { about, counted, dollars, of, share } from "#kit/report/html/elements/Numbers"
import type { Report } from "#kit/report/Report"

/** Calls that the guard refuses before they are made, repeats aside. */
const refusedOf = ({ refused }: Report): number => refused.reduce((sum, { count }) => sum + count, 0)

interface Verdict {
  readonly look: "good" | "warn" | "plain"
  readonly headline: string
  readonly text: Html | string
}

/** The most that it would have done. */
const deedOf = (report: Report): string => {
  const { asked, loops, saved, totals } = report
  const refused = refusedOf(report)
  const asks = asked.reduce((sum, { count }) => sum + count, 0)
  if (saved.calls > 0) return `spared ${counted(saved.calls)} of ${of(totals.calls, "call")}`
  if (refused > 0) return `refused ${counted(refused)} of ${of(totals.calls, "call")}`
  if (loops.total > 0) return `stopped ${of(loops.total, "loop")}`
  return asks > 0 ? `asked a person before ${of(asks, "call")}` : "let every call pass"
}

const verdictOf = (report: Report): Verdict => {
  const { saved, skipped, suspects, totals } = report
  if (totals.calls === 0) {
    return {
      look: "plain",
      headline: totals.conversations === 0 ? "Nothing could be read" : "No tool calls to judge",
      text:
        totals.conversations === 0 && skipped.total > 0
          ? html`Look at <a href="#skipped">what was skipped, and why</a>. If the format was taken for another one, name
              it with <code class="flag">--format</code>.`
          : "Check that the files hold the model's tool calls and their results, not its answers alone."
    }
  }
  if (suspects.total > 0) {
    return {
      look: "warn",
      headline: `Look at ${of(suspects.total, "suspect")} before you let the guard decide`,
      text: `It would have spared ${counted(saved.calls)} of ${of(totals.calls, "call")}. For ${counted(suspects.total)} of them the log has an answer that is new.`
    }
  }
  return {
    look: "good",
    headline: `The guard would have ${deedOf(report)}`,
    text:
      saved.calls === 0
        ? `No call was repeated without need, and ${totals.failed === 0 ? "none" : counted(totals.failed)} of ${of(totals.calls, "call")} failed.`
        : "No stop is contradicted by what the log shows next."
  }
}

const logged = ({ failed, partial, succeeded, unanswered }: Report["totals"]): ReadonlyArray<NamedPart> => [
  { name: "Answered", count: succeeded, mark: "good" },
  { name: "Answered in part", count: partial, mark: "warn" },
  { name: "Failed", count: failed, mark: "bad" },
  { name: "Without an answer", count: unanswered, mark: "plain" }
]

const guarded = (report: Report): ReadonlyArray<NamedPart> => {
  const { saved, totals } = report
  const refused = refusedOf(report)
  return [
    { name: "Made as they were", count: totals.calls - saved.calls - refused, mark: "good" },
    { name: "Refused, with what to correct", count: refused, mark: "refused" },
    { name: "Spared", count: saved.calls, mark: "spared" }
  ]
}

interface Tile {
  readonly name: string
  readonly figure: string
  readonly note: string
}

const tilesOf = ({ repair, saved, suspects, totals }: Report): ReadonlyArray<Tile> => {
  const failures = repair.reduce((sum, row) => sum + row.failures, 0)
  const repaired = repair.reduce((sum, row) => sum + row.repaired, 0)
  const tokens = saved.inputTokens + saved.outputTokens
  return [
    { name: "Calls spared", figure: counted(saved.calls), note: `${share(saved.calls, totals.calls)} of all` },
    { name: "Model requests spared", figure: counted(saved.rounds), note: `of ${counted(totals.rounds)}` },
    saved.money === null
      ? { name: "Tokens spared, about", figure: about(tokens), note: "input and output" }
      : { name: "Money spared, about", figure: dollars(saved.money), note: `${about(tokens)} tokens` },
    { name: "Calls that failed", figure: counted(totals.failed), note: `${share(totals.failed, totals.calls)} of all` },
    {
      name: "Failures put right",
      figure: failures === 0 ? "–" : share(repaired, failures),
      note: failures === 0 ? "no failures" : `${counted(repaired)} of ${counted(failures)}`
    },
    {
      name: "Suspects",
      figure: counted(suspects.total),
      note: suspects.total === 0 ? "none found" : `${share(suspects.total, totals.calls)} of all`
    }
  ]
}

/** How much was read. */
export const extent = ({ files, totals }: Report): string =>
  `${of(files.length, "file")}, ${of(totals.conversations, "conversation")}, ${of(totals.turns, "turn")}, ${of(totals.calls, "call")}`

/** The top of the overview. */
export const overview = (report: Report): Html => {
  const { headline, look, text } = verdictOf(report)
  return html`<section id="summary" aria-labelledby="summary-title">
    <div class="verdict v-${look}">
      <h2 id="summary-title">${headline}</h2>
      <p>${text}</p>
    </div>
    ${
      report.totals.calls === 0
        ? nothing
        : html`<dl class="tiles">
              ${tilesOf(report).map(
                ({ figure, name, note }) =>
                  html`<div>
                    <dt>${name}</dt>
                    <dd><b>${figure}</b> <span>${note}</span></dd>
                  </div>`
              )}
            </dl>
            <div class="wholes">
              ${whole("What the log shows", logged(report.totals))}
              ${whole("What the guard would have done", guarded(report))}
            </div>`
    }
  </section>`
}
