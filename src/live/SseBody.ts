/** Writes the events of a run as the body of a response: numbered server-sent events with heartbeats. */
import * as Duration from "effect/Duration"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import type * as LiveRun from "./LiveRun.ts"

/** How events are written. */
export interface SseOptions extends LiveRun.LiveRunOptions {
  /** The interval of heartbeats on a quiet connection. Default 15 seconds. */
  readonly heartbeat?: Duration.Input
  /** How long a browser waits before it reconnects. Default 2 seconds. */
  readonly retry?: Duration.Input
}

const encoder = new TextEncoder()

const written = (entry: LiveRun.Entry): string =>
  entry._tag === "Event"
    ? `id: ${entry.id}\ndata: ${entry.json}\n\n`
    : `event: missed\ndata: ${JSON.stringify({ from: entry.from, to: entry.to })}\n\n`

/** The events of a run after a number. */
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

/** The response. Proxies must neither cache nor buffer it. */
export const eventStream = (body: Stream.Stream<Uint8Array>): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.stream(body, {
    contentType: "text/event-stream; charset=utf-8",
    headers: { "cache-control": "no-store", "x-accel-buffering": "no", "x-content-type-options": "nosniff" }
  })

/** The number of the last event that a reader has received (`Last-Event-ID`); undefined without one. */
export const lastEventId = ({ headers }: HttpServerRequest): number | undefined => {
  const id = headers["last-event-id"]
  return id !== undefined && /^\d{1,15}$/u.test(id) ? Number(id) : undefined
}
