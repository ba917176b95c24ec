/** Renders the top of the page, with one sentence, the most important figures, and the outcomes of all calls. */
import { html, type Html, nothing } from "effect-toolguard/internal/domain/text/Html"
import { type NamedPart, whole } from "#kit/report/html/elements/Chart"
import { about, counted, dollars, grouped, share } from "#kit/text/Numbers"
import type { Comparison, ComparedReport } from "#kit/report/Comparison"
import type { Report } from "#kit/report/Report"
import * as Untrusted from "#kit/report/html/elements/UntrustedText"

/** Counts the calls that the guard would have refused, without repeated calls. */
const refusedOf = ({ refused }: Report): number => refused.reduce((sum, { count }) => sum + count, 0)

/** Counts the results that the guard would have rejected, because they violate the schema of the tool's results. */
const rejectedOf = ({ results }: Report): number => results.reduce((sum, { failed }) => sum + failed, 0)

interface Summary {
  readonly look: "good" | "warn" | "plain"
  readonly headline: string
  readonly text: Html | string
}

/** Returns the strongest effect that the guard would have had. The text completes "The guard would have …". */
const effectOf = (report: Report): string => {
  const { asked, loops, saved, totals } = report
  const refused = refusedOf(report)
  const asks = asked.reduce((sum, { count }) => sum + count, 0)
  if (saved.calls > 0) return `saved ${grouped(saved.calls)} of ${counted(totals.calls, "call")}`
  if (refused > 0) return `refused ${grouped(refused)} of ${counted(totals.calls, "call")}`
  const rejected = rejectedOf(report)
  if (rejected > 0) return `rejected the results of ${grouped(rejected)} of ${counted(totals.calls, "call")}`
  if (loops.total > 0) return `stopped ${counted(loops.total, "loop")}`
  return asks > 0 ? `asked a person about ${counted(asks, "call")}` : "let every call pass"
}

/** Summarises the comparison of two versions, which is what people want to know if they compare. */
const summaryOfVersions = (
  { after, answered, before, broken, calls, changed }: Comparison,
  { suspects, totals }: Report
): Summary => {
  const headline =
    broken > 0
      ? `${counted(broken, "call")} that worked would break with the new version`
      : changed > 0
        ? `${counted(changed, "call")} would change with the new version, and none that worked would break`
        : "Nothing would change with the new version"
  const among =
    suspects.total === 0
      ? nothing
      : html` Of the calls that the guard would have blocked,
          <a href="#suspects">${counted(suspects.total, "suspect")}</a> worked.`
  return {
    look: broken > 0 ? "warn" : "good",
    headline,
    text:
      changed === 0
        ? html`All ${counted(calls, "call")} of the compared tools have the same outcome with ${Untrusted.path(after)}
          and ${Untrusted.path(before)}.${among}`
        : html`With ${Untrusted.path(after)} in place of ${Untrusted.path(before)}, ${grouped(changed)} of
            ${counted(totals.calls, "call")} have <a href="#versions">another outcome</a>. The log answered
            ${grouped(answered)} of them well.${among}`
  }
}

const summaryOf = (report: ComparedReport): Summary => {
  const { comparison, saved, skipped, suspects, totals } = report
  if (totals.calls === 0) {
    return {
      look: "plain",
      headline: totals.conversations === 0 ? "Nothing could be read" : "No tool calls to judge",
      text:
        totals.conversations === 0 && skipped.total > 0
          ? html`See <a href="#skipped">what was skipped, and why</a>. If the wrong format was detected, name the right
              one with <code class="flag">--format</code>.`
          : "Check that the files contain the model's tool calls and their results, not just its answers."
    }
  }
  if (comparison !== undefined) return summaryOfVersions(comparison, report)
  if (suspects.total > 0) {
    return {
      look: "warn",
      headline: `Review ${counted(suspects.total, "suspect")} before you enforce the guard`,
      text: `The guard would have saved ${grouped(saved.calls)} of ${counted(totals.calls, "call")}. The log has ${suspects.total === 1 ? "a new, successful answer" : "new, successful answers"} for ${counted(suspects.total, "call")} that it would have blocked.`
    }
  }
  return {
    look: "good",
    headline: `The guard would have ${effectOf(report)}`,
    text:
      saved.calls === 0
        ? `No call was repeated unnecessarily, and ${totals.failed === 0 ? "none" : grouped(totals.failed)}${totals.calls === 1 ? "" : ` of ${counted(totals.calls, "call")}`} failed.`
        : "No call that it would have blocked had a new, successful answer in the log."
  }
}

const loggedParts = ({
  declared,
  failed,
  partial,
  succeeded,
  unanswered
}: Report["totals"]): ReadonlyArray<NamedPart> => [
  { name: "Succeeded", count: succeeded, mark: "good" },
  { name: "Partial", count: partial, mark: "warn" },
  { name: "Failed", count: failed, mark: "bad" },
  { name: "Refused by the tool", count: declared, mark: "refused" },
  { name: "Unanswered", count: unanswered, mark: "plain" }
]

const guardedParts = (report: Report): ReadonlyArray<NamedPart> => {
  const { saved, totals } = report
  const refused = refusedOf(report)
  const rejected = rejectedOf(report)
  return [
    { name: "Passed", count: totals.calls - saved.calls - refused - rejected, mark: "good" },
    { name: "Result rejected", count: rejected, mark: "bad" },
    { name: "Refused, with a correction", count: refused, mark: "refused" },
    { name: "Saved", count: saved.calls, mark: "saved" }
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
    { name: "Calls saved", figure: grouped(saved.calls), note: `${share(saved.calls, totals.calls)} of all` },
    { name: "Model requests saved", figure: grouped(saved.rounds), note: `of ${grouped(totals.rounds)}` },
    saved.money === null
      ? { name: "Tokens saved (estimate)", figure: about(tokens), note: "input and output" }
      : { name: "Money saved (estimate)", figure: dollars(saved.money), note: `${about(tokens)} tokens` },
    { name: "Failed calls", figure: grouped(totals.failed), note: `${share(totals.failed, totals.calls)} of all` },
    {
      name: "Repaired failures",
      figure: failures === 0 ? "–" : share(repaired, failures),
      note: failures === 0 ? "no failures" : `${grouped(repaired)} of ${grouped(failures)}`
    },
    {
      name: "Suspects",
      figure: grouped(suspects.total),
      note: suspects.total === 0 ? "none" : `${share(suspects.total, totals.calls)} of all`
    }
  ]
}

/** States the numbers of files, conversations, turns and calls in one line. */
export const extent = ({ files, totals }: Report): string =>
  `${counted(files.length, "file")}, ${counted(totals.conversations, "conversation")}, ${counted(totals.turns, "turn")}, ${counted(totals.calls, "call")}`

/**
 * States the number of calls whose failure was not enforced. They are also counted above, by their outcome in the log.
 */
const notEnforced = ({ notEnforced: count }: Report["totals"]): Html =>
  count === 0
    ? nothing
    : html`<p>
        <b>Not enforced: ${grouped(count)}</b>, calls with a failure that was recorded and not returned. Either the log
        was written by a shadow or by a tool that only advises, or this replay only advises.
      </p>`

/** States the number of answers that were read from user messages. */
const fromUserMessages = ({ fromUserMessages: count }: Report["totals"]): Html =>
  count === 0
    ? nothing
    : html`<p><b>Answers read from user messages: ${grouped(count)}</b>. Older programs sent answers there.</p>`

/** Renders the top of the overview. */
export const overview = (report: ComparedReport): Html => {
  const { headline, look, text } = summaryOf(report)
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
              ${whole("What the log shows", loggedParts(report.totals))}
              ${whole("What the guard would have done", guardedParts(report))}
            </div>
            ${notEnforced(report.totals)} ${fromUserMessages(report.totals)}`
    }
  </section>`
}
