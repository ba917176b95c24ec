/**
 * Tells an open page that its list has changed, as server-sent events: at once for what this process does, at the next look
 * for what others do. The events hold no data; the page asks for itself anew, with its session.
 */
import type { Approver } from "#domain/approval/ApprovalRequest"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import type { Desk } from "./Desk.ts"

/** Requests that are looked at for a change. */
const most = 200

/** Bursts are told once. */
const pause = "100 millis"

const beat = new TextEncoder().encode(": still here\n\n")
const changed = new TextEncoder().encode("event: changed\ndata: list\n\n")

/** Ends when the session does; the browser then comes back, and learns that it must sign in. */
export const response = (
  desk: Desk,
  { tenants, tools }: Approver,
  isSignedIn: Effect.Effect<boolean>
): HttpServerResponse.HttpServerResponse => {
  const look = desk.approvals.pending({ limit: most, tenants, tools }).pipe(
    Effect.map(({ requests, total }) => `${total} ${requests.map(({ id }) => id).join(" ")}`),
    Effect.orElseSucceed(() => undefined)
  )
  const stream = Stream.unwrap(
    Effect.gen(function* () {
      const changes = yield* desk.approvals.changes
      let seen = yield* look
      const next = Effect.gen(function* () {
        yield* Effect.race(PubSub.take(changes), Effect.sleep(desk.interval))
        yield* Effect.sleep(pause)
        yield* PubSub.takeUpTo(changes, Number.MAX_SAFE_INTEGER)
        const now = yield* look
        if (now === undefined || now === seen) return beat
        seen = now
        return changed
      })
      return Stream.succeed(beat).pipe(
        Stream.concat(Stream.fromEffectRepeat(next)),
        Stream.takeUntilEffect(() => Effect.map(isSignedIn, (it) => !it))
      )
    })
  )
  return HttpServerResponse.stream(stream, { contentType: "text/event-stream" })
}
