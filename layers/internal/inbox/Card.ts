/** One approval request on a page: the call, its arguments, reason and times, and the form to decide it. */
import { type ApprovalRequest, type Decision, tenantOf } from "#domain/approval/ApprovalRequest"
import { completeness, textOf } from "#domain/approval/ShownCall"
import { foreign, html, type Html, nothing } from "#domain/text/Html"
import { inWords } from "#domain/text/TimeSpan"
import * as DateTime from "effect/DateTime"
import { formToken, type Session } from "./Sessions.ts"
import { formButton } from "./FormButton.ts"

/** Returns the purpose of a form token: to decide one request as the page showed it. */
export const purposeOf = ({ binding, id }: ApprovalRequest): string => `decide ${id} ${binding}`

/** Returns the purpose of a form token: to reveal the masked parts of one request. */
export const revealPurposeOf = ({ binding, id }: ApprovalRequest): string => `reveal ${id} ${binding}`

/** Renders a time. */
export const instant = (at: number): Html => {
  const iso = DateTime.formatIso(DateTime.makeUnsafe(at))
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace("T", " ")} UTC</time>`
}

const times = ({ expiresAt, requestedAt, state }: ApprovalRequest, now: number): Html =>
  html`<dl data-times>
    <dt>Requested</dt>
    <dd>${inWords(now - requestedAt)} ago, ${instant(requestedAt)}</dd>
    ${
      state === "pending"
        ? html`<dt>Expires</dt>
            <dd>in ${inWords(expiresAt - now)}, ${instant(expiresAt)}</dd>`
        : state === "approved"
          ? html`<dt>Valid</dt>
              <dd>for another ${inWords(expiresAt - now)}, until ${instant(expiresAt)}</dd>`
          : nothing
    }
  </dl>`

/** Renders the arguments of a call. `revealed` is their text with the masked parts. */
export const argumentsOf = (
  { arguments: args, hidden, id, shown }: Pick<ApprovalRequest, "arguments" | "hidden" | "id" | "shown">,
  revealed?: string
): Html => {
  if (args === undefined && shown === undefined) return nothing
  const label = `arguments-${id}`
  return html`<div>
    <div class="label" id="${label}">${completeness(revealed === undefined ? hidden : 0)}</div>
    <pre tabindex="0" role="region" aria-labelledby="${label}">${foreign(revealed ?? shown ?? textOf(args), true)}</pre>
  </div>`
}

/** Renders who has seen the masked parts of a request, and for a pending request the form that reveals them. */
const reveal = (request: ApprovalRequest, session: Session, base: string): Html => {
  const { hidden = 0, id, reveals = [], state } = request
  if (hidden === 0) return nothing
  const seen = reveals.map(({ at, by }) => html`<p class="quiet">Revealed to ${foreign(by)}, ${instant(at)}.</p>`)
  return html`${seen}
  ${
    state === "pending"
      ? html`<form method="post" action="${base}/approvals/${id}/reveal">
          <input type="hidden" name="form" value="${formToken(session, revealPurposeOf(request))}" />
          <button class="small" aria-describedby="arguments-${id}">Show the hidden parts (this is recorded)</button>
        </form>`
      : nothing
  }`
}

/** Renders the guidance for the person: the actions of the guard, the choices, and the consequence of no decision. */
const guidanceOf = ({ guidance }: Pick<ApprovalRequest, "guidance">): Html =>
  guidance === undefined
    ? nothing
    : html`<dl>
        <dt>So far</dt>
        <dd>${foreign(guidance.did)}</dd>
        <dt>You can</dt>
        <dd>${foreign(guidance.choices)}</dd>
        <dt>Otherwise</dt>
        <dd>${foreign(guidance.otherwise)}</dd>
      </dl>`

const levels = { auto: "", inform: "", confirm: "Needs confirmation", block: "Stopped until decided" } as const

/** Renders the rows that identify the call. */
export const facts = (
  request: Pick<ApprovalRequest, "callId" | "reason" | "run" | "tool" | "traceId" | "turn">
): Html =>
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
      request.run === undefined
        ? nothing
        : html`<dt>Run</dt>
            <dd>${foreign(request.run)}</dd>`
    }
    ${
      request.callId === undefined
        ? nothing
        : html`<dt>Call</dt>
            <dd><code>${foreign(request.callId)}</code></dd>`
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
  const field = `reason-${request.id}`
  const button = (value: string, text: string, kind: string) =>
    formButton({ field: "verdict", value, id: request.id, text, kind })
  return html`<form method="post" action="${base}/approvals/${request.id}/decision">
    <input type="hidden" name="binding" value="${request.binding}" />
    <input type="hidden" name="form" value="${formToken(session, purposeOf(request))}" />
    <label for="${field}">Reason or answer (the model reads it; required for an answer)</label>
    <textarea id="${field}" name="reason" maxlength="2000" rows="2"></textarea>
    <div class="buttons">
      ${button("approve", "Approve", "yes")} ${button("deny", "Deny", "no")} ${button("answer", "Answer instead", "")}
    </div>
  </form>`
}

const verbs: Record<Decision["verdict"], string> = {
  approve: "Approved",
  deny: "Denied",
  answer: "Answered"
}

/** Describes how a request ended. */
const ended = ({ decision, state }: ApprovalRequest): Html =>
  html`<div class="message${state === "approved" || state === "used" ? "" : " bad"}">
    ${
      decision === undefined
        ? state === "withdrawn"
          ? html`Withdrawn without a decision: the run that made the request has ended.`
          : html`No decision was made in time.`
        : html`${verbs[decision.verdict]} by ${foreign(decision.by)},
          ${instant(decision.at)}.${
            state === "used" ? " A call has used the approval." : ""
          }${state === "expired" ? " No call used the approval in time." : ""}`
    }
    ${decision === undefined || decision.reason === "" ? nothing : html`<br />${foreign(decision.reason)}`}
  </div>`

/** Renders a request as an article. A pending request has the form to decide it. */
export const card = (
  request: ApprovalRequest,
  session: Session,
  base: string,
  now: number,
  revealed?: string
): Html => {
  const heading = `heading-${request.id}`
  return html`<article class="card" aria-labelledby="${heading}">
    <header>
      <h2 id="${heading}">${foreign(request.sentence === "" ? request.tool : request.sentence)}</h2>
      ${request.state === "pending" ? html`<span class="level">${levels[request.level]}</span>` : nothing}
    </header>
    ${request.state === "pending" ? guidanceOf(request) : nothing} ${facts(request)} ${argumentsOf(request, revealed)}
    ${revealed === undefined ? reveal(request, session, base) : nothing} ${times(request, now)}
    ${request.state === "pending" ? form(request, session, base) : ended(request)}
  </article>`
}
