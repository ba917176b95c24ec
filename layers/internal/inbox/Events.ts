/**
 * Sends events (server-sent events) to an open page when its list has changed: immediately if this process changed a
 * request, at the next poll if an unknown outcome changed or another process changed something. The data of an event is
 * constant; the page then requests itself again, with its session. An approver has a limited number of streams, because
 * each of them reads the store.
 */
import type { Approver } from "#domain/approval/ApprovalRequest"
import { Drain, started } from "#services/Drain"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import type { Inbox } from "./Inbox.ts"

/** The maximum number of requests that are compared to find a change. */
const maxListed = 200

/** Changes within this time are one event. */
const pause = "100 millis"

const heartbeat = new TextEncoder().encode(": keep-alive\n\n")
const changed = new TextEncoder().encode("event: changed\ndata: list\n\n")

const idOf = (item: number | { readonly id: string }): string => (typeof item === "number" ? `${item}` : item.id)

const isFull = ({ maxReaders, readers }: Inbox, name: string): boolean => (readers.get(name) ?? 0) >= maxReaders

/** Counts a stream until its scope closes. */
const counted = ({ readers }: Inbox, name: string) =>
  Effect.acquireRelease(
    Effect.sync(() => readers.set(name, (readers.get(name) ?? 0) + 1)),
    () =>
      Effect.sync(() => {
        const left = (readers.get(name) ?? 0) - 1
        return left > 0 ? readers.set(name, left) : readers.delete(name)
      })
  )

/**
 * Streams events until the session ends or the process shuts down. The browser then reconnects; after the end of its
 * session it gets 401. Answers 503 if the approver has as many streams as allowed.
 */
export const response = (
  inbox: Inbox,
  { name, tenants, tools }: Approver,
  isSignedIn: Effect.Effect<boolean>
): HttpServerResponse.HttpServerResponse => {
  if (isFull(inbox, name)) {
    const text = `The maximum of ${inbox.maxReaders} open pages of ${name} that update themselves is reached. Close one.`
    return HttpServerResponse.text(text, { status: 503, headers: { "retry-after": "5" } })
  }
  const poll = Effect.all([
    inbox.approvals.pending({ limit: maxListed, tenants, tools }),
    inbox.outcomes.open({ limit: maxListed, tenants, tools })
  ]).pipe(
    Effect.map(([{ requests, total }, outcomes]) => [total, ...requests, ...outcomes].map(idOf).join(" ")),
    Effect.orElseSucceed(() => undefined)
  )
  const stream = Stream.unwrap(
    Effect.gen(function* () {
      // concurrent requests all pass the first check before the first of their streams is counted
      if (isFull(inbox, name)) return Stream.empty
      yield* counted(inbox, name)
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
      const draining = yield* Drain
      const events = Stream.succeed(heartbeat).pipe(
        Stream.concat(Stream.fromEffectRepeat(next)),
        Stream.takeUntilEffect(() => Effect.map(isSignedIn, (it) => !it))
      )
      return draining === undefined ? events : Stream.interruptWhen(events, started(draining))
    })
  )
  return HttpServerResponse.stream(stream, { contentType: "text/event-stream" })
}
