/** The events of a run as the body of a response: server-sent events, with their numbers, kept alive. */
import * as Duration from "effect/Duration"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import type * as LiveRun from "./LiveRun.ts"

/** How events are written. */
export interface SseOptions extends LiveRun.LiveRunOptions {
  /** How often a quiet connection is told that it lives. Default 15 seconds. */
  readonly heartbeat?: Duration.Input
  /** When a browser comes back after its connection broke. Default 2 seconds. */
  readonly retry?: Duration.Input
}

const encoder = new TextEncoder()

const written = (told: LiveRun.Told): string =>
  told._tag === "Event"
    ? `id: ${told.id}\ndata: ${told.json}\n\n`
    : `event: missed\ndata: ${JSON.stringify({ from: told.from, to: told.to })}\n\n`

/** The events of a run from a number on. */
export const following = (
  run: LiveRun.LiveRun,
  after: number,
  { heartbeat = "15 seconds", retry = "2 seconds" }: SseOptions
): Stream.Stream<Uint8Array> => {
  const first = `retry: ${Math.round(Duration.toMillis(Duration.fromInputUnsafe(retry)))}\n\n`
  const beats = Stream.map(Stream.tick(heartbeat), () => ": still here\n\n")
  const texts = Stream.map(run.follow(after), written)
  return Stream.succeed(first).pipe(
    Stream.concat(Stream.merge(texts, Stream.drop(beats, 1), { haltStrategy: "left" })),
    Stream.map((text) => encoder.encode(text))
  )
}

/** The response. Proxies must neither keep nor collect it. */
export const eventStream = (body: Stream.Stream<Uint8Array>): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.stream(body, {
    contentType: "text/event-stream; charset=utf-8",
    headers: { "cache-control": "no-store", "x-accel-buffering": "no", "x-content-type-options": "nosniff" }
  })

/** The number that a reader names as the last one that it has read; undefined where it names none. */
export const lastEventId = ({ headers }: HttpServerRequest): number | undefined => {
  const id = headers["last-event-id"]
  return id !== undefined && /^\d{1,15}$/u.test(id) ? Number(id) : undefined
}
