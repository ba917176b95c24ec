/**
 * Presents a streamable HTTP client as a transport that sends each message to the right stream.
 *
 * A message that belongs to a request goes to the stream of the request's answer. Any other message goes to the stream
 * that the client keeps open, otherwise to the stream of the latest request. Without a stream, the message is buffered.
 *
 * A stream holds a limited number of characters for a client that reads slowly. Further messages of the server are
 * dropped and reported, and its further requests fail, so that a server cannot fill the memory. Answers to the client's
 * own requests are always kept.
 */
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { gone, McpError } from "effect-toolguard/internal/mcp/wire/McpError"
import * as Message from "effect-toolguard/internal/mcp/wire/Message"
import type { IncomingMessage, OutgoingMessage, Transport } from "effect-toolguard/internal/mcp/wire/Transport"
import * as Relay from "./Relay.ts"

/** The texts of the messages in one stream, which ends after the answer. */
export interface Answers {
  readonly queue: Queue.Queue<string, Cause.Done>
  /** The number of characters that the client has not read. */
  waiting: number
}

/** Returns the messages of a stream. */
export const messagesOf = (answers: Answers): Stream.Stream<string> =>
  Stream.fromQueue(answers.queue).pipe(
    Stream.tap((text) =>
      Effect.sync(() => {
        answers.waiting -= weightOf(text)
      })
    )
  )

/** Returns the number of characters of a message, with the overhead of the queue. */
const weightOf = (text: string): number => text.length + 100

const newAnswers: Effect.Effect<Answers> = Effect.map(Queue.unbounded<string, Cause.Done>(), (queue) => ({
  queue,
  waiting: 0
}))

const add = (answers: Answers, text: string): void => {
  if (Queue.offerUnsafe(answers.queue, text)) answers.waiting += weightOf(text)
}

/** The transport of one client, or of all stateless clients. */
export interface HttpClientTransport extends Transport {
  /** Receives a request, and returns the stream of its messages. */
  readonly ask: (request: Message.Request) => Effect.Effect<Answers>
  /** Receives a message that has no answer. */
  readonly tell: (message: Message.Notification | Message.Response) => Effect.Effect<void>
  /** Removes a stream that the client no longer reads. */
  readonly remove: (id: Message.Id, answers: Answers) => Effect.Effect<void>
  /** Returns true if a request of the client has no answer yet. */
  readonly isBusy: () => boolean
  /** Opens the stream of messages that belong to no request. A second stream replaces the first. */
  readonly open: Effect.Effect<Answers>
}

/** The maximum number of buffered messages; the oldest are dropped first. */
const maxWaiting = 256

/** The options of a transport. */
interface HttpClientTransportOptions {
  /**
   * True if several clients share the transport. No client may then receive a message that may belong to another
   * client.
   */
  readonly isShared: boolean
  /** The maximum number of characters that a stream holds for a client that reads slowly. */
  readonly buffer: number
  /** Called when the first message of a stream is dropped. */
  readonly onSlow: () => void
}

/** Creates a transport without open streams. */
export const make = Effect.fnUntraced(function* ({
  buffer,
  isShared,
  onSlow
}: HttpClientTransportOptions): Effect.fn.Return<HttpClientTransport> {
  const over = yield* Deferred.make<never, McpError>()
  const streams = new Map<Message.Id, Answers>()
  const tokens = new Map<unknown, Message.Id>()
  const slow = new WeakSet<Answers>()
  const waiting: Array<string> = []
  let waitingCharacters = 0
  let own: Answers | undefined
  const ready = yield* Deferred.make<void>()
  let receive: ((incoming: IncomingMessage) => Effect.Effect<void>) | undefined
  /** Receives a message. A message that arrives before the server is connected waits for the connection. */
  const take = (message: Message.Message): Effect.Effect<void> =>
    receive === undefined
      ? Effect.raceFirst(Deferred.await(ready), Effect.ignore(Deferred.await(over))).pipe(
          Effect.andThen(Effect.suspend(() => receive?.(Result.succeed(message)) ?? Effect.void))
        )
      : receive(Result.succeed(message))

  /** Adds a message that may be dropped. */
  const addIfRoom = (answers: Answers, text: string, lost: (error: McpError) => void) => {
    if (answers.waiting + weightOf(text) <= buffer) return add(answers, text)
    lost(new McpError({ reason: "too_many", message: "The client reads its stream too slowly." }))
    if (slow.has(answers)) return
    slow.add(answers)
    onSlow()
  }

  const post = ({ about, method, params, text }: OutgoingMessage, lost: (error: McpError) => void) => {
    const token = method === "notifications/progress" ? params?.["progressToken"] : undefined
    const to = about ?? tokens.get(token)
    const stream = to === undefined ? undefined : streams.get(to)
    if (stream !== undefined) {
      if (about === undefined || method !== undefined) return addIfRoom(stream, text, lost)
      add(stream, text)
      Queue.endUnsafe(stream.queue)
      streams.delete(about)
      return
    }
    // drops an answer whose client has disconnected
    if (about !== undefined && method === undefined) return
    if (isShared && streams.size !== 1) return
    const any = own ?? [...streams.values()].at(-1)
    if (any !== undefined) return addIfRoom(any, text, lost)
    waiting.push(text)
    waitingCharacters += weightOf(text)
    while (waiting.length > maxWaiting || (waitingCharacters > buffer && waiting.length > 0))
      waitingCharacters -= weightOf(waiting.shift() ?? "")
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
        add(stream, Relay.faultText(id, error))
        Queue.endUnsafe(stream.queue)
      }
      streams.clear()
      if (own !== undefined) Queue.endUnsafe(own.queue)
    },
    ask: (request) =>
      Effect.gen(function* () {
        const stream = yield* newAnswers
        if (streams.has(request.id)) {
          // two answers with one id could not be distinguished, and one stream would get no answer
          add(stream, Message.refusal(request.id, -32_600, "A request with this id is already in progress."))
          Queue.endUnsafe(stream.queue)
          return stream
        }
        streams.set(request.id, stream)
        const token = Relay.tokenOf(request)
        if (token !== undefined) tokens.set(token, request.id)
        yield* take(request)
        return stream
      }),
    tell: take,
    isBusy: () => streams.size > 0,
    remove: (id, answers) =>
      Effect.sync(() => {
        const now = streams.get(id)
        if (now !== undefined && now !== answers) return
        streams.delete(id)
        for (const [token, of] of tokens) if (of === id) tokens.delete(token)
      }),
    open: Effect.gen(function* () {
      if (own !== undefined) Queue.endUnsafe(own.queue)
      const stream = yield* newAnswers
      waitingCharacters = 0
      for (const text of waiting.splice(0)) add(stream, text)
      own = stream
      return stream
    })
  }
})

/** The error with which a session ends when its client ends the session. */
export const ended = gone("The client ended its session.")

/** The error with which the least recently used session ends when there are too many sessions. */
export const displaced = gone(
  "The session was ended for a newer one, because there are too many sessions (--max-sessions)."
)
