/** One request as people see it: what is asked, with what arguments, why, how old, until when, and the form to decide. */
import { type ApprovalRequest, type Decision, tenantOf } from "#domain/approval/ApprovalRequest"
import { foreign, html, type Html, nothing } from "#domain/text/Html"
import { inWords } from "#domain/text/TimeSpan"
import * as DateTime from "effect/DateTime"
import { formToken, type Session } from "./Sessions.ts"

/** What one form is good for: one request as it was shown. */
export const purposeOf = ({ binding, id }: ApprovalRequest): string => `decide ${id} ${binding}`

/** Most characters of arguments on a page. What is left out is said: nobody approves what they cannot see unawares. */
const longest = 50_000

const instant = (at: number): Html => {
  const iso = DateTime.formatIso(DateTime.makeUnsafe(at))
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace("T", " ")} UTC</time>`
}

const times = ({ expiresAt, requestedAt, state }: ApprovalRequest, now: number): Html =>
  html`<dl data-times>
    <dt>Asked</dt>
    <dd>${inWords(now - requestedAt)} ago, ${instant(requestedAt)}</dd>
    ${
      state === "pending"
        ? html`<dt>Expires</dt>
            <dd>in ${inWords(expiresAt - now)}, ${instant(expiresAt)}</dd>`
        : state === "approved"
          ? html`<dt>Good for</dt>
              <dd>${inWords(expiresAt - now)} more, until ${instant(expiresAt)}</dd>`
          : nothing
    }
  </dl>`

const argumentsOf = (request: ApprovalRequest): Html => {
  if (request.arguments === undefined) return nothing
  const text = JSON.stringify(request.arguments, undefined, 2)
  const label = `arguments-${request.id}`
  return html`<div>
    <div class="label" id="${label}">Arguments</div>
    <pre tabindex="0" role="region" aria-labelledby="${label}">${foreign(text.slice(0, longest), true)}</pre>
    ${text.length > longest ? html`<p class="message bad">${text.length - longest} more characters are not shown.</p>` : nothing}
  </div>`
}

const levels = { auto: "", inform: "", confirm: "Asks first", block: "Stopped until decided" } as const

/** The rows that identify what is asked. */
const facts = (request: ApprovalRequest): Html =>
  html`<dl>
    <dt>Tool</dt>
    <dd><code>${foreign(request.tool)}</code></dd>
    ${
      request.reason === "approval"
        ? nothing
        : html`<dt>Reason</dt>
            <dd><code>${foreign(request.reason)}</code></dd>`
    }
    <dt>Tenant</dt>
    <dd>${foreign(tenantOf(request))}</dd>
    ${
      request.turn === undefined
        ? nothing
        : html`<dt>Conversation</dt>
            <dd>${foreign(request.turn.conversation)}</dd>`
    }
    ${
      request.turn?.principal === undefined
        ? nothing
        : html`<dt>On behalf of</dt>
            <dd>${foreign(request.turn.principal)}</dd>`
    }
    ${
      request.traceId === ""
        ? nothing
        : html`<dt>Trace</dt>
            <dd><code>${foreign(request.traceId)}</code></dd>`
    }
  </dl>`

const form = (request: ApprovalRequest, session: Session, base: string): Html => {
  const words = `words-${request.id}`
  const heading = `heading-${request.id}`
  const button = (verdict: string, name: string, kind: string) =>
    html`<button
      class="${kind}"
      name="verdict"
      value="${verdict}"
      id="${verdict}-${request.id}"
      aria-labelledby="${verdict}-${request.id} ${heading}"
    >
      ${name}
    </button>`
  return html`<form method="post" action="${base}/approvals/${request.id}/decision">
    <input type="hidden" name="binding" value="${request.binding}" />
    <input type="hidden" name="form" value="${formToken(session, purposeOf(request))}" />
    <label for="${words}">Reason or answer, which the model reads (an answer needs it)</label>
    <textarea id="${words}" name="reason" maxlength="2000" rows="2"></textarea>
    <div class="buttons">
      ${button("approve", "Approve", "yes")} ${button("deny", "Deny", "no")} ${button("answer", "Answer instead", "")}
    </div>
  </form>`
}

const verbs: Record<Decision["verdict"], string> = {
  approve: "Approved",
  deny: "Denied",
  answer: "Answered instead"
}

/** What became of a request. */
const ended = ({ decision, state }: ApprovalRequest): Html =>
  html`<div class="message${state === "approved" || state === "used" ? "" : " bad"}">
    ${
      decision === undefined
        ? html`Nobody decided in time.`
        : html`${verbs[decision.verdict]} by ${foreign(decision.by)},
          ${instant(decision.at)}.${
            state === "used" ? " The call has taken the approval." : ""
          }${state === "expired" ? " No call took the approval in time." : ""}`
    }
    ${decision === undefined || decision.reason === "" ? nothing : html`<br />${foreign(decision.reason)}`}
  </div>`

/** A request as an article, with a form where it can be decided. */
export const card = (request: ApprovalRequest, session: Session, base: string, now: number): Html => {
  const heading = `heading-${request.id}`
  return html`<article class="card" aria-labelledby="${heading}">
    <header>
      <h2 id="${heading}">${foreign(request.sentence === "" ? request.tool : request.sentence)}</h2>
      ${request.state === "pending" ? html`<span class="level">${levels[request.level]}</span>` : nothing}
    </header>
    ${facts(request)} ${argumentsOf(request)} ${times(request, now)}
    ${request.state === "pending" ? form(request, session, base) : ended(request)}
  </article>`
}
