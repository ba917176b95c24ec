/** Keeps a session until its requests in progress are answered when the process shuts down. */
import { Drain } from "effect-toolguard/services/Drain"
import { McpError } from "effect-toolguard/internal/mcp/wire/McpError"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Message from "effect-toolguard/internal/mcp/wire/Message"
import type { Peer } from "effect-toolguard/internal/mcp/wire/Peer"
import * as Relay from "./Relay.ts"

/** The error of a request that exceeded the grace period. */
const tooLate = new McpError({
  reason: "ended",
  message: "The proxy was shut down before the request was answered. A write may have taken effect."
})

/**
 * Lets the answer to a request finish while the process shuts down. If the answer exceeds the grace period, the client
 * receives an error.
 */
export const track =
  (id: Message.Id, client: Peer) =>
  (answering: Effect.Effect<void>): Effect.Effect<void> =>
    Effect.flatMap(Drain, (draining) => {
      if (draining === undefined) return answering
      const cut = Effect.sync(() => {
        if (draining.isDraining()) client.tell({ text: Relay.faultText(id, tooLate), about: id })
      })
      return draining.track(Effect.onInterrupt(answering, () => cut))
    })

/** Lets the requests that are relayed to the server finish too. `isQuiet` returns true if no request is in progress. */
export const trackRelayed = (isQuiet: () => boolean): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const draining = yield* Drain
    if (draining === undefined) return
    const context = yield* Effect.context<never>()
    const quiet = Effect.suspend(() =>
      isQuiet() ? Effect.void : Effect.repeat(Effect.sleep("20 millis"), { until: isQuiet })
    )
    yield* Effect.acquireRelease(
      // the fiber starts immediately, so that draining waits for it
      Effect.sync(() => draining.onStart(() => void Effect.runForkWith(context)(draining.track(Effect.asVoid(quiet))))),
      (cancel) => Effect.sync(cancel)
    )
  })
