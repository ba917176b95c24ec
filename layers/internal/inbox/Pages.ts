/** The pages of the inbox as HTML: rendered on the server, and complete without JavaScript. */
import type { ApprovalRequest, Approver } from "#domain/approval/ApprovalRequest"
import { originOf } from "#domain/approval/ShownCall"
import type { UnknownOutcome } from "#domain/approval/UnknownOutcome"
import { foreign, html, Html, nothing } from "#domain/text/Html"
import { inWords } from "#domain/text/TimeSpan"
import * as UnreadableRequests from "#domain/approval/UnreadableRequests"
import type { Page } from "#services/Approvals"
import { card } from "./Card.ts"
import type { Notice } from "./Notices.ts"
import { outcomeCard } from "./OutcomeCard.ts"
import { formToken, type Session } from "./Sessions.ts"

/** The session of a signed-in approver. */
interface ApproverSession extends Session {
  readonly approver: Approver
}

/** The data that every page needs. */
export interface View {
  /** The path before `/approvals`, if a proxy adds one. */
  readonly base: string
  readonly session: ApproverSession | undefined
  readonly now: number
}

/** A message at the top of a page. */
interface Message {
  readonly text: string
  readonly isBad: boolean
}

// bundlers rewrite a tagged template that contains this tag, and add a package to it
const scriptEnd = new Html("</script>")

/** The number of requests on one page. */
export const perPage = 50

const bar = ({ base, session }: View): Html =>
  html`<header class="bar">
    <div>
      <a class="home" href="${base}/approvals">Approvals</a>
      ${
        session === undefined
          ? nothing
          : html`<form method="post" action="${base}/approvals/logout">
              <span>${foreign(session.approver.name)}</span>
              <input type="hidden" name="form" value="${formToken(session, "logout")}" />
              <button class="small">Sign out</button>
            </form>`
      }
    </div>
  </header>`

const document = (view: View, title: string, body: Html, head: Html = nothing): string =>
  `<!doctype html>\n${
    html`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        <link rel="stylesheet" href="${view.base}/approvals/style.css" />
        <link rel="icon" href="${view.base}/approvals/icon.svg" type="image/svg+xml" />
        ${head}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        ${bar(view)}
        <main id="main" tabindex="-1">${body}</main>
      </body>
    </html>`.markup
  }\n`

const messageHtml = (message: Message | undefined): Html =>
  message === undefined
    ? nothing
    : html`<p class="message${message.isBad ? " bad" : ""}" role="${message.isBad ? "alert" : "status"}">
        ${foreign(message.text)}
      </p>`

const noticesOf = ({ base, now }: View, notices: ReadonlyArray<Notice>): Html =>
  notices.length === 0
    ? nothing
    : html`<section aria-labelledby="notices">
        <h2 id="notices">Notices</h2>
        <p class="quiet">Notices need no answer. This server keeps the latest ones until it restarts.</p>
        <ul class="notices">
          ${notices.map(
            ({ at, request }) =>
              html`<li>
                ${request.sentence.includes(request.tool) ? nothing : html`<code>${foreign(request.tool)}</code>`}
                ${foreign(request.sentence)}
                ${request.outcomeId === undefined ? nothing : html`<a href="${base}/approvals/outcomes/${request.outcomeId}">Settle it</a>`}
                <span class="quiet">${inWords(now - at)} ago</span>
                <div class="quiet">${foreign(originOf(request).join(" · "))}</div>
                ${
                  request.guidance === undefined
                    ? nothing
                    : html`<div class="quiet">
                        ${foreign(request.guidance.did)} ${foreign(request.guidance.choices)}
                      </div>`
                }
              </li>`
          )}
        </ul>
      </section>`

/** Renders the unknown outcomes that a person can settle. Hidden if there are none. */
const outcomesOf = (
  { base, now, session }: View & { readonly session: ApproverSession },
  outcomes: ReadonlyArray<UnknownOutcome>
): Html =>
  html`<section aria-labelledby="outcomes" data-outcomes${outcomes.length === 0 ? html` hidden` : nothing}>
    <h1 id="outcomes">Unknown outcomes</h1>
    <p class="quiet">It is not known whether these calls were done. Find out, and settle them here.</p>
    <ol class="requests">
      ${outcomes.map((outcome) => html`<li>${outcomeCard(outcome, session, base, now)}</li>`)}
    </ol>
  </section>`

/** Renders the list of pending requests. */
export const list = (
  view: View & { readonly session: ApproverSession },
  page: Page,
  options: {
    readonly after: string | undefined
    readonly message: Message | undefined
    readonly notices: ReadonlyArray<Notice>
    readonly outcomes: ReadonlyArray<UnknownOutcome>
  }
): string => {
  const { base, now, session } = view
  const unreadable = page.unreadable ?? []
  const isFull = page.requests.length + unreadable.length >= perPage
  const last = isFull ? (page.requests.at(-1)?.id ?? unreadable.at(-1)) : undefined
  const count = page.total === 1 ? "One request is pending." : `${page.total} requests are pending.`
  return document(
    view,
    page.total === 0 ? "Approvals" : `(${page.total}) Approvals`,
    html`<h1>Pending approvals</h1>
      <p class="quiet" data-count>${page.total === 0 ? "" : count}</p>
      <div role="status" aria-live="polite" data-status></div>
      ${messageHtml(options.message)}
      ${messageHtml(unreadable.length === 0 ? undefined : { text: UnreadableRequests.sentenceOf(unreadable), isBad: true })}
      <p class="empty" data-empty${page.requests.length === 0 ? nothing : html` hidden`}>
        No pending requests${options.after === undefined ? "" : " on this page"}.
      </p>
      <ol class="requests" data-live="${base}/approvals/events">
        ${page.requests.map((request) => html`<li data-id="${request.id}">${card(request, session, base, now)}</li>`)}
      </ol>
      <nav class="pages" aria-label="Pages">
        ${options.after === undefined ? nothing : html`<a href="${base}/approvals">Back to the oldest</a>`}
        ${last === undefined || page.total <= perPage ? nothing : html`<a href="${base}/approvals?after=${encodeURIComponent(last)}">Next ${perPage}</a>`}
      </nav>
      ${outcomesOf({ ...view, session }, options.outcomes)} ${noticesOf(view, options.notices)}
      <noscript
        ><p class="quiet">
          Without JavaScript this page does not update itself: <a href="${base}/approvals">reload it</a>.
        </p></noscript
      >`,
    html`<script src="${base}/approvals/inbox.js" defer>${scriptEnd}`
  )
}

/** Renders the page of one request, at its approval URL. */
export const single = (
  view: View & { readonly session: ApproverSession },
  request: ApprovalRequest,
  message: Message | undefined,
  revealed?: string
): string =>
  document(
    view,
    "Approval",
    html`<h1>${request.state === "pending" ? "Pending approval" : "Approval"}</h1>
      ${messageHtml(message)} ${card(request, view.session, view.base, view.now, revealed)}
      <p><a href="${view.base}/approvals">All pending approvals</a></p>`
  )

/** Renders the page of one unknown outcome. */
export const outcome = (
  view: View & { readonly session: ApproverSession },
  unknown: UnknownOutcome,
  message: Message | undefined
): string =>
  document(
    view,
    "Unknown outcome",
    html`<h1>Unknown outcome</h1>
      ${messageHtml(message)} ${outcomeCard(unknown, view.session, view.base, view.now)}
      <p><a href="${view.base}/approvals">All pending approvals</a></p>`
  )

/** Renders the page to sign in. It reveals nothing about any request. */
export const signIn = (view: View, path: string, message: Message | undefined): string =>
  document(
    view,
    "Sign in",
    html`<div class="card entry">
      <h1>Sign in</h1>
      ${messageHtml(message)}
      <form method="post" action="${view.base}/approvals/login">
        <input type="hidden" name="next" value="${path}" />
        <label for="token">Your approver token</label>
        <input
          id="token"
          name="token"
          type="password"
          autocomplete="current-password"
          required
          autofocus
          spellcheck="false"
        />
        <div class="buttons"><button class="main">Sign in</button></div>
      </form>
    </div>`
  )

/** Renders a page with a title and one sentence. */
export const plain = (view: View, title: string, text: string): string =>
  document(
    view,
    title,
    html`<h1>${title}</h1>
      <p>${foreign(text)}</p>
      <p><a href="${view.base}/approvals">All pending approvals</a></p>`
  )

/** Renders a page that reloads once, because the browser sends no `SameSite` cookie with a link from another site. */
export const reload = (view: View, path: string): string =>
  document(
    view,
    "Approvals",
    html`<p><a href="${view.base}${path}">Continue to the inbox</a></p>`,
    html`<meta http-equiv="refresh" content="0; url=${view.base}${path}" />`
  )
