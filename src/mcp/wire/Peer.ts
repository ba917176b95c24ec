/**
 * One side of a JSON-RPC connection: sends requests and notifications, and tracks the requests that are not answered
 * yet.
 *
 * **Details**
 *
 * - When the connection ends, every pending request fails. A broken message fails the request that it seems to answer,
 *   and is added to the error of the next request that gets no answer.
 * - An answer to an unknown request and a second answer are broken messages. The first answer to an abandoned request is
 *   dropped.
 * - 10,000 broken messages in a row end the connection. With `isBounded`, it also ends when the other side sends too much
 *   that answers no request.
 */
import type { JsonObject } from "#domain/json/JsonObject"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Allowance from "./Allowance.ts"
import { broken, ended, McpError } from "./McpError.ts"
import * as Message from "./Message.ts"
import type { OutgoingMessage, Transport } from "./Transport.ts"

/** The result of a request. */
export type RequestResult = Result.Result<Message.Response, McpError>

interface Receiver {
  /** Receives a request from the other side. */
  readonly request: (request: Message.Request) => Effect.Effect<void>
  readonly notification: (notification: Message.Notification) => Effect.Effect<void>
  /** Receives each violation of the protocol by the other side. */
  readonly broken: (error: McpError) => void
  /**
   * True if the other side is a server, whose notifications, requests and wrong answers are bounded: 50,000 messages and
   * 32,000,000 characters, and 1,000 messages and 1,000,000 characters more each second. Default: false.
   */
  readonly isBounded?: boolean
}

export interface Peer {
  /** Sends a request with a new id and returns the id. `settle` is called once, unless the request is abandoned. */
  readonly ask: (write: (id: number) => Omit<OutgoingMessage, "id">, settle: (settled: RequestResult) => void) => number
  /** Abandons a request, whose answer is then dropped. Returns false if it was settled before. */
  readonly giveUp: (id: number) => boolean
  /** Sends a message that expects no answer. */
  readonly tell: (message: OutgoingMessage) => void
  /** Waits until the other side has read enough of the sent messages. */
  readonly room: Effect.Effect<void>
  /** Sends a request and waits for its result. Interruption cancels it at the other side. */
  readonly request: (
    method: string,
    params: JsonObject | undefined,
    options: {
      /** The timeout in milliseconds. Default: none. */
      readonly millis?: number
      /** The request from the other side that this request belongs to. */
      readonly about?: Message.Id
      /** True to notify the other side when the request is abandoned. Default: true. */
      readonly signal?: boolean
      /** The JSON Schema of the call's arguments. */
      readonly schema?: unknown
    }
  ) => Effect.Effect<Message.Response, McpError>
  readonly ended: Effect.Effect<never, McpError>
  /** Ends the connection because the other side misbehaves. */
  readonly end: (error: McpError) => void
}

/** The maximum number of pending requests. */
const maxPending = 1_000

/** How many settled or abandoned requests are kept, to distinguish a late answer from a wrong one. */
const maxSettled = 1_000

/** How many consecutive broken messages end the connection. */
const maxBroken = 10_000

/** The maximum number of messages that answer no request, and of their characters. */
const maxUnasked = {
  messages: { burst: 50_000, perSecond: 1_000 },
  characters: { burst: 32_000_000, perSecond: 1_000_000 }
}

export const make = (transport: Transport, receiver: Receiver): Effect.Effect<Peer> =>
  Effect.gen(function* () {
    const pending = new Map<number, (settled: RequestResult) => void>()
    const settledIds = new Map<number, "answered" | "abandoned">()
    const messages = yield* Allowance.make(maxUnasked.messages)
    const characters = yield* Allowance.make(maxUnasked.characters)
    let ids = 0
    let consecutiveBroken = 0
    let lastBroken: McpError | undefined

    const close = (id: number, how: "answered" | "abandoned") => {
      const settle = pending.get(id)
      if (settle === undefined) return undefined
      pending.delete(id)
      settledIds.set(id, how)
      if (settledIds.size > maxSettled) for (const oldest of settledIds.keys()) if (settledIds.delete(oldest)) break
      return settle
    }
    const fail = (error: McpError) => {
      for (const id of pending.keys()) close(id, "answered")?.(Result.fail(error))
    }
    const fault = (error: McpError) => {
      lastBroken = error
      consecutiveBroken += 1
      receiver.broken(error)
      if (consecutiveBroken >= maxBroken)
        transport.end(new McpError({ ...error, message: `${maxBroken} broken messages in a row. ${error.message}` }))
    }
    /** Counts a message that answers no request. Returns false if it exceeds the limits. */
    const isAllowed = (length: number): boolean => {
      if (receiver.isBounded !== true || (messages.spend(1) && characters.spend(length))) return true
      transport.end(tooMuch)
      return false
    }
    const respond = (response: Message.Response) => {
      const { error, id, place, text } = response
      const number = typeof id === "number" ? id : Number(id)
      const settle = id === null ? undefined : close(number, "answered")
      if (settle !== undefined) {
        consecutiveBroken = 0
        return settle(Result.succeed(response))
      }
      if (!isAllowed(text.length)) return undefined
      if (id === null) return pending.size === 0 ? undefined : fail(refused(error ?? { code: 0, message: "" }))
      const before = settledIds.get(number)
      if (before === "abandoned") return void settledIds.set(number, "answered")
      return fault(broken(before === undefined ? "an answer to an unknown request" : "a second answer", place, text))
    }
    yield* transport.listen((incoming) => {
      if (Result.isFailure(incoming)) {
        const id = Message.guessId(incoming.failure.excerpt ?? "")
        if (isAllowed(0)) fault(incoming.failure)
        if (id !== undefined) close(id, "answered")?.(Result.fail(incoming.failure))
        return Effect.void
      }
      const message = incoming.success
      if (message._tag === "Response") return Effect.sync(() => respond(message))
      if (!isAllowed(message.text.length)) return Effect.void
      consecutiveBroken = 0
      return message._tag === "Request" ? receiver.request(message) : receiver.notification(message)
    })
    let endError: McpError | undefined
    yield* Effect.forkDetach(
      Effect.catch(transport.ended, (error: McpError) =>
        Effect.sync(() => {
          endError = withLast(error, error.reason === "broken_message" ? undefined : lastBroken)
          fail(endError)
        })
      )
    )

    const ask: Peer["ask"] = (write, settle) => {
      const id = (ids += 1)
      if (endError !== undefined) {
        settle(Result.fail(ended(endError)))
        return id
      }
      if (pending.size >= maxPending) {
        settle(
          Result.fail(
            new McpError({ reason: "too_many", message: `${maxPending} requests are waiting for an answer.` })
          )
        )
        return id
      }
      pending.set(id, settle)
      transport.post({ ...write(id), id }, (error) => close(id, "answered")?.(Result.fail(error)))
      return id
    }
    const giveUp = (id: number) => close(id, "abandoned") !== undefined
    const cancel = (id: number) => {
      if (!giveUp(id)) return
      const params = { requestId: id, reason: "The caller no longer waits for the answer." }
      const method = "notifications/cancelled"
      transport.post({ text: Message.notification(method, params), method, params }, () => {})
      transport.abandon(id)
    }
    return {
      ask,
      giveUp,
      tell: (message) => transport.post(message, () => {}),
      room: transport.room,
      ended: transport.ended,
      end: transport.end,
      request: (method, params, { about, millis, schema, signal = true }) => {
        const asking = Effect.callback<Message.Response, McpError>((resume) => {
          const id = ask(
            (id) => ({
              text: Message.request(id, method, params),
              method,
              ...(params === undefined ? {} : { params }),
              ...(about === undefined ? {} : { about }),
              ...(schema === undefined ? {} : { schema })
            }),
            (settled) => resume(Effect.flatMap(Effect.fromResult(settled), unlessRefused))
          )
          return Effect.sync(() => (signal ? cancel(id) : giveUp(id)))
        })
        return millis === undefined
          ? asking
          : Effect.timeoutOrElse(asking, {
              duration: millis,
              orElse: () => Effect.fail(withLast(late(method, millis), lastBroken))
            })
      }
    }
  })

const tooMuch = new McpError({
  reason: "too_large",
  message: `The server sent too much that answers no request: more than ${maxUnasked.messages.burst} messages, or ${maxUnasked.characters.burst} characters.`
})

const unlessRefused = (response: Message.Response): Effect.Effect<Message.Response, McpError> =>
  response.error === undefined ? Effect.succeed(response) : Effect.fail(refused(response.error))

const late = (method: string, millis: number): McpError =>
  new McpError({ reason: "no_answer", message: `No answer to ${method} within ${millis / 1000} seconds.` })

/** Returns the error with which the other side answered. */
const refused = ({ code, data, message }: NonNullable<Message.Response["error"]>): McpError =>
  new McpError({ reason: "refused", message, code, ...(data === undefined ? {} : { data }) })

/** Adds the broken message that may have caused an error. */
const withLast = (error: McpError, last: McpError | undefined): McpError =>
  last === undefined
    ? error
    : new McpError({
        ...fieldsOf(error),
        message: `${error.message} An earlier message broke the protocol: ${last.message}`,
        ...(last.place === undefined ? {} : { place: last.place }),
        ...(last.excerpt === undefined ? {} : { excerpt: last.excerpt })
      })

const fieldsOf = ({ code, data, message, reason, retryAfter }: McpError) => ({
  reason,
  message,
  ...(code === undefined ? {} : { code }),
  ...(data === undefined ? {} : { data }),
  ...(retryAfter === undefined ? {} : { retryAfter })
})
