/** Sends progress to a client that asked for it: attempts, waits, questions to people. */
import type { JsonObject } from "#domain/json/JsonObject"
import { type CallEvent, CallObserver } from "#services/CallObserver"
import type { McpServer } from "effect/ai/McpServer"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"

/** The maximum wait for the last notifications. A client that does not read them must not delay the answer longer. */
const maxFlush = "1 second"

/** The interval of heartbeats. Some clients abandon a call without progress while a person decides. */
const heartbeat = "15 seconds"

/** Returns the progress token of a call, or undefined if the client did not ask for progress. */
const tokenOf = (metadata: JsonObject | undefined): string | number | undefined => {
  const token = metadata?.["progressToken"]
  return typeof token === "string" || typeof token === "number" ? token : undefined
}

/** Runs a call and sends its progress notifications before its answer. */
export const withProgress = <A, E, R>(
  server: McpServer["Service"],
  metadata: JsonObject | undefined,
  call: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  const progressToken = tokenOf(metadata)
  if (progressToken === undefined) return call
  return Effect.gen(function* () {
    const events = yield* Queue.make<string, Cause.Done>()
    let progress = 0
    const send = (message: string) => {
      progress += 1
      return server.notifications["notifications/progress"]({ progressToken, progress, message })
    }
    const sending = yield* Queue.take(events).pipe(
      Effect.flatMap(send),
      Effect.forever,
      Effect.ignoreCause,
      Effect.forkChild({ startImmediately: true })
    )
    const heartbeats = yield* Effect.sleep(heartbeat).pipe(
      Effect.andThen(Effect.sync(() => Queue.offerUnsafe(events, "still running"))),
      Effect.forever,
      Effect.forkChild({ startImmediately: true })
    )
    const observe = (event: CallEvent) => {
      const message = messageOf(event)
      if (message !== undefined) Queue.offerUnsafe(events, message)
    }
    return yield* call.pipe(
      Effect.provideService(CallObserver, observe),
      Effect.ensuring(
        Effect.andThen(
          Effect.andThen(Fiber.interrupt(heartbeats), Queue.end(events)),
          Effect.andThen(Effect.timeoutOption(Fiber.await(sending), maxFlush), Fiber.interrupt(sending))
        )
      )
    )
  })
}

/** Returns one line for a person, or undefined if the answer already reports the event. */
const messageOf = (event: CallEvent): string | undefined => {
  switch (event._tag) {
    case "AttemptStarted":
      return event.attempt === 1 ? `${event.tool}: started` : `${event.tool}: attempt ${event.attempt}`
    case "AttemptEnded":
      return event.outcome === "Success" || event.outcome === "PartialData"
        ? undefined
        : `${event.tool}: attempt ${event.attempt} failed (${event.code})`
    case "RetryScheduled":
      return `${event.tool}: trying again in ${Math.ceil(event.delayMillis)} ms`
    case "PersonAsked":
      return `${event.tool}: waiting for a person`
  }
}
