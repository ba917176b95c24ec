/**
 * One side of a JSON-RPC connection: sends requests and notifications, and tracks the requests that are not answered yet.
 *
 * **Details**
 *
 * - The end of the connection ends every waiting request. A broken message ends the request that it seems to answer; if none,
 *   it is remembered and reported with the next request that gets no answer.
 * - An answer to an unknown request, or a second answer, is a broken message. An answer to an abandoned request is dropped.
 */
import type { JsonObject } from "#domain/json/JsonObject"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { broken, McpError } from "./McpError.ts"
import * as Message from "./Message.ts"
import type { Outgoing, Transport } from "./Transport.ts"

/** The result of a request. */
export type Settled = Result.Result<Message.Response, McpError>

interface Receiver {
  /** A request from the other side. */
  readonly request: (request: Message.Request) => Effect.Effect<void>
  readonly notification: (notification: Message.Notification) => Effect.Effect<void>
  /** The other side broke the protocol. */
  readonly broken: (error: McpError) => void
}

export interface Peer {
  /** Sends a request under a new id, and returns the id. `settle` is called once, unless the request is abandoned. */
  readonly ask: (write: (id: number) => Omit<Outgoing, "id">, settle: (settled: Settled) => void) => number
  /** Abandons a request: its answer is dropped. False if it was settled before. */
  readonly giveUp: (id: number) => boolean
  /** Sends a message that expects no answer. */
  readonly tell: (message: Outgoing) => void
  /** Waits until the other side has read enough of the sent messages. */
  readonly room: Effect.Effect<void>
  /** Sends a request and waits for its result. Interruption cancels it at the other side. */
  readonly request: (
    method: string,
    params: JsonObject | undefined,
    options: {
      /** The maximum time in milliseconds; by default as long as the connection lasts. */
      readonly millis?: number
      /** The request from the other side that it belongs to. */
      readonly about?: Message.Id
      /** Whether the other side is notified when the request is abandoned. Default: true. */
      readonly signal?: boolean
      /** The JSON Schema of the call's arguments. */
      readonly schema?: unknown
    }
  ) => Effect.Effect<Message.Response, McpError>
  readonly ended: Effect.Effect<never, McpError>
  /** Ends the connection because the other side misbehaves. */
  readonly end: (error: McpError) => void
}

/** The maximum number of waiting requests. */
const mostPending = 1_000

/** How many settled or abandoned requests are remembered, to distinguish a late answer from a wrong one. */
const mostRemembered = 1_000

/** How many consecutive broken messages end the connection. */
const mostBroken = 10_000

export const make = (transport: Transport, receiver: Receiver): Effect.Effect<Peer> =>
  Effect.gen(function* () {
    const pending = new Map<number, (settled: Settled) => void>()
    const over = new Map<number, "answered" | "given up">()
    let ids = 0
    let inARow = 0
    let last: McpError | undefined

    const close = (id: number, how: "answered" | "given up") => {
      const settle = pending.get(id)
      if (settle === undefined) return undefined
      pending.delete(id)
      over.set(id, how)
      if (over.size > mostRemembered) for (const oldest of over.keys()) if (over.delete(oldest)) break
      return settle
    }
    const fail = (error: McpError) => {
      for (const id of pending.keys()) close(id, "answered")?.(Result.fail(error))
    }
    const fault = (error: McpError) => {
      last = error
      inARow += 1
      receiver.broken(error)
      if (inARow >= mostBroken)
        transport.end(new McpError({ ...error, message: `${mostBroken} broken messages in a row. ${error.message}` }))
    }
    const respond = (response: Message.Response) => {
      const { error, id, place, text } = response
      if (id === null) return fail(refused(error ?? { code: 0, message: "" }))
      const number = typeof id === "number" ? id : Number(id)
      const settle = close(number, "answered")
      if (settle !== undefined) return settle(Result.succeed(response))
      const before = over.get(number)
      if (before === "given up") return undefined
      return fault(broken(before === undefined ? "an answer that nobody asked for" : "a second answer", place, text))
    }
    yield* transport.listen((incoming) => {
      if (Result.isFailure(incoming)) {
        const id = Message.guessId(incoming.failure.excerpt ?? "")
        fault(incoming.failure)
        if (id !== undefined) close(id, "answered")?.(Result.fail(incoming.failure))
        return Effect.void
      }
      const message = incoming.success
      inARow = 0
      if (message._tag === "Response") return Effect.sync(() => respond(message))
      return message._tag === "Request" ? receiver.request(message) : receiver.notification(message)
    })
    let dead: McpError | undefined
    yield* Effect.forkDetach(
      Effect.catch(transport.ended, (error: McpError) =>
        Effect.sync(() => {
          dead = withLast(error, error.reason === "broken_message" ? undefined : last)
          fail(dead)
        })
      )
    )

    const ask: Peer["ask"] = (write, settle) => {
      const id = (ids += 1)
      if (dead !== undefined) {
        settle(Result.fail(dead))
        return id
      }
      if (pending.size >= mostPending) {
        settle(
          Result.fail(new McpError({ reason: "too_many", message: `${mostPending} requests wait for an answer.` }))
        )
        return id
      }
      pending.set(id, settle)
      transport.post({ ...write(id), id }, (error) => close(id, "answered")?.(Result.fail(error)))
      return id
    }
    const giveUp = (id: number) => close(id, "given up") !== undefined
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
              orElse: () => Effect.fail(withLast(late(method, millis), last))
            })
      }
    }
  })

const unlessRefused = (response: Message.Response): Effect.Effect<Message.Response, McpError> =>
  response.error === undefined ? Effect.succeed(response) : Effect.fail(refused(response.error))

const late = (method: string, millis: number): McpError =>
  new McpError({ reason: "no_answer", message: `No answer to ${method} within ${millis / 1000} seconds.` })

/** An error that the other side answered. */
const refused = ({ code, data, message }: NonNullable<Message.Response["error"]>): McpError =>
  new McpError({ reason: "refused", message, code, ...(data === undefined ? {} : { data }) })

/** An error with the broken message that may have caused it. */
const withLast = (error: McpError, last: McpError | undefined): McpError =>
  last === undefined
    ? error
    : new McpError({
        ...fieldsOf(error),
        message: `${error.message} It broke the protocol before: ${last.message}`,
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
