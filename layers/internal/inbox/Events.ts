/**
 * Server-sent events that tell an open page that its list has changed: immediately for a change in this process, at the
 * next poll for a change in another process. Events have no data; the page then requests itself again, with its
 * session.
 */
import type { Approver } from "#domain/approval/ApprovalRequest"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import type { Inbox } from "./Inbox.ts"

/** The maximum number of requests that are compared to find a change. */
const most = 200

/** Changes within this time are one event. */
const pause = "100 millis"

const heartbeat = new TextEncoder().encode(": keep-alive\n\n")
const changed = new TextEncoder().encode("event: changed\ndata: list\n\n")

const idOf = (item: number | { readonly id: string }): string => (typeof item === "number" ? `${item}` : item.id)

/** Streams events until the session ends. The browser then reconnects and gets 401. */
export const response = (
  inbox: Inbox,
  { tenants, tools }: Approver,
  isSignedIn: Effect.Effect<boolean>
): HttpServerResponse.HttpServerResponse => {
  const poll = Effect.all([
    inbox.approvals.pending({ limit: most, tenants, tools }),
    inbox.outcomes.open({ limit: most, tenants, tools })
  ]).pipe(
    Effect.map(([{ requests, total }, outcomes]) => [total, ...requests, ...outcomes].map(idOf).join(" ")),
    Effect.orElseSucceed(() => undefined)
  )
  const stream = Stream.unwrap(
    Effect.gen(function* () {
      const changes = yield* inbox.approvals.changes
      let seen = yield* poll
      const next = Effect.gen(function* () {
        yield* Effect.race(PubSub.take(changes), Effect.sleep(inbox.intervalMillis))
        yield* Effect.sleep(pause)
        yield* PubSub.takeUpTo(changes, Number.MAX_SAFE_INTEGER)
        const now = yield* poll
        if (now === undefined || now === seen) return heartbeat
        seen = now
        return changed
      })
      return Stream.succeed(heartbeat).pipe(
        Stream.concat(Stream.fromEffectRepeat(next)),
        Stream.takeUntilEffect(() => Effect.map(isSignedIn, (it) => !it))
      )
    })
  )
  return HttpServerResponse.stream(stream, { contentType: "text/event-stream" })
}
