/**
 * Serves runs over HTTP as server-sent events, for browsers and other services [11.2].
 *
 * **When to use**
 *
 * - `routes`: `POST /runs` starts a run and returns the address of its events, `GET /runs/:id/events` sends its events,
 *   starting after any event number, and `DELETE /runs/:id` interrupts it. A client that reconnects resumes after the
 *   last event that it received.
 * - `response`: one run per request, for a route that you define. The run ends with the connection.
 *
 * **Details**
 *
 * - The `data` of each message is a `LiveEvent` as JSON, and its `id` is the event's number. Events have no names, so
 *   `onmessage` receives all of them. Missed events that are no longer stored are reported by an event named `missed`,
 *   with their numbers.
 * - A comment every 15 seconds keeps proxies from closing a quiet connection; `retry` tells browsers when to reconnect.
 * - If a run has ended and its last event was received, reconnecting returns 204, so that a browser stops.
 * - A slow reader slows the run (`LiveRun`). A run that has no readers for 30 seconds is interrupted.
 *
 * **Gotchas**
 *
 * A client that knows the id of a run, which is 128 random bits, can read the run; set `mayRead` to require more.
 * Browsers send cookies with requests from other sites, so `POST` accepts only JSON, which another site cannot send
 * without a preflight. A page that makes its own name resolve to this machine is refused by its `Host`, see `hosts`.
 */
import type { RunOptions } from "#src/agent/AgentOptions"
import type { Requirements } from "#src/agent/Agent"
import { CurrentRun } from "#services/CurrentRun"
import { Drain } from "#services/Drain"
import { GuardedTurn } from "#src/guard/Guard"
import { unguessableId } from "#services/Unguessable"
import * as Agent from "#src/agent/Agent"
import type { AgentEvent } from "#src/agent/AgentEvent"
import { isAccepted } from "#domain/http/AcceptedHost"
import * as LiveRun from "./LiveRun.ts"
import { bodyOf, eventStream, lastEventId, type SseOptions } from "./SseBody.ts"
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

const noContent = HttpServerResponse.empty({ status: 204 })

/**
 * Responds to a request with the events of a new run. Disconnecting interrupts the run.
 *
 * A browser that reconnects (`Last-Event-ID`) gets 204 and stops: its run has ended, and a new run would repeat all
 * work.
 */
export const response = <R>(
  request: HttpServerRequest,
  events: Stream.Stream<AgentEvent, never, R>,
  options: SseOptions = {}
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R> =>
  Effect.map(Effect.context<R>(), (context) =>
    lastEventId(request) !== undefined
      ? noContent
      : eventStream(
          Stream.unwrap(
            Effect.map(
              LiveRun.make(() => events, options),
              (run) => bodyOf(run, 0, options)
            )
          ).pipe(Stream.provideContext(context))
        )
  )

/** The options of `routes`. */
export interface RoutesOptions<Tools extends AnyTool, E, R> extends SseOptions {
  /** The path that starts runs. Default `/runs`. */
  readonly path?: `/${string}`
  /**
   * Decides which run a request starts. Returns the options of a run, or a function that starts a run and ends it when
   * `stop` completes (for example a run with a journal: `Agent.streamOf`), or a response if no run starts. An error
   * with its own response (`HttpServerRespondable`) returns that response: an unreadable body returns 400, and a body
   * that is too large 413. Any other failure returns 500 and is logged.
   */
  readonly begin: (
    request: HttpServerRequest
  ) => Effect.Effect<
    RunOptions<Tools> | LiveRun.Begin<Requirements<Tools>> | HttpServerResponse.HttpServerResponse,
    E,
    R
  >
  /** Returns true if a request may read or interrupt a run. Default: any request that contains the run's id may. */
  readonly mayRead?: (request: HttpServerRequest, id: string) => Effect.Effect<boolean, never, R>
  /** The maximum number of concurrent runs; further requests return 503. Default 100. */
  readonly maxRuns?: number
  /**
   * Returns the owner of the run that a request starts, such as its tenant and principal as one text, so that no owner
   * uses up the runs of others. Default: runs have no owner.
   */
  readonly ownerOf?: (request: HttpServerRequest) => Effect.Effect<string, never, R>
  /** The maximum number of concurrent runs of one owner; further requests return 503. Default 16. */
  readonly maxRunsPerOwner?: number
  /**
   * The names that `Host` may have, without the port, such as `["api.example.com"]`; other requests return 403.
   * Default: any name, but only names of this machine for requests from this machine. A server behind a proxy on the
   * same machine therefore needs its public name here.
   */
  readonly hosts?: ReadonlyArray<string>
  /** The maximum size of a body that `begin` may read, in bytes; larger bodies return 413. Default 1,048,576. */
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
const bodyTooLarge = "The body is too large."
const bodyProblems: { readonly [status: number]: string } = {
  400: "The body cannot be decoded.",
  413: bodyTooLarge
}
/** Returns the response to a failure. An empty body is replaced by an explanation. */
const withDetail = (response: HttpServerResponse.HttpServerResponse) => {
  const detail = bodyProblems[response.status]
  return detail === undefined || response.body._tag !== "Empty" ? response : problem(response.status, detail)
}
const misdirected = problem(403, "This server does not answer to that host name: add it to `hosts`.")
const notFound = problem(404, "The run does not exist or has ended.")

/** Adds `POST path`, `GET path/:id/events` and `DELETE path/:id` to your router. Runs end with the layer. */
export const routes = <Tools extends AnyTool, E = never, R = never>(
  options: RoutesOptions<Tools, E, R>
): Layer.Layer<never, never, HttpRouter.HttpRouter | Requirements<Tools> | R> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const {
        begin,
        hosts,
        maxReaders = 16,
        mayRead = () => Effect.succeed(true),
        maxRuns = 100,
        maxRunsPerOwner = 16,
        ownerOf,
        path = "/runs"
      } = options
      const maxBodyBytes = options.maxBodyBytes ?? 1_048_576
      const maxBody = ByteSize.bytes(maxBodyBytes)
      const linger = Duration.fromInputUnsafe(options.linger ?? "30 seconds")
      const context = yield* Effect.context<Requirements<Tools> | R>()
      const scope = yield* Effect.scope
      const drain = yield* (yield* GuardedTurn).policy(Drain)
      const runs = new Map<string, LiveRun.LiveRun>()
      let active = 0
      /** The number of active runs of each owner. */
      const owners = new Map<string, number>()
      const count = (owner: string | undefined, change: 1 | -1): void => {
        active += change
        if (owner === undefined) return
        const rest = (owners.get(owner) ?? 0) + change
        if (rest === 0) owners.delete(owner)
        else owners.set(owner, rest)
      }

      /** Starts a run in a separate scope, and removes the run `linger` after its end. */
      const start = (run: RunOptions<Tools> | LiveRun.Begin<Requirements<Tools>>, owner: string | undefined) =>
        Effect.gen(function* () {
          const id = yield* unguessableId
          const own = yield* Scope.fork(scope)
          const begin: LiveRun.Begin<Requirements<Tools>> =
            typeof run === "function" ? run : (stop) => Agent.stream({ ...run, interruptWhen: eitherStop(stop, run) })
          /** Sets the id of a run to the id in its address. A run with a journal sets its own id. */
          const withRunId = Stream.provideService(CurrentRun, id)
          const live = yield* Scope.provide(
            LiveRun.make((stop) => withRunId(begin(stop)), options),
            own
          ).pipe(Effect.onError(() => Scope.close(own, Exit.void)))
          runs.set(id, live)
          yield* live.over.pipe(
            Effect.andThen(Effect.sync(() => count(owner, -1))),
            Effect.andThen(Effect.sleep(linger)),
            Effect.ensuring(Effect.suspend(() => (runs.delete(id), Scope.close(own, Exit.void)))),
            Effect.forkIn(scope)
          )
          return id
        })
      const readableRun = (request: HttpServerRequest) =>
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
          if (Number(request.headers["content-length"] ?? 0) > maxBodyBytes) return problem(413, bodyTooLarge)
          if (drain?.isDraining() === true) return problem(503, "The server is shutting down.", { "retry-after": "1" })
          if (active >= maxRuns)
            return problem(503, `The maximum of ${maxRuns} concurrent runs is reached.`, { "retry-after": "5" })
          const owner = ownerOf === undefined ? undefined : yield* ownerOf(request)
          if (owner !== undefined && (owners.get(owner) ?? 0) >= maxRunsPerOwner) {
            const text = `The maximum of ${maxRunsPerOwner} concurrent runs of one owner is reached.`
            return problem(503, text, { "retry-after": "5" })
          }
          count(owner, 1)
          let isStarted = false
          return yield* Effect.gen(function* () {
            const run = yield* Effect.provideService(begin(request), MaxBodySize, maxBody)
            if (HttpServerResponse.isHttpServerResponse(run)) return run
            // uninterruptible: the run must be counted and removed even if the client disconnects now
            const id = yield* Effect.uninterruptible(
              Effect.tap(start(run, owner), () => Effect.sync(() => (isStarted = true)))
            )
            const events = `${path}/${id}/events`
            return json(201, { id, events }, { location: events })
          }).pipe(Effect.ensuring(Effect.sync(() => void (isStarted || count(owner, -1)))))
        }).pipe(
          Effect.catch((error) =>
            Effect.flatMap(HttpServerRespondable.toResponseOrElse(error, notStarted), (response) =>
              response === notStarted ? failed(error) : Effect.succeed(withDetail(response))
            )
          ),
          Effect.catchCause(failed)
        )
      const follow = (request: HttpServerRequest) =>
        Effect.map(readableRun(request), (run) => {
          if (run === undefined) return lastEventId(request) === undefined ? notFound : noContent
          const after = lastEventId(request) ?? 0
          if (after > 0 && after >= (run.last() ?? Infinity)) return noContent
          if (run.readers() >= maxReaders)
            return problem(503, `The maximum of ${maxReaders} readers of this run is reached.`, { "retry-after": "5" })
          return eventStream(bodyOf(run, after, options))
        })
      const interrupt = (request: HttpServerRequest) =>
        Effect.flatMap(readableRun(request), (run) =>
          run === undefined ? Effect.succeed(notFound) : Effect.as(run.interrupt, noContent)
        )

      type ResponseEffect<RA> = Effect.Effect<HttpServerResponse.HttpServerResponse, never, RA>
      type Answer = (request: HttpServerRequest) => ResponseEffect<Requirements<Tools> | R | HttpRouter.RouteContext>
      const route = (method: "DELETE" | "GET" | "POST", path: `/${string}`, answer: Answer) =>
        HttpRouter.route(
          method,
          path,
          (request) =>
            Effect.provideContext(
              isAccepted(request, hosts) ? answer(request) : Effect.succeed(misdirected),
              context
            ) as ResponseEffect<HttpRouter.RouteContext> // the compiler cannot exclude type parameters from a union
        )
      return HttpRouter.addAll([
        route("POST", path, post),
        route("GET", `${path}/:id/events`, follow),
        route("DELETE", `${path}/:id`, interrupt)
      ])
    })
  )

/** Completes when the run must stop: when `stop` or the `interruptWhen` of its options completes. */
const eitherStop = (
  stop: Effect.Effect<void>,
  { interruptWhen }: { readonly interruptWhen?: Effect.Effect<unknown> }
) => (interruptWhen === undefined ? stop : Effect.raceFirst(stop, interruptWhen))
