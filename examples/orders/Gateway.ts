/**
 * The gateway in front of the service: a reverse proxy that passes on at most so many bytes of an answer.
 *
 * Nobody has written that down. Its Content-Length is the number of bytes that it sends, so by HTTP an answer that was cut
 * is complete: no client sees that anything is missing.
 */
import type { Effect, Scope } from "effect"
import { type Asked, type CannotListen, listen, type Reply } from "./Listen.ts"

/** Bytes after which an answer is cut, unless told otherwise. */
export const defaultLimit = 4_096

/** Starts a gateway before the service at `target`. Gives its address. */
export const start = (target: string, limit: number): Effect.Effect<string, CannotListen, Scope.Scope> =>
  listen(async ({ body, headers, method, url }: Asked): Promise<Reply> => {
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
