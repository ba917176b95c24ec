/**
 * Creates the routes of the pages of the inbox: sign in, list, show, reveal, decide, settle, sign out.
 *
 * **Details**
 *
 * - Only POST changes anything. A decision needs a session, the token of its form, and the inbox's own origin.
 * - Without a session, every page is the sign-in page, whether the approval request exists or not.
 */
import { type ApprovalRequest, Verdict } from "#domain/approval/ApprovalRequest"
import type { ApprovalsUnavailable } from "#services/Approvals"
import * as ByteSize from "effect/ByteSize"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as UrlParams from "effect/http/UrlParams"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { purposeOf, revealPurposeOf } from "./Card.ts"
import { cookieName, findVisible, type Inbox, viewOf } from "./Inbox.ts"
import * as Events from "./Events.ts"
import { foreignOrigin, secured } from "./BrowserSecurity.ts"
import { purposeOf as settlingPurposeOf } from "./OutcomeCard.ts"
import * as Outcomes from "./OutcomeInput.ts"
import * as Pages from "./Pages.ts"
import { script } from "./Script.ts"
import { isFormToken } from "./Sessions.ts"
import { style } from "./Style.ts"
import { outcomeSentence, refusalSentence, settlementSentence, settleRefusalSentence } from "./DecisionSentences.ts"

type Response = HttpServerResponse.HttpServerResponse

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="#1d4ed8"/><path d="M4.5 8.2l2.4 2.4 4.6-5" stroke="#fff" stroke-width="1.8" fill="none"/></svg>`

const page = (text: string, status = 200): Response =>
  HttpServerResponse.text(text, { status, contentType: "text/html; charset=utf-8" })

const seeOther = (location: string): Response => HttpServerResponse.redirect(location, { status: 303 })

const isVerdict = Schema.is(Verdict)

/** Returns true if a path is a page of the inbox: signing in redirects only there. */
const isOwnPath = (path: string): boolean => /^\/approvals(?:(?:\/outcomes)?\/[0-9a-f]{32})?$/u.test(path)

/** Returns the value of a form's field; empty if the field is absent. */
type Form = (name: string) => string

/** Creates the routes of the pages. If `isAlone`, the server has only the inbox, and `/` redirects to it. */
export const make = (inbox: Inbox, isAlone: boolean) => {
  const { approvals, approvers, base, isSecure, origin, outcomes, sessions } = inbox
  const home = `${base}/approvals`
  const cookie = { httpOnly: true, sameSite: "strict", path: home, secure: isSecure } as const

  const signIn = (request: HttpServerRequest, view: Pages.View, path: string): Response =>
    // browsers send no cookie with a link from another site: the page reloads itself, with the cookie
    request.method === "GET" && foreignOrigin(request.headers, origin) !== undefined
      ? page(Pages.reload(view, path))
      : page(Pages.signIn(view, path, undefined), 401)

  /** Runs `use` with the fields of a form from the inbox's own origin. */
  const withForm = <E>(
    request: HttpServerRequest,
    view: Pages.View,
    use: (form: Form) => Effect.Effect<Response, E>
  ): Effect.Effect<Response, E> => {
    const from = foreignOrigin(request.headers, origin)
    if (from !== undefined) {
      const text = `This form was sent from ${from}. The inbox accepts forms only from ${origin}.`
      return Effect.succeed(page(Pages.plain(view, "Not accepted", text), 403))
    }
    return request.urlParamsBody.pipe(
      Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.kibibytes(64)),
      Effect.option,
      Effect.flatMap((params) =>
        Option.isNone(params)
          ? Effect.succeed(page(Pages.plain(view, "Not accepted", "The form cannot be read, or is too large."), 400))
          : use((name) => Option.getOrElse(UrlParams.getFirst(params.value, name), () => ""))
      )
    )
  }

  const list = Effect.fnUntraced(function* (request: HttpServerRequest) {
    const view = yield* viewOf(inbox, request)
    const { session } = view
    if (session === undefined) return signIn(request, view, "/approvals")
    const { approver } = session
    const query = new URL(request.url, origin).searchParams
    const after = query.get("after") ?? undefined
    const done = yield* findVisible(inbox, query.get("done") ?? "", approver)
    const { tenants, tools } = approver
    const shown = yield* approvals.pending({ limit: Pages.perPage, after, tenants, tools })
    const settled = yield* Outcomes.findVisible(inbox, query.get("settled") ?? "", approver)
    const text = done === undefined ? settled && settlementSentence(settled) : outcomeSentence(done)
    const message = text === undefined ? undefined : { text, isBad: false }
    const open = yield* outcomes.open({ limit: Pages.perPage, tenants, tools })
    const notices = yield* inbox.noticesFor(approver)
    return page(Pages.list({ ...view, session }, shown, { after, message, notices, outcomes: open }))
  })

  const missing = (view: Pages.View, text = "This request does not exist, or you may not decide it."): Response =>
    page(Pages.plain(view, "Not found", text), 404)
  const missingOutcome = (view: Pages.View): Response =>
    missing(view, "This outcome does not exist, or you may not settle it.")

  const single = Effect.fnUntraced(function* (request: HttpServerRequest, id: string) {
    const view = yield* viewOf(inbox, request)
    const { session } = view
    const path = `/approvals/${id}`
    if (session === undefined) return signIn(request, view, isOwnPath(path) ? path : "/approvals")
    const found = yield* findVisible(inbox, id, session.approver)
    return found === undefined ? missing(view) : page(Pages.single({ ...view, session }, found, undefined))
  })

  const login = Effect.fnUntraced(function* (request: HttpServerRequest) {
    const view = yield* viewOf(inbox, request)
    return yield* withForm(request, view, (form) =>
      Effect.gen(function* () {
        const next = isOwnPath(form("next")) ? form("next") : "/approvals"
        const token = Redacted.make(form("token").trim())
        const approver = yield* approvers.verify(token)
        if (approver === undefined) {
          yield* Effect.logWarning("The inbox refused a sign-in: the token does not belong to an approver.")
          return page(
            Pages.signIn(view, next, { text: "This token does not belong to an approver.", isBad: true }),
            401
          )
        }
        const value = yield* sessions.open(approver.name, token, yield* Clock.currentTimeMillis)
        return HttpServerResponse.setCookieUnsafe(seeOther(base + next), cookieName, value, cookie)
      })
    )
  })

  const logout = Effect.fnUntraced(function* (request: HttpServerRequest) {
    const view = yield* viewOf(inbox, request)
    const { session } = view
    if (session === undefined) return seeOther(home)
    return yield* withForm(request, view, (form) => {
      if (!isFormToken(session, "logout", form("form"))) return Effect.succeed(stale(view))
      sessions.close(request.cookies[cookieName])
      return Effect.succeed(HttpServerResponse.expireCookieUnsafe(seeOther(home), cookieName, cookie))
    })
  })

  const stale = (view: Pages.View): Response =>
    page(
      Pages.plain(
        view,
        "Not accepted",
        "This form does not belong to your session. Reload the page, and decide there."
      ),
      403
    )

  /** Runs a form about a request that the signed-in approver may see, and that was shown with the form's token. */
  const withRequest = Effect.fnUntraced(function* (
    request: HttpServerRequest,
    id: string,
    purpose: (found: ApprovalRequest) => string,
    run: (
      found: ApprovalRequest,
      view: Pages.View & { readonly session: NonNullable<Pages.View["session"]> },
      form: Form
    ) => Effect.Effect<Response, ApprovalsUnavailable>
  ) {
    const view = yield* viewOf(inbox, request)
    const { session } = view
    if (session === undefined) return signIn(request, view, "/approvals")
    return yield* withForm(request, view, (form) =>
      Effect.flatMap(findVisible(inbox, id, session.approver), (found) => {
        if (found === undefined) return Effect.succeed(missing(view))
        return isFormToken(session, purpose(found), form("form"))
          ? run(found, { ...view, session }, form)
          : Effect.succeed(stale(view))
      })
    )
  })

  const decide = (request: HttpServerRequest, id: string) =>
    withRequest(request, id, purposeOf, (_, view, form) =>
      Effect.gen(function* () {
        const verdict = form("verdict")
        if (!isVerdict(verdict)) return page(Pages.plain(view, "Not accepted", "The form has no decision."), 400)
        const { name } = view.session.approver
        const deciding = { verdict, by: name, reason: form("reason"), binding: form("binding") }
        const decided = yield* approvals.decide(id, deciding)
        if (decided._tag === "Unknown") return missing(view)
        if (decided._tag === "Taken") return seeOther(`${home}?done=${id}`)
        const text = refusalSentence(decided.refusal, decided.request, view.now)
        return page(Pages.single(view, decided.request, { text, isBad: true }), 409)
      })
    )

  const reveal = (request: HttpServerRequest, id: string) =>
    withRequest(request, id, revealPurposeOf, (found, view) =>
      Effect.map(approvals.reveal(id, view.session.approver.name), (revealed) =>
        page(Pages.single(view, found, undefined, revealed))
      )
    )

  const outcome = Effect.fnUntraced(function* (request: HttpServerRequest, id: string) {
    const view = yield* viewOf(inbox, request)
    const { session } = view
    const path = `/approvals/outcomes/${id}`
    if (session === undefined) return signIn(request, view, isOwnPath(path) ? path : "/approvals")
    const found = yield* Outcomes.findVisible(inbox, id, session.approver)
    return found === undefined ? missingOutcome(view) : page(Pages.outcome({ ...view, session }, found, undefined))
  })

  const settle = Effect.fnUntraced(function* (request: HttpServerRequest, id: string) {
    const view = yield* viewOf(inbox, request)
    const { session } = view
    if (session === undefined) return signIn(request, view, "/approvals")
    return yield* withForm(request, view, (form) =>
      Effect.gen(function* () {
        const found = yield* Outcomes.findVisible(inbox, id, session.approver)
        if (found === undefined) return missingOutcome(view)
        const finding = form("finding")
        if (!isFormToken(session, settlingPurposeOf(found), form("form"))) return stale(view)
        if (!Outcomes.isFinding(finding))
          return page(Pages.plain(view, "Not accepted", "The form has no finding."), 400)
        const written = Outcomes.readResult(finding === "done" ? form("result") : "")
        if (written._tag === "Faulty") {
          return page(Pages.outcome({ ...view, session }, found, { text: written.message, isBad: true }), 400)
        }
        const { name } = session.approver
        const settling = { finding, result: written.result, by: name, reason: form("reason"), binding: form("binding") }
        const settled = yield* outcomes.settle(id, settling)
        if (settled === undefined) return missingOutcome(view)
        if (settled._tag === "Taken") return seeOther(`${home}?settled=${id}`)
        const text = settleRefusalSentence(settled.refusal, settled.outcome, view.now)
        return page(Pages.outcome({ ...view, session }, settled.outcome, { text, isBad: true }), 409)
      })
    )
  })

  const events = Effect.fnUntraced(function* (request: HttpServerRequest) {
    const { session } = yield* viewOf(inbox, request)
    if (session === undefined) return HttpServerResponse.empty({ status: 401 })
    const isSignedIn = Effect.map(viewOf(inbox, request), (view) => view.session !== undefined)
    return Events.response(inbox, session.approver, isSignedIn)
  })

  const file = (text: string, contentType: string) => Effect.succeed(HttpServerResponse.text(text, { contentType }))

  /** Adds the security headers, and a page for errors, such as a store that does not respond. */
  const route = <E, R>(path: HttpRouter.PathInput, method: "GET" | "POST", handle: Handler<E, R>) =>
    HttpRouter.route(method, path, (request) =>
      Effect.flatMap(HttpRouter.params, ({ id = "" }) => handle(request, id)).pipe(
        Effect.catchCause((cause) =>
          Effect.andThen(
            Effect.logError("The inbox cannot respond.", cause),
            Effect.map(Clock.currentTimeMillis, (now) => {
              const view = { base, now, session: undefined }
              return page(
                Pages.plain(view, "Unavailable", "A store of the inbox does not respond. Try again soon."),
                503
              )
            })
          )
        ),
        Effect.map(secured)
      )
    )

  return [
    ...(isAlone ? [route("/", "GET", () => Effect.succeed(seeOther(home)))] : []),
    route("/approvals", "GET", list),
    route("/approvals/events", "GET", events),
    route("/approvals/style.css", "GET", () => file(style, "text/css; charset=utf-8")),
    route("/approvals/inbox.js", "GET", () => file(script, "text/javascript; charset=utf-8")),
    route("/approvals/icon.svg", "GET", () => file(icon, "image/svg+xml")),
    route("/approvals/login", "POST", login),
    route("/approvals/logout", "POST", logout),
    route("/approvals/outcomes/:id", "GET", outcome),
    route("/approvals/outcomes/:id/settlement", "POST", settle),
    route("/approvals/:id", "GET", single),
    route("/approvals/:id/reveal", "POST", reveal),
    route("/approvals/:id/decision", "POST", decide)
  ]
}

type Handler<E, R> = (request: HttpServerRequest, id: string) => Effect.Effect<Response, E, R>
