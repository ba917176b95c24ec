/**
 * States which servers get the headers of a trace (`traceparent`, `b3`) with the requests of imported operations, remote
 * MCP servers, models and webhooks. By default no server gets these headers, because third parties may run the servers,
 * and a trace id links the requests of one user.
 *
 * This is a reference with a default, so it never appears in requirements. Requests that a handler sends itself are
 * not affected.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"

/** The origins that get trace headers, such as `https://api.example.com`. Default: none. */
export const TracedOrigins = Context.Reference<ReadonlyArray<string>>("effect-toolguard/TracedOrigins", {
  defaultValue: () => []
})

/** Sends trace headers with the requests of an effect only if the origin of the URL is one of `TracedOrigins`. */
export const withTracedOrigins =
  (url: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.gen(function* () {
      const origins = yield* TracedOrigins
      const isEnabled = yield* HttpClient.TracerPropagationEnabled
      const isTraced = isEnabled && URL.canParse(url) && origins.includes(new URL(url).origin)
      return yield* Effect.provideService(effect, HttpClient.TracerPropagationEnabled, isTraced)
    })
