/**
 * People decide at an inbox: a page for browsers and an API for programs, over the store of the approvals (SPEC 10.3).
 *
 * **Details**
 *
 * - `layer` is the guard's way to them: it opens a request and answers `Pending` with its URL, or waits for the decision (`wait`).
 * - `routes` is the inbox: put it on a server of yours, or let `serve` start one. It may run in another process than the guard.
 * - Deciding needs an approver's token (`Approvers`): at the page to sign in, at the API as bearer. An approval URL names a
 *   request and grants nothing. GET changes nothing.
 * - Notices (`inform`) are shown in the process that gives them: its last 50, until it restarts.
 *
 * **Gotchas**
 *
 * `publicUrl` is the address in people's browsers: forms sent from any other origin are refused. Over plain HTTP a token can be
 * read on the way: put TLS in front of it anywhere but on one's own machine.
 */
import type { Approvals } from "#services/Approvals"
import type { Approvers } from "#services/Approvers"
import { Escalation } from "#services/Escalation"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Etag from "effect/http/Etag"
import type * as HttpPlatform from "effect/http/HttpPlatform"
import * as HttpRouter from "effect/http/HttpRouter"
import type { ServeError } from "effect/http/HttpServerError"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import { createServer } from "node:http"
import * as ApiRoutes from "#layers/internal/inbox/ApiRoutes"
import * as Asking from "#layers/internal/inbox/Asking"
import * as Desk from "#layers/internal/inbox/Desk"
import * as Notices from "#layers/internal/inbox/Notices"
import * as PageRoutes from "#layers/internal/inbox/PageRoutes"
import * as OptionalPeer from "#layers/internal/peer/OptionalPeer"

export type { AskingOptions } from "#layers/internal/inbox/Asking"
export { InboxApi } from "#layers/internal/inbox/Api"

/** Asks through the inbox. */
export const layer = (options: Asking.AskingOptions): Layer.Layer<Escalation | Notices.Notices, never, Approvals> =>
  Layer.effect(
    Escalation,
    Effect.gen(function* () {
      const notices = yield* Notices.Notices
      return { ask: yield* Asking.make(options, () => Effect.void), inform: notices.add }
    })
  ).pipe(Layer.provideMerge(Notices.layer))

export interface InboxOptions {
  /** Where people reach the inbox, such as `https://agents.example.com/toolguard`; the pages are at `/approvals` below it. */
  readonly publicUrl: string
  /** How often an open page looks for what other processes decided. Default 2 seconds. */
  readonly interval?: Duration.Input
}

type RouteServices =
  | HttpRouter.HttpRouter
  | Approvals
  | Approvers
  | Etag.Generator
  | FileSystem.FileSystem
  | HttpPlatform.HttpPlatform
  | Path.Path

const routing = (
  { interval = "2 seconds", publicUrl }: InboxOptions,
  isAlone: boolean
): Layer.Layer<never, never, RouteServices> =>
  Layer.unwrap(
    Effect.map(Desk.make({ publicUrl, interval: Duration.toMillis(Duration.fromInputUnsafe(interval)) }), (desk) =>
      Layer.merge(HttpRouter.addAll(PageRoutes.make(desk, isAlone)), ApiRoutes.make(desk))
    )
  )

/** The page (`/approvals`) and the API (`/api/approvals`, `/api/openapi.json`), for a router of yours. */
export const routes = (options: InboxOptions): Layer.Layer<never, never, RouteServices> => routing(options, false)

export interface ServeOptions extends InboxOptions {
  readonly port: number
  /** Default `127.0.0.1`: this machine alone. */
  readonly host?: string
}

/** The inbox on a server of its own, where `/` leads to it. */
export const serve = ({
  host = "127.0.0.1",
  port,
  ...options
}: ServeOptions): Layer.Layer<never, ServeError, Approvals | Approvers> =>
  HttpRouter.serve(routing(options, true), { disableListenLog: true, disableLogger: true }).pipe(
    Layer.provide(
      OptionalPeer.load("layers/EscalationHttp", () => import("@effect/platform-node/NodeHttpServer")).pipe(
        Effect.orDie,
        Effect.map((NodeHttpServer) =>
          NodeHttpServer.layer(createServer, { host, port, gracefulShutdownTimeout: "2 seconds" })
        ),
        Layer.unwrap
      )
    )
  )
