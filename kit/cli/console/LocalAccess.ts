/**
 * Decides which HTTP requests a command on 127.0.0.1 answers, before any route sees them.
 *
 * **Details**
 *
 * - The `Host` must name this machine or a host of `--allow-host`, so that a DNS name that resolves to this machine
 *   does not make the command reachable (DNS rebinding).
 * - An `Origin` must equal an origin of `--allow-origin`, with scheme and port. The web page may then also read the
 *   answers (CORS). Requests without an `Origin`, as programs send them, pass this check.
 * - A POST must be `application/json`, because a page may send some other types without a preflight request. Its body
 *   must not be compressed.
 * - If a token is set, every request needs the token, even for documents and unknown paths. The only exception is a
 *   preflight request of an allowed page.
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { createHash, timingSafeEqual } from "node:crypto"

export interface LocalAccessOptions {
  /** Accepted hosts in addition to this machine, without ports. */
  readonly hosts: ReadonlyArray<string>
  /** Origins of web pages that may send requests, such as `https://app.example`. */
  readonly origins: ReadonlyArray<string>
  /** The bearer token that every request must have; `undefined` if no token is required. */
  readonly token: string | undefined
  /** Headers of answers that pages may read. */
  readonly exposedHeaders?: ReadonlyArray<string>
  /** Creates the answer to a refused request. */
  readonly refuse: (status: number, message: string, headers?: Readonly<Record<string, string>>) => HttpServerResponse
}

/** Reads a token from an environment variable. Returns `undefined` if the variable is not set. */
export const tokenOf = (variable: string): Effect.Effect<string | undefined> =>
  Effect.map(Effect.orDie(Config.option(Config.NonEmptyString(variable))), Option.getOrUndefined)

const loopback = ["127.0.0.1", "localhost", "[::1]"]

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Checks all requests of a router. */
export const layer = ({
  exposedHeaders = [],
  hosts,
  origins,
  refuse,
  token
}: LocalAccessOptions): Layer.Layer<never, never, HttpRouter.HttpRouter> => {
  const served = new Set([...loopback, ...hosts.map((host) => host.toLowerCase())])
  const allowed = new Set(origins)
  const expected = token === undefined ? undefined : digest(token)
  const cors = HttpMiddleware.cors({ allowedOrigins: (origin) => allowed.has(origin), exposedHeaders })
  const refusalOf = ({ headers, method }: HttpServerRequest): HttpServerResponse | undefined => {
    const {
      authorization = "",
      "content-encoding": coding = "identity",
      "content-type": type = "",
      host = "",
      origin
    } = headers
    if (!served.has(host.toLowerCase().replace(/:\d+$/u, ""))) return refuse(403, "This host is not served.")
    if (origin !== undefined && !allowed.has(origin)) return refuse(403, "This origin is not allowed.")
    // browsers send preflight requests without the token
    if (method === "OPTIONS" && origin !== undefined) return undefined
    const sent = /^Bearer +(.+)$/iu.exec(authorization)?.[1] ?? ""
    if (expected !== undefined && !timingSafeEqual(digest(sent), expected))
      return refuse(401, "A bearer token is required.", { "www-authenticate": "Bearer" })
    if (method !== "POST") return undefined
    if (!/^application\/json\s*(?:;|$)/iu.test(type)) return refuse(415, "The content type is not application/json.")
    return coding.toLowerCase() === "identity"
      ? undefined
      : refuse(415, "The body is compressed. Send it uncompressed.")
  }
  return HttpRouter.middleware(
    (answer) => {
      const shared = allowed.size === 0 ? answer : cors(answer)
      return Effect.flatMap(HttpServerRequest, (request) => {
        const refused = refusalOf(request)
        return refused === undefined ? shared : Effect.succeed(refused)
      })
    },
    { global: true }
  )
}
