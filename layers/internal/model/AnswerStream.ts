/**
 * Requests a streamed answer from a provider and reads it, within limits. The provider's protocol interprets the
 * events.
 *
 * - A stream that ends before its answer is complete was cut: the request fails as transient, and no call is emitted. A
 *   connection that breaks after the answer was complete has no effect.
 * - An event may have at most `maxBytes` characters. The same limit applies to the whole answer, as counted by its
 *   `StreamReader`.
 * - Silence of more than `timeout` fails the request; comments and events without content count as silence.
 * - If a server sends a complete answer although a stream was requested, the answer is read.
 */
import type * as AiError from "effect/ai/AiError"
import type * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import * as Sse from "effect/encoding/Sse"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Stream from "effect/Stream"
import * as Fields from "#domain/json/Fields"
import type { JsonObject } from "#domain/json/JsonObject"
import * as ModelResponse from "#domain/transcript/ModelResponse"
import * as Failures from "./Failures.ts"
import * as Http from "./Http.ts"

type Reason = AiError.AiErrorReason
type Parts = ReadonlyArray<Response.StreamPartEncoded>

/** Reads the data of each event. A last event without its blank line counts if it is complete. */
const eventsOf = (
  bytes: Stream.Stream<Uint8Array, Reason>,
  { maxBytes, protocol }: Http.Endpoint
): Stream.Stream<string, Reason> =>
  Stream.suspend(() => {
    const found: Array<string> = []
    const onEvent = (event: Sse.AnyEvent) => {
      if (event._tag === "Event") found.push(event.data)
    }
    const parser = Sse.makeParser(onEvent, { maxEventSize: maxBytes })
    const isWhole = (data: string) => data.trim() === protocol.endMark || Http.parse(data) !== undefined
    return Stream.mapAccumEffect(
      Stream.decodeText(bytes),
      () => undefined,
      (state, text) =>
        parser.feed(text) === undefined
          ? Effect.succeed([state, found.splice(0)] as const)
          : Effect.fail(Failures.invalid(`an event exceeds ${maxBytes} characters`)),
      {
        onHalt: () => {
          parser.feed("\n\n")
          return found.splice(0).filter(isWhole)
        }
      }
    )
  })

const readEvents = (
  endpoint: Http.Endpoint,
  response: HttpClientResponse.HttpClientResponse,
  takenIds: ReadonlySet<string>
): Stream.Stream<Response.StreamPartEncoded, Reason> =>
  Stream.suspend(() => {
    const { maxBytes, protocol, timeout } = endpoint
    const reader = protocol.readStream(takenIds)
    let events = 0
    let hasEndMark = false
    let problem: Reason | undefined
    const progress = () => (hasEndMark ? "over" : reader.progress())

    const violation = (event: JsonObject, sentence: string): Reason => {
      const type = Fields.string(event["type"])
      const text = `event ${events}${type === "" ? "" : ` (${type})`}: ${sentence}`
      return Failures.invalid(Failures.withoutSecret(text, Http.secretOf(endpoint)))
    }

    const read = (data: string): Effect.Effect<Parts, Reason> => {
      if (data.trim() === protocol.endMark) {
        hasEndMark = true
        return Effect.succeed([])
      }
      events += 1
      const event = Http.parse(data)
      if (typeof event !== "object" || event === null) {
        return Effect.fail(Failures.broken(`event ${events} is not JSON`))
      }
      if (protocol.errorIn(event) !== undefined) return Http.refuse(endpoint, { headers: response.headers }, event)
      const fields = Fields.of(event)
      const parts = reader.read(fields)
      if (typeof parts === "string") return Effect.fail(violation(fields, parts))
      return reader.size() + events * protocol.eventSize > maxBytes
        ? Effect.fail(Failures.invalid(`the answer exceeds ${maxBytes} characters`))
        : Effect.succeed(parts)
    }

    const cut = (): Reason =>
      problem ?? Failures.cut("the stream ended before the answer was complete", Failures.addressOf(endpoint.url))
    const finish = Effect.suspend(() =>
      progress() === "incomplete" ? Effect.fail(cut()) : Effect.fromResult(reader.finish())
    )

    return response.stream.pipe(
      Stream.mapError(Http.transport(endpoint)),
      (bytes) => eventsOf(bytes, endpoint),
      Stream.catch((reason) => {
        problem = reason
        return Stream.empty
      }),
      Stream.mapEffect(read),
      Stream.takeUntil(() => progress() === "over"),
      Stream.flatMap(Stream.fromIterable),
      Stream.concat(Stream.fromIterableEffect(finish)),
      Stream.timeoutOrElse({
        duration: timeout,
        orElse: () => {
          problem = Http.silent(endpoint)
          return Stream.fromIterableEffect(finish)
        }
      })
    )
  })

const argumentsText = ({ params }: Response.ToolCallPartEncoded): string =>
  Fields.string(params) || JSON.stringify(params)

/** Requests a streamed answer. */
export const request = (
  endpoint: Http.Endpoint,
  prepared: Http.Request
): Stream.Stream<Response.StreamPartEncoded, Reason> =>
  Effect.gen(function* () {
    const response = yield* Http.send(endpoint, prepared)
    const type = response.headers["content-type"] ?? ""
    if (!/json|html/iu.test(type)) return readEvents(endpoint, response, prepared.takenIds)
    const parts = yield* Http.readWhole(endpoint, response, prepared.takenIds)
    return Stream.fromIterable(ModelResponse.toStream(parts, argumentsText))
  }).pipe(Http.inTime(endpoint), Stream.unwrap)
