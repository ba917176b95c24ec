/**
 * Notifies people through a webhook, for example of a chat or pager service. They decide at the inbox or its API
 * [10.3].
 *
 * **Details**
 *
 * - Each request and each notice is posted as JSON `{ type, timestamp, data }`, signed according to Standard Webhooks
 *   (`layers/internal/inbox/Signature.ts`; receivers verify it with `isSigned`). Types: `approval.requested`, `notice`.
 * - Posting runs in the background and never delays the call. It is retried after a broken connection, 408, 425, 429
 *   and 5xx, and each pause is twice as long as the previous pause; redirects are not followed. A message that cannot
 *   be delivered is logged; its request is still in the inbox.
 * - `webhook-id` is the id of the request, so that a receiver recognises a message that it already has. A request that
 *   is joined after a restart is posted again.
 *
 * **Gotchas**
 *
 * The message has redacted arguments and the approval URL, but no credential: approvers sign in, or send a token.
 */
import { type ApprovalRequest, tenantOf } from "#domain/approval/ApprovalRequest"
import { Approvals } from "#services/Approvals"
import { Escalation, type EscalationRequest } from "#services/Escalation"
import { unguessableId } from "#services/Unguessable"
import { withTracedOrigins } from "#services/TracedOrigins"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Secret from "#domain/text/Secret"
import type * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Questions from "#layers/internal/inbox/Questions"
import { isPublicUrl } from "#layers/internal/inbox/PublicUrl"
import { headersOf, isSecret } from "#layers/internal/inbox/Signature"

export { isSigned } from "#layers/internal/inbox/Signature"

/** The address or the secret of a webhook is invalid. */
export class WebhookMisconfigured extends Schema.TaggedError<WebhookMisconfigured>(
  "effect-toolguard/WebhookMisconfigured"
)("WebhookMisconfigured", { message: Schema.String }) {}

/** The receiver of the messages, and how often posting is attempted. */
export interface WebhookOptions extends Questions.AskingOptions {
  /** The receiver's URL; https, or http to this machine. */
  readonly url: string
  /** The secret shared with the receiver: `whsec_` and the base64 of 24 to 64 random bytes. */
  readonly secret: Redacted.Redacted
  /** The timeout of one attempt. Default 10 seconds. */
  readonly timeout?: Duration.Input
  /** The number of attempts. Default 6, over about a minute. */
  readonly attempts?: number
  /** The pause after the first attempt. It doubles after each further attempt. Default 2 seconds. */
  readonly pause?: Duration.Input
}

interface Message {
  readonly id: string
  readonly body: string
}

/** Returns true for a status after which a retry may succeed. */
const isTemporary = (status: number): boolean => status === 408 || status === 425 || status === 429 || status >= 500

class Undelivered extends Schema.TaggedError<Undelivered>("effect-toolguard/Undelivered")("Undelivered", {
  reason: Schema.String,
  isFinal: Schema.Boolean
}) {}

/** Posts each message in a separate fiber, until the layer closes. */
const poster = ({ attempts = 6, pause = "2 seconds", secret, timeout = "10 seconds", url }: WebhookOptions) =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const run = yield* FiberSet.makeRuntime<never>()
    const host = new URL(url).host

    const postOnce = Effect.fnUntraced(function* ({ body, id }: Message) {
      const headers = headersOf(secret, id, body, yield* Clock.currentTimeMillis)
      const request = HttpClientRequest.post(url).pipe(
        HttpClientRequest.setHeaders(headers),
        HttpClientRequest.bodyText(body, "application/json")
      )
      const { status } = yield* Effect.scoped(client.execute(request)).pipe(
        withTracedOrigins(url),
        Effect.timeout(timeout),
        Effect.mapError(({ _tag }) => new Undelivered({ reason: _tag, isFinal: false }))
      )
      if (status < 200 || status > 299) {
        return yield* new Undelivered({ reason: `it responded with ${status}`, isFinal: !isTemporary(status) })
      }
    })

    return (message: Message): Effect.Effect<void> =>
      Effect.sync(
        () =>
          void run(
            postOnce(message).pipe(
              Effect.retry({
                schedule: Schedule.exponential(pause),
                times: attempts - 1,
                while: ({ isFinal }: Undelivered) => !isFinal
              }),
              // fetch would follow redirects and send the signed message along
              Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
              Effect.catch(({ reason }) =>
                Effect.logError(`The webhook at ${host} did not accept message ${message.id}: ${reason}.`)
              )
            )
          )
      )
  })

const messageOf = (type: string, id: string, now: number, data: object): Message => ({
  id,
  body: JSON.stringify({ type, timestamp: DateTime.formatIso(DateTime.makeUnsafe(now)), data })
})

const requestMessage = (request: ApprovalRequest, publicUrl: string, now: number): Message =>
  messageOf("approval.requested", request.id, now, {
    id: request.id,
    level: request.level,
    reason: request.reason,
    tool: request.tool,
    sentence: request.sentence,
    guidance: request.guidance,
    arguments: request.arguments,
    shown: request.shown,
    hidden: request.hidden,
    tenant: tenantOf(request),
    conversation: request.turn?.conversation,
    principal: request.turn?.principal,
    call_id: request.callId,
    run: request.run,
    trace_id: request.traceId,
    binding: request.binding,
    expires_at: DateTime.formatIso(DateTime.makeUnsafe(request.expiresAt)),
    approval_url: Questions.approvalUrl(publicUrl, request.id)
  })

const noticeMessage = (
  { callId, guidance, level, outcomeId, reason, run, sentence, tool, traceId, turn }: EscalationRequest,
  publicUrl: string,
  now: number,
  id: string
): Message =>
  messageOf("notice", id, now, {
    level,
    reason,
    tool,
    sentence,
    guidance,
    tenant: tenantOf({ turn }),
    conversation: turn?.conversation,
    call_id: callId,
    run,
    trace_id: traceId,
    ...(outcomeId === undefined
      ? {}
      : { outcome_id: outcomeId, outcome_url: Questions.outcomeUrl(publicUrl, outcomeId) })
  })

const isLocal = ({ hostname }: URL): boolean => ["127.0.0.1", "[::1]", "localhost"].includes(hostname)

const problemOf = ({ publicUrl, secret, url }: WebhookOptions): string | undefined => {
  if (!isPublicUrl(publicUrl))
    return "The publicUrl of the approvals is not an http(s) URL without credentials, query and fragment: write it as https://host/path."
  if (!URL.canParse(url)) return "The webhook's address is not a URL."
  const parsed = new URL(url)
  if (parsed.protocol !== "https:" && !(parsed.protocol === "http:" && isLocal(parsed))) {
    return `The webhook at ${parsed.host} is not https: its messages could be intercepted.`
  }
  const fault = Secret.fault("secret", secret)
  if (fault !== undefined) return `The webhook at ${parsed.host} has no secret: ${fault}`
  return isSecret(secret)
    ? undefined
    : `The secret of the webhook at ${parsed.host} is invalid: it must be whsec_ and the base64 of 24 to 64 random bytes.`
}

/** The maximum number of posted requests whose ids are kept. */
const limit = 10_000

/** Notifies by webhook, and asks through the inbox. */
export const layer = (
  options: WebhookOptions
): Layer.Layer<Escalation, WebhookMisconfigured, Approvals | HttpClient.HttpClient> =>
  Layer.effect(
    Escalation,
    Effect.gen(function* () {
      const message = problemOf(options)
      if (message !== undefined) return yield* new WebhookMisconfigured({ message })
      const post = yield* poster(options)
      const posted = new Set<string>()
      const ask = yield* Questions.make(options, (request) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          if (posted.has(request.id)) return Effect.void
          if (posted.size >= limit) posted.clear()
          posted.add(request.id)
          return post(requestMessage(request, options.publicUrl, now))
        })
      )
      const { isShared = true } = yield* Approvals
      return {
        isShared,
        waits: Questions.waits(options),
        ask,
        namesRequests: true,
        outcomeUrl: (id) => Questions.outcomeUrl(options.publicUrl, id),
        withdraw: Questions.withdrawal(yield* Approvals),
        inform: (request) =>
          Effect.flatMap(Effect.all([Clock.currentTimeMillis, unguessableId]), ([now, id]) =>
            post(noticeMessage(request, options.publicUrl, now, id))
          )
      }
    })
  )
