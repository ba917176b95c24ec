/**
 * Runs over HTTP as server-sent events, for browsers and other services [11.2].
 *
 * **When to use**
 *
 * - `routes`: `POST /runs` starts a run and returns the address of its events, `GET /runs/:id/events` follows it from any
 *   event on, any number of times, and `DELETE /runs/:id` interrupts it. A client that reconnects continues where it was.
 * - `response`: one run per request, in a route of your own. The run ends with the connection.
 *
 * **Details**
 *
 * - The `data` of each message is a `LiveEvent` as JSON, its `id` the event's number. Events have no names: `onmessage`
 *   receives all. A gap of events that are no longer stored is an event named `missed`, with their numbers.
 * - A comment every 15 seconds keeps proxies from closing a quiet connection; `retry` tells browsers when to reconnect.
 * - After a run has ended and was read completely, reconnecting returns 204, so that a browser stops.
 * - A slow reader slows the run (`LiveRun`). A run without readers for 30 seconds is interrupted.
 *
 * **Gotchas**
 *
 * The id of a run is 128 random bits and is all that is needed to read it; set `mayRead` if that is not enough. Browsers send
 * cookies with requests from other sites: `POST` accepts only JSON, which such a request cannot send without a preflight.
 */
import type { RunOptions } from "#src/agent/AgentOptions"
import type { Requirements } from "#src/agent/Agent"
import * as Agent from "#src/agent/Agent"
import type { AgentEvent } from "#src/agent/AgentEvent"
import { freshId } from "#src/guard/Guard"
import * as LiveRun from "./LiveRun.ts"
import { eventStream, following, lastEventId, type SseOptions } from "./SseBody.ts"
import type { AnyTool } from "#src/tool/ToolClass"
import * as ByteSize from "effect/ByteSize"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { MaxBodySize } from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerRespondable from "effect/http/HttpServerRespondable"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"

export type { LiveRunOptions } from "./LiveRun.ts"
export type { SseOptions } from "./SseBody.ts"

const gone = HttpServerResponse.empty({ status: 204 })

/**
 * Runs once per request and streams the events. Disconnecting interrupts the run.
 *
 * A browser that reconnects (`Last-Event-ID`) gets 204 and stops: its run has ended, and a new one would repeat everything.
 */
export const response = <R>(
  request: HttpServerRequest,
  events: Stream.Stream<AgentEvent, never, R>,
  options: SseOptions = {}
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R> =>
  Effect.map(Effect.context<R>(), (context) =>
    lastEventId(request) !== undefined
      ? gone
      : eventStream(
          Stream.unwrap(
            Effect.map(
              LiveRun.make(() => events, options),
              (run) => following(run, 0, options)
            )
          ).pipe(Stream.provideContext(context))
        )
  )

export interface RoutesOptions<Tools extends AnyTool, E, R> extends SseOptions {
  /** The path that starts runs. Default `/runs`. */
  readonly path?: `/${string}`
  /**
   * What a request starts: the options of a run; or a function that starts one and ends it when `stop` completes (for example
   * a run with a journal: `Agent.streamOf`); or a response that explains why no run starts. An unreadable body returns 400, a
   * body that is too large 413; any other failure returns 500 and is logged.
   */
  readonly begin: (
    request: HttpServerRequest
  ) => Effect.Effect<
    RunOptions<Tools> | LiveRun.Begin<Requirements<Tools>> | HttpServerResponse.HttpServerResponse,
    E,
    R
  >
  /** Whether a request may read or interrupt a run. Default: every request that knows its id. */
  readonly mayRead?: (request: HttpServerRequest, id: string) => Effect.Effect<boolean, never, R>
  /** The number of concurrent runs; more are refused with 503. Default 100. */
  readonly most?: number
  /** The size in bytes of a body that `begin` may read; larger ones are refused with 413. Default 1,048,576. */
  readonly maxBodyBytes?: number
}

const json = (status: number, body: object, headers: { readonly [name: string]: string } = {}) =>
  HttpServerResponse.text(JSON.stringify(body), {
    status,
    contentType: "application/json",
    headers: { "cache-control": "no-store", "x-content-type-options": "nosniff", ...headers }
  })

const problem = (status: number, detail: string, headers: { readonly [name: string]: string } = {}) =>
  json(status, { error: detail }, headers)

const notStarted = problem(500, "The run could not be started.")
const failed = (cause: unknown) => Effect.as(Effect.logError("A run could not be started", cause), notStarted)
const unread: { readonly [status: number]: string } = {
  400: "The body cannot be read: it is not what this server expects.",
  413: "The body is too large."
}
/** The response to a failure, with a sentence if it has none. */
const refusal = (response: HttpServerResponse.HttpServerResponse) => {
  const words = unread[response.status]
  return words === undefined || response.body._tag !== "Empty" ? response : problem(response.status, words)
}
const missing = problem(404, "There is no such run, or it has ended.")

/** `POST path`, `GET path/:id/events` and `DELETE path/:id`, for your router. Runs end with the layer. */
export const routes = <Tools extends AnyTool, E = never, R = never>(
  options: RoutesOptions<Tools, E, R>
): Layer.Layer<never, never, HttpRouter.HttpRouter | Requirements<Tools> | R> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { begin, mayRead = () => Effect.succeed(true), most = 100, path = "/runs" } = options
      const maxBody = ByteSize.bytes(options.maxBodyBytes ?? 1_048_576)
      const linger = Duration.fromInputUnsafe(options.linger ?? "30 seconds")
      const context = yield* Effect.context<Requirements<Tools> | R>()
      const scope = yield* Effect.scope
      const runs = new Map<string, LiveRun.LiveRun>()
      let active = 0

      /** Starts a run in its own scope, and removes it some time after it has ended. */
      const started = (run: RunOptions<Tools> | LiveRun.Begin<Requirements<Tools>>) =>
        Effect.gen(function* () {
          const id = yield* freshId
          const own = yield* Scope.fork(scope)
          const begin: LiveRun.Begin<Requirements<Tools>> =
            typeof run === "function" ? run : (stop) => Agent.stream({ ...run, interruptWhen: first(stop, run) })
          const live = yield* Scope.provide(LiveRun.make(begin, options), own).pipe(
            Effect.onError(() => Scope.close(own, Exit.void))
          )
          runs.set(id, live)
          yield* live.over.pipe(
            Effect.andThen(Effect.sync(() => void (active -= 1))),
            Effect.andThen(Effect.sleep(linger)),
            Effect.ensuring(Effect.suspend(() => (runs.delete(id), Scope.close(own, Exit.void)))),
            Effect.forkIn(scope)
          )
          return id
        })
      const found = (request: HttpServerRequest) =>
        Effect.flatMap(HttpRouter.params, ({ id = "" }) => {
          const run = runs.get(id)
          return run === undefined
            ? Effect.undefined
            : Effect.map(mayRead(request, id), (may) => (may ? run : undefined))
        })

      const post = (request: HttpServerRequest) =>
        Effect.gen(function* () {
          if (!/^application\/json\b/iu.test(request.headers["content-type"] ?? "")) {
            return problem(415, "Send JSON: content-type application/json.")
          }
          if (active >= most) return problem(503, `${most} runs are active already.`, { "retry-after": "5" })
          active += 1
          let isStarted = false
          return yield* Effect.gen(function* () {
            const run = yield* Effect.provideService(begin(request), MaxBodySize, maxBody)
            if (HttpServerResponse.isHttpServerResponse(run)) return run
            // if the client disconnects now, the run is still counted and removed like any other
            const id = yield* Effect.uninterruptible(
              Effect.tap(started(run), () => Effect.sync(() => (isStarted = true)))
            )
            const events = `${path}/${id}/events`
            return json(201, { id, events }, { location: events })
          }).pipe(Effect.ensuring(Effect.sync(() => void (isStarted || (active -= 1)))))
        }).pipe(
          Effect.catch((error) =>
            Effect.flatMap(HttpServerRespondable.toResponseOrElse(error, notStarted), (response) =>
              response === notStarted ? failed(error) : Effect.succeed(refusal(response))
            )
          ),
          Effect.catchCause(failed)
        )
      const follow = (request: HttpServerRequest) =>
        Effect.map(found(request), (run) => {
          if (run === undefined) return lastEventId(request) === undefined ? missing : gone
          const after = lastEventId(request) ?? 0
          return after > 0 && after >= (run.last() ?? Infinity) ? gone : eventStream(following(run, after, options))
        })
      const interrupt = (request: HttpServerRequest) =>
        Effect.flatMap(found(request), (run) =>
          run === undefined ? Effect.succeed(missing) : Effect.as(run.interrupt, gone)
        )

      type Answering<RA> = Effect.Effect<HttpServerResponse.HttpServerResponse, never, RA>
      const withServices = (answering: Answering<Requirements<Tools> | R | HttpRouter.RouteContext>) =>
        Effect.provideContext(answering, context) as Answering<HttpRouter.RouteContext> // the compiler cannot subtract type parameters
      return HttpRouter.addAll([
        HttpRouter.route("POST", path, (request) => withServices(post(request))),
        HttpRouter.route("GET", `${path}/:id/events`, (request) => withServices(follow(request))),
        HttpRouter.route("DELETE", `${path}/:id`, (request) => withServices(interrupt(request)))
      ])
    })
  )

/** Ends a run when its readers or its own options do. */
const first = (stop: Effect.Effect<void>, { interruptWhen }: { readonly interruptWhen?: Effect.Effect<unknown> }) =>
  interruptWhen === undefined ? stop : Effect.raceFirst(stop, interruptWhen)
