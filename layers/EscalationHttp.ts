/**
 * Serves an inbox where people decide: a page for browsers and an API for programs, over the store of approvals [10.3].
 *
 * **Details**
 *
 * - `layer` asks through the inbox: it opens a request and answers `Pending` with its URL, or waits for the decision
 *   (`wait`).
 * - `routes` are the routes of the inbox for your server; `serve` starts a server. The inbox and the guard may run in
 *   different processes.
 * - Deciding needs an approver's token (`Approvers`): the page asks for it at sign-in, and the API accepts it as a
 *   bearer token. An approval URL identifies a request and grants nothing. A GET request changes nothing.
 * - Notices (`inform`) are shown by the inbox of the same process: the last 50 of each tenant, until a restart.
 *
 * **Gotchas**
 *
 * `publicUrl` is the address in people's browsers: forms from any other origin are refused. Over plain HTTP a token can
 * be intercepted: use TLS, except on the same machine.
 */
import { Approvals } from "#services/Approvals"
import type { Approvers } from "#services/Approvers"
import type { UnknownOutcomes } from "#services/UnknownOutcomes"
import { Escalation } from "#services/Escalation"
import { isAccepted } from "#domain/http/AcceptedHost"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Etag from "effect/http/Etag"
import type * as HttpPlatform from "effect/http/HttpPlatform"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { ServeError } from "effect/http/HttpServerError"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import * as GracefulShutdown from "./GracefulShutdown.ts"
import * as ApiRoutes from "#layers/internal/inbox/ApiRoutes"
import * as Questions from "#layers/internal/inbox/Questions"
import * as Inbox from "#layers/internal/inbox/Inbox"
import * as Notices from "#layers/internal/inbox/Notices"
import * as PageRoutes from "#layers/internal/inbox/PageRoutes"
import * as OptionalPeer from "#layers/internal/peer/OptionalPeer"
import * as BoundedServer from "#layers/internal/server/BoundedServer"

export type { AskingOptions } from "#layers/internal/inbox/Questions"
export { InboxApi } from "#layers/internal/inbox/Api"

/** Asks through the inbox. */
export const layer = (options: Questions.AskingOptions): Layer.Layer<Escalation | Notices.Notices, never, Approvals> =>
  Layer.effect(
    Escalation,
    Effect.gen(function* () {
      const notices = yield* Notices.Notices
      const approvals = yield* Approvals
      const { isShared = true } = approvals
      const ask = yield* Questions.make(options, () => Effect.void)
      return {
        isShared,
        waits: Questions.waits(options),
        ask,
        inform: notices.add,
        namesRequests: true,
        outcomeUrl: (id) => Questions.outcomeUrl(options.publicUrl, id),
        withdraw: Questions.withdrawal(approvals)
      }
    })
  ).pipe(Layer.provideMerge(Notices.layer))

/** The address of the inbox, how often its pages update, and how many pages of an approver update themselves. */
export interface InboxOptions {
  /**
   * The inbox's public address, such as `https://agents.example.com/toolguard`; the pages are at `/approvals` below it.
   */
  readonly publicUrl: string
  /** How often an open page is updated with decisions of other processes. Default 2 seconds. */
  readonly interval?: Duration.Input
  /**
   * The maximum number of open event streams of one approver; a request for a further stream returns 503. Default 16.
   */
  readonly maxReaders?: number
}

type RouteServices =
  | HttpRouter.HttpRouter
  | Approvals
  | Approvers
  | UnknownOutcomes
  | Etag.Generator
  | FileSystem.FileSystem
  | HttpPlatform.HttpPlatform
  | Path.Path

const routing = (
  { interval = "2 seconds", maxReaders = 16, publicUrl }: InboxOptions,
  isAlone: boolean
): Layer.Layer<never, never, RouteServices> =>
  Layer.unwrap(
    Effect.map(
      Inbox.make({ publicUrl, maxReaders, intervalMillis: Duration.toMillis(Duration.fromInputUnsafe(interval)) }),
      (inbox) => Layer.merge(HttpRouter.addAll(PageRoutes.make(inbox, isAlone)), ApiRoutes.make(inbox))
    )
  )

/**
 * Adds the pages (`/approvals`) and the API (`/api/approvals`, `/api/outcomes`, `/api/openapi.json`) to your router.
 */
export const routes = (options: InboxOptions): Layer.Layer<never, never, RouteServices> => routing(options, false)

/** The address at which the server listens, and the limits for its clients. */
export interface ServeOptions extends InboxOptions {
  readonly port: number
  /** Default `127.0.0.1`: only this machine. */
  readonly host?: string
  /** The maximum number of open connections. Default 1,000. */
  readonly maxConnections?: number
  /** The maximum number of requests in progress; further requests return 503. Default 1,000. */
  readonly maxRequests?: number
  /** The time in which a client must send its whole request. Default 30 seconds. */
  readonly receiveTimeout?: Duration.Input
}

/** Lets requests in progress, such as decisions, finish while the process shuts down. */
const tracking = HttpRouter.middleware((answer) => GracefulShutdown.track(answer), { global: true })

/**
 * Refuses a request from this machine whose `Host` names neither this machine nor the host of `publicUrl`, so that no web
 * page can read the inbox by DNS rebinding. Other machines reach the server only if `host` is set.
 */
const hostCheck = (publicUrl: string) => {
  // an invalid address is refused by the routes
  const publicHosts = URL.canParse(publicUrl) ? [new URL(publicUrl).hostname] : []
  const misdirected = HttpServerResponse.jsonUnsafe(
    {
      error: "This server does not answer to that host name. Set publicUrl (--public-url) to the address of the inbox."
    },
    { status: 403 }
  )
  return HttpRouter.middleware(
    (answer) =>
      Effect.flatMap(HttpServerRequest, (request) =>
        isAccepted(request, undefined) || isAccepted(request, publicHosts) ? answer : Effect.succeed(misdirected)
      ),
    { global: true }
  )
}

/** Starts a server for the inbox, where `/` redirects to the list of requests. */
export const serve = ({
  host = "127.0.0.1",
  maxConnections = 1_000,
  maxRequests = 1_000,
  port,
  receiveTimeout = "30 seconds",
  ...options
}: ServeOptions): Layer.Layer<never, ServeError, Approvals | Approvers | UnknownOutcomes> =>
  HttpRouter.serve(Layer.mergeAll(routing(options, true), tracking, hostCheck(options.publicUrl)), {
    disableListenLog: true,
    disableLogger: true
  }).pipe(
    Layer.provide(
      OptionalPeer.load("layers/EscalationHttp", () => import("@effect/platform-node/NodeHttpServer")).pipe(
        Effect.orDie,
        Effect.map((NodeHttpServer) =>
          NodeHttpServer.layer(
            () => BoundedServer.make({ maxConnections, maxRequests, requestMillis: Duration.toMillis(receiveTimeout) }),
            { host, port, gracefulShutdownTimeout: "2 seconds" }
          )
        ),
        Layer.unwrap
      )
    )
  )
