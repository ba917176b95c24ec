/** One unknown outcome on a page: the call, its known facts, and the form to settle it [10.5]. */
import { longestReason, longestResult, type UnknownOutcome } from "#domain/approval/UnknownOutcome"
import { foreign, html, type Html, nothing } from "#domain/text/Html"
import { inWords } from "#domain/text/TimeSpan"
import { argumentsOf, facts, instant } from "./Card.ts"
import { formToken, type Session } from "./Sessions.ts"
import { formButton } from "./FormButton.ts"

/** Returns the purpose of a form token: to settle one outcome as the page showed it. */
export const purposeOf = ({ binding, id }: UnknownOutcome): string => `settle ${id} ${binding}`

const form = (outcome: UnknownOutcome, session: Session, base: string): Html => {
  const { id } = outcome
  const button = (value: string, text: string, kind: string) =>
    formButton({ field: "finding", value, id: id, text, kind })
  return html`<form method="post" action="${base}/approvals/outcomes/${id}/settlement">
    <input type="hidden" name="binding" value="${outcome.binding}" />
    <input type="hidden" name="form" value="${formToken(session, purposeOf(outcome))}" />
    <label for="result-${id}">Its result as JSON, if it was done (the model reads it; may be empty)</label>
    <textarea id="result-${id}" name="result" maxlength="${longestResult}" rows="2" spellcheck="false"></textarea>
    <label for="reason-${id}">How you know (kept in the record; may be empty)</label>
    <textarea id="reason-${id}" name="reason" maxlength="${longestReason}" rows="1"></textarea>
    <div class="buttons">
      ${button("done", "It was done", "yes")} ${button("not_done", "It was not done: it may run again", "no")}
    </div>
  </form>`
}

const settled = ({ settlement }: UnknownOutcome): Html =>
  settlement === undefined
    ? nothing
    : html`<div class="message">
        ${settlement.finding === "done" ? "It was done" : "It was not done"}, as ${foreign(settlement.by)} found,
        ${instant(settlement.at)}. ${settlement.reason === "" ? nothing : html`<br />${foreign(settlement.reason)}`}
        ${
          settlement.result === undefined
            ? nothing
            : html`<pre tabindex="0">${foreign(JSON.stringify(settlement.result, undefined, 2), true)}</pre>`
        }
      </div>`

/** Renders an unknown outcome as an article. An outcome that is not settled has the form to settle it. */
export const outcomeCard = (outcome: UnknownOutcome, session: Session, base: string, now: number): Html => {
  const heading = `heading-${outcome.id}`
  return html`<article class="card" aria-labelledby="${heading}">
    <header>
      <h2 id="${heading}">${foreign(outcome.sentence === "" ? outcome.tool : outcome.sentence)}</h2>
      ${outcome.settlement === undefined ? html`<span class="level">Was it done?</span>` : nothing}
    </header>
    ${facts({ ...outcome, reason: outcome.code })} ${argumentsOf(outcome)}
    <dl data-times>
      <dt>Called</dt>
      <dd>${inWords(now - outcome.at)} ago, ${instant(outcome.at)}</dd>
      ${
        outcome.idempotencyKey === ""
          ? nothing
          : html`<dt>Key</dt>
              <dd><code>${foreign(outcome.idempotencyKey)}</code></dd>`
      }
    </dl>
    ${outcome.settlement === undefined ? form(outcome, session, base) : settled(outcome)}
  </article>`
}
