/**
 * One side of a conversation in JSON-RPC: asks, tells, and keeps account of what has not been answered.
 *
 * **Details**
 *
 * - The death of the connection ends every request that waits. A message that is broken ends the request that it seems to
 *   answer; otherwise it is kept, and told with the request that then gets no answer.
 * - An answer to nothing that was asked, or the second to one request, is a broken message. One that comes after its request
 *   was given up is dropped.
 */
import type { JsonObject } from "#domain/json/JsonObject"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { broken, McpError } from "./McpError.ts"
import * as Message from "./Message.ts"
import type { Outgoing, Transport } from "./Transport.ts"

/** What became of a request. */
export type Settled = Result.Result<Message.Response, McpError>

export interface Receiver {
  /** A request of the other side. */
  readonly request: (request: Message.Request) => Effect.Effect<void>
  readonly notification: (notification: Message.Notification) => Effect.Effect<void>
  /** The other side broke the protocol. */
  readonly broken: (error: McpError) => void
}

export interface Peer {
  /** Sends a request under an id of our own, and gives that id. `settle` is called once, unless it is given up. */
  readonly ask: (write: (id: number) => Omit<Outgoing, "id">, settle: (settled: Settled) => void) => number
  /** Gives a request up: its answer is dropped. False where it was settled before. */
  readonly giveUp: (id: number) => boolean
  /** Sends what waits for no answer. */
  readonly tell: (message: Outgoing) => void
  /** Waits until the other side has read enough of what was sent. */
  readonly room: Effect.Effect<void>
  /** Sends a request and waits for its result; interrupted, it tells the other side. */
  readonly request: (
    method: string,
    params: JsonObject | undefined,
    options: {
      /** Longest time; without it, as long as the connection stands. */
      readonly millis?: number
      /** The request of the other side that it belongs to. */
      readonly about?: Message.Id
      /** Whether the other side is told when nobody waits any more. Default: true. */
      readonly signal?: boolean
      /** The JSON Schema of a call's arguments. */
      readonly schema?: unknown
    }
  ) => Effect.Effect<Message.Response, McpError>
  readonly ended: Effect.Effect<never, McpError>
  /** Ends the connection because of what the other side does. */
  readonly end: (error: McpError) => void
}

/** Most requests that wait for an answer. */
const mostPending = 1_000

/** Settled or given up requests that are remembered, to tell a late answer from a wrong one. */
const mostRemembered = 1_000

/** Broken messages in a row, after which nothing else is expected of the other side. */
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
      const params = { requestId: id, reason: "Nobody waits for the answer any more." }
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

/** The error of the other side. */
export const refused = ({ code, data, message }: NonNullable<Message.Response["error"]>): McpError =>
  new McpError({ reason: "refused", message, code, ...(data === undefined ? {} : { data }) })

/** An error, with the broken message that may be its reason. */
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
