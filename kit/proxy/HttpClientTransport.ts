/**
 * Makes a client of streamable HTTP a transport, which sends each message to the right stream.
 *
 * A message that belongs to a request goes to the stream of the request's answer. Any other message goes to the stream
 * that the client keeps open, otherwise to the stream of the latest request. Without a stream, the message is buffered.
 */
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import { gone, type McpError } from "effect-toolguard/internal/mcp/wire/McpError"
import * as Message from "effect-toolguard/internal/mcp/wire/Message"
import type { Incoming, Outgoing, Transport } from "effect-toolguard/internal/mcp/wire/Transport"
import * as Relay from "./Relay.ts"

/** The texts of the messages in one stream, which ends after the answer. */
export type Answers = Queue.Queue<string, Cause.Done>

/** The transport of one client, or of all stateless clients. */
export interface HttpClientTransport extends Transport {
  /** Receives a request, and returns the stream of its messages. */
  readonly ask: (request: Message.Request) => Effect.Effect<Answers>
  /** Receives a message that has no answer. */
  readonly tell: (message: Message.Notification | Message.Response) => Effect.Effect<void>
  /** Removes a stream that the client no longer reads. */
  readonly remove: (id: Message.Id, answers: Answers) => Effect.Effect<void>
  /** Opens the stream of messages that belong to no request. A second stream replaces the first. */
  readonly open: Effect.Effect<Answers>
}

/** The maximum number of buffered messages; the oldest are dropped first. */
const mostWaiting = 256

/** The options of a transport. */
interface HttpClientTransportOptions {
  /**
   * True if several clients share the transport. No client may then receive a message that may belong to another
   * client.
   */
  readonly isShared: boolean
}

/** Creates a transport without open streams. */
export const make = Effect.fnUntraced(function* ({
  isShared
}: HttpClientTransportOptions): Effect.fn.Return<HttpClientTransport> {
  const over = yield* Deferred.make<never, McpError>()
  const streams = new Map<Message.Id, Answers>()
  const tokens = new Map<unknown, Message.Id>()
  const waiting: Array<string> = []
  let own: Answers | undefined
  const ready = yield* Deferred.make<void>()
  let receive: ((incoming: Incoming) => Effect.Effect<void>) | undefined
  /** Receives a message. A message that arrives before the server is connected waits for the connection. */
  const take = (message: Message.Message): Effect.Effect<void> =>
    receive === undefined
      ? Effect.raceFirst(Deferred.await(ready), Effect.ignore(Deferred.await(over))).pipe(
          Effect.andThen(Effect.suspend(() => receive?.(Result.succeed(message)) ?? Effect.void))
        )
      : receive(Result.succeed(message))

  const post = ({ about, method, params, text }: Outgoing) => {
    const token = method === "notifications/progress" ? params?.["progressToken"] : undefined
    const to = about ?? tokens.get(token)
    const stream = to === undefined ? undefined : streams.get(to)
    if (stream !== undefined) {
      Queue.offerUnsafe(stream, text)
      if (about === undefined || method !== undefined) return
      Queue.endUnsafe(stream)
      streams.delete(about)
      return
    }
    // drops an answer whose client has disconnected
    if (about !== undefined && method === undefined) return
    if (isShared && streams.size !== 1) return
    const any = own ?? [...streams.values()].at(-1)
    if (any !== undefined) Queue.offerUnsafe(any, text)
    else if (waiting.push(text) > mostWaiting) waiting.shift()
  }
  return {
    post,
    listen: (receiver) =>
      Effect.suspend(() => {
        receive = receiver
        return Effect.asVoid(Deferred.succeed(ready, undefined))
      }),
    abandon: () => {},
    room: Effect.void,
    ended: Deferred.await(over),
    end: (error) => {
      Deferred.doneUnsafe(over, Effect.fail(error))
      for (const [id, stream] of streams) {
        Queue.offerUnsafe(stream, Relay.faultText(id, error))
        Queue.endUnsafe(stream)
      }
      streams.clear()
      if (own !== undefined) Queue.endUnsafe(own)
    },
    ask: (request) =>
      Effect.gen(function* () {
        const stream: Answers = yield* Queue.unbounded<string, Cause.Done>()
        if (streams.has(request.id)) {
          // two answers with one id could not be distinguished, and one stream would get no answer
          Queue.offerUnsafe(
            stream,
            Message.refusal(request.id, -32_600, "A request with this id is already in progress.")
          )
          Queue.endUnsafe(stream)
          return stream
        }
        streams.set(request.id, stream)
        const token = Relay.tokenOf(request)
        if (token !== undefined) tokens.set(token, request.id)
        yield* take(request)
        return stream
      }),
    tell: take,
    remove: (id, answers) =>
      Effect.sync(() => {
        const now = streams.get(id)
        if (now !== undefined && now !== answers) return
        streams.delete(id)
        for (const [token, of] of tokens) if (of === id) tokens.delete(token)
      }),
    open: Effect.gen(function* () {
      if (own !== undefined) Queue.endUnsafe(own)
      const stream: Answers = yield* Queue.unbounded<string, Cause.Done>()
      for (const text of waiting.splice(0)) Queue.offerUnsafe(stream, text)
      own = stream
      return stream
    })
  }
})

/** The error with which a session ends when its client ends the session. */
export const ended = gone("The client ended its session.")
