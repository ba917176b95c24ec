/** Writes the events of a run as a response body: numbered server-sent events with heartbeats. */
import * as Duration from "effect/Duration"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import type * as LiveRun from "./LiveRun.ts"

/** Options of an event stream. */
export interface SseOptions extends LiveRun.LiveRunOptions {
  /** The interval of heartbeats on a quiet connection. Default 15 seconds. */
  readonly heartbeat?: Duration.Input
  /** The delay before a browser reconnects. Default 2 seconds. */
  readonly retry?: Duration.Input
}

const encoder = new TextEncoder()

const messageOf = (entry: LiveRun.Entry): string =>
  entry._tag === "Event"
    ? `id: ${entry.id}\ndata: ${entry.json}\n\n`
    : `event: missed\ndata: ${JSON.stringify({ from: entry.from, to: entry.to })}\n\n`

/** Returns the events of a run after a number as a response body. */
export const bodyOf = (
  run: LiveRun.LiveRun,
  after: number,
  { heartbeat = "15 seconds", retry = "2 seconds" }: SseOptions
): Stream.Stream<Uint8Array> => {
  const first = `retry: ${Math.round(Duration.toMillis(Duration.fromInputUnsafe(retry)))}\n\n`
  const heartbeats = Stream.map(Stream.tick(heartbeat), () => ": heartbeat\n\n")
  const messages = Stream.map(run.follow(after), messageOf)
  return Stream.succeed(first).pipe(
    Stream.concat(Stream.merge(messages, Stream.drop(heartbeats, 1), { haltStrategy: "left" })),
    Stream.map((text) => encoder.encode(text))
  )
}

/** Returns an event stream as a response, with headers that keep proxies from caching or buffering the stream. */
export const eventStream = (body: Stream.Stream<Uint8Array>): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.stream(body, {
    contentType: "text/event-stream; charset=utf-8",
    headers: { "cache-control": "no-store", "x-accel-buffering": "no", "x-content-type-options": "nosniff" }
  })

/**
 * Returns the number of the last event that a reader has received (`Last-Event-ID`); undefined if the request states no
 * number.
 */
export const lastEventId = ({ headers }: HttpServerRequest): number | undefined => {
  const id = headers["last-event-id"]
  return id !== undefined && /^\d{1,15}$/u.test(id) ? Number(id) : undefined
}
