/**
 * The gateway in front of the service: a reverse proxy that truncates answers to a number of bytes.
 *
 * The limit is not documented. Content-Length is the number of bytes that the gateway sends, so an HTTP client accepts a
 * truncated answer as complete.
 */
import type { Effect, Scope } from "effect"
import { type CannotListen, listen, type Reply, type Request } from "./Listen.ts"

/** The default size, in bytes, to which answers are truncated. */
export const defaultLimit = 4_096

/** Starts a gateway in front of the service at `target`, and returns the gateway's address. */
export const start = (target: string, limit: number): Effect.Effect<string, CannotListen, Scope.Scope> =>
  listen(async ({ body, headers, method, url }: Request): Promise<Reply> => {
    const { connection: _, host: __, "content-length": ___, ...passed } = headers
    const response = await fetch(new URL(url.pathname + url.search, target), {
      method,
      headers: passed,
      ...(body === "" ? {} : { body })
    })
    const whole = new Uint8Array(await response.arrayBuffer())
    return {
      status: response.status,
      headers: { "content-type": response.headers.get("content-type") ?? "application/octet-stream" },
      body: whole.subarray(0, limit)
    }
  })
