/**
 * Runs over HTTP as server-sent events, for browsers and other services (SPEC 11.2).
 *
 * **When to use**
 *
 * - `routes`: `POST /runs` begins a run and answers where its events are, `GET /runs/:id/events` follows it, as often and from
 *   wherever one likes, `DELETE /runs/:id` interrupts it. A broken connection comes back to where it was.
 * - `response`: one request, one run, in a route of your own. The run ends with the connection.
 *
 * **Details**
 *
 * - Each message's `data` is a `LiveEvent` as JSON, its `id` the event's number. There are no names of events: `onmessage` gets
 *   all. Events that are not kept any more are told as an event named `missed`, with their numbers.
 * - A comment every 15 seconds keeps proxies from closing a quiet connection; `retry` tells browsers when to come back.
 * - Once a run is over and all of it was read, coming back is answered with 204: a browser then stays away.
 * - A reader that is slower than the run slows it (`LiveRun`). A run that nobody reads for 30 seconds is interrupted.
 *
 * **Gotchas**
 *
 * The id of a run is 128 random bits, and all that is needed to read it: give `mayRead` where that is not enough. A browser sends
 * cookies along with requests of other sites: `POST` takes JSON alone, which such a request cannot send unasked.
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
 * One run as the answer to a request. Leaving interrupts it at once.
 *
 * A browser that comes back (`Last-Event-ID`) is answered with 204, and stays away: its run has ended, and another one would do
 * everything anew.
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
  /** Where runs are begun. Default `/runs`. */
  readonly path?: `/${string}`
  /**
   * What a request begins: the options of a run; or a function that begins one, which ends when `stop` does (a run with a
   * journal, say: `Agent.streamOf`); or a response that says why it begins none. A body that cannot be read is answered with
   * 400, one that is too large with 413; any other failure with 500, and the log has it.
   */
  readonly begin: (
    request: HttpServerRequest
  ) => Effect.Effect<
    RunOptions<Tools> | LiveRun.Begin<Requirements<Tools>> | HttpServerResponse.HttpServerResponse,
    E,
    R
  >
  /** Whether a request may read or interrupt a run. Default: whoever knows its id. */
  readonly mayRead?: (request: HttpServerRequest, id: string) => Effect.Effect<boolean, never, R>
  /** Runs that go on at once; more are refused with 503. Default 100. */
  readonly most?: number
  /** Bytes of a body that `begin` may read; more are refused with 413. Default 1,048,576. */
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

const notBegun = problem(500, "The run could not be begun.")
const failed = (cause: unknown) => Effect.as(Effect.logError("A run could not be begun", cause), notBegun)
const unread: { readonly [status: number]: string } = {
  400: "The body is not what this server reads.",
  413: "The body is too large."
}
/** The answer to a failure, in words where it has none of its own. */
const refusal = (response: HttpServerResponse.HttpServerResponse) => {
  const words = unread[response.status]
  return words === undefined || response.body._tag !== "Empty" ? response : problem(response.status, words)
}
const missing = problem(404, "There is no such run, or it is over.")

/** `POST path`, `GET path/:id/events` and `DELETE path/:id`, for a router of yours. Runs end with the layer. */
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
      let going = 0

      /** A run in a scope of its own, forgotten some time after it is over. */
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
            Effect.andThen(Effect.sync(() => void (going -= 1))),
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
          if (going >= most) return problem(503, `${most} runs go on already.`, { "retry-after": "5" })
          going += 1
          let isBegun = false
          return yield* Effect.gen(function* () {
            const run = yield* Effect.provideService(begin(request), MaxBodySize, maxBody)
            if (HttpServerResponse.isHttpServerResponse(run)) return run
            // who leaves now leaves a run behind that is counted and forgotten as any other
            const id = yield* Effect.uninterruptible(
              Effect.tap(started(run), () => Effect.sync(() => (isBegun = true)))
            )
            const events = `${path}/${id}/events`
            return json(201, { id, events }, { location: events })
          }).pipe(Effect.ensuring(Effect.sync(() => void (isBegun || (going -= 1)))))
        }).pipe(
          Effect.catch((error) =>
            Effect.flatMap(HttpServerRespondable.toResponseOrElse(error, notBegun), (response) =>
              response === notBegun ? failed(error) : Effect.succeed(refusal(response))
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
        Effect.provideContext(answering, context) as Answering<HttpRouter.RouteContext> // the compiler subtracts no type parameters
      return HttpRouter.addAll([
        HttpRouter.route("POST", path, (request) => withServices(post(request))),
        HttpRouter.route("GET", `${path}/:id/events`, (request) => withServices(follow(request))),
        HttpRouter.route("DELETE", `${path}/:id`, (request) => withServices(interrupt(request)))
      ])
    })
  )

/** What ends a run: the reader's side, or what its own options say. */
const first = (stop: Effect.Effect<void>, { interruptWhen }: { readonly interruptWhen?: Effect.Effect<unknown> }) =>
  interruptWhen === undefined ? stop : Effect.raceFirst(stop, interruptWhen)
