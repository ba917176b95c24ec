/**
 * Passes messages between a client and a server, in both directions, as they came: only what concerns tools is ours.
 *
 * **Details**
 *
 * - Requests get ids of our own on their way, so that those of the two sides never meet; answers get the first id back.
 *   Nothing else of a message changes, not even its spelling; but one that two readers could read differently is written anew.
 * - A request that is cancelled is cancelled on the other side, under the id that it has there.
 * - `ours` sees requests of the client first, and answers those that are its own.
 */
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import { McpError } from "effect-toolguard/internal/mcp/wire/McpError"
import * as Message from "effect-toolguard/internal/mcp/wire/Message"
import * as Peer from "effect-toolguard/internal/mcp/wire/Peer"
import * as Splice from "effect-toolguard/internal/mcp/wire/Splice"
import type { Transport } from "effect-toolguard/internal/mcp/wire/Transport"
import type { Waiting } from "./Waiting.ts"

export interface Sides {
  readonly client: Peer.Peer
  readonly server: Peer.Peer
  /** Nothing that the client asked waits for the server's answer. */
  readonly isIdle: () => boolean
}

export interface RelayOptions {
  readonly waiting: Waiting
  /** Answers a request of the client; undefined where it is the server's. */
  readonly ours: (request: Message.Request, sides: Sides) => Effect.Effect<void> | undefined
  /** The client gives up a request of ours. False where it is none. */
  readonly cancelled: (id: Message.Id) => boolean
  /** Hears a notification of the server before the client does; false keeps it back. */
  readonly notified: (notification: Message.Notification, sides: Sides) => Effect.Effect<boolean>
  /** Hears the answer to a request that was passed on. */
  readonly answered: (request: Message.Request, settled: Peer.Settled) => void
  readonly broken: (side: "client" | "server", error: McpError) => void
  /** Hears of the two before any message is handed over. */
  readonly ready?: (sides: Sides) => void
  /** Longest time for the answer to `initialize`, in milliseconds. Other requests wait as long as their client does. */
  readonly helloMillis: number
}

const cancelMethod = "notifications/cancelled"

/** What a person may take long over. A server that asks anything else cannot stretch the time of its calls. */
const askUser: ReadonlySet<string> = new Set(["elicitation/create", "sampling/createMessage"])

/** Connects the two. */
export const make = (client: Transport, server: Transport, options: RelayOptions): Effect.Effect<Sides> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const ready = yield* Deferred.make<Sides>()
    const held: { sides: Sides | undefined } = { sides: undefined }
    const withSides = (use: (sides: Sides) => Effect.Effect<void>): Effect.Effect<void> =>
      held.sides === undefined ? Effect.flatMap(Deferred.await(ready), use) : use(held.sides)
    /** Ids under which requests wait on the other side. */
    const ofClient = new Map<Message.Id, number>()
    const ofServer = new Map<Message.Id, number>()
    /** Requests of the server that a person at the client may be reading: times stand still. */
    const read = new Set<Message.Id>()
    const begin = ({ id, method }: Message.Request) => {
      if (!askUser.has(method) || read.has(id)) return Effect.void
      read.add(id)
      return options.waiting.begin
    }
    const finish = (id: Message.Id) => {
      if (read.delete(id)) Effect.runForkWith(context)(options.waiting.finish)
    }
    const cancel = (to: Peer.Peer, table: Map<Message.Id, number>, message: Message.Notification) => {
      const { requestId } = message.params
      const id = table.get(requestId as Message.Id)
      if (id === undefined || !to.giveUp(id)) return
      table.delete(requestId as Message.Id)
      if (table === ofServer) finish(requestId as Message.Id)
      const params = { ...message.params, requestId: id }
      to.tell({ text: JSON.stringify({ ...message.value, params }), method: cancelMethod, params })
    }

    const serverPeer = yield* Peer.make(server, {
      request: (request) =>
        withSides(({ client, server }) =>
          Effect.andThen(
            begin(request),
            pass(request, server, client, ofServer, () => finish(request.id))
          )
        ),
      notification: (notification) =>
        withSides((both) => {
          if (notification.method === cancelMethod) {
            cancel(both.client, ofServer, notification)
            return Effect.void
          }
          return Effect.flatMap(options.notified(notification, both), (isPassed) => {
            if (!isPassed) return Effect.void
            both.client.tell(notification)
            return both.client.room
          })
        }),
      broken: (error) => options.broken("server", error)
    })
    const clientPeer = yield* Peer.make(client, {
      request: (request) =>
        withSides(
          (both) =>
            options.ours(request, both) ??
            pass(
              request,
              both.client,
              both.server,
              ofClient,
              (settled) => options.answered(request, settled),
              request.method === "initialize" ? options.helloMillis : undefined
            )
        ),
      notification: (notification) =>
        withSides(({ server }) => {
          if (notification.method === cancelMethod) {
            if (!options.cancelled(notification.params["requestId"] as Message.Id))
              cancel(server, ofClient, notification)
            return Effect.void
          }
          const { text, value } = notification
          server.tell(Splice.isAmbiguous(text) ? { ...notification, text: JSON.stringify(value) } : notification)
          return server.room
        }),
      broken: (error) => options.broken("client", error)
    })
    const sides = { client: clientPeer, server: serverPeer, isIdle: () => ofClient.size === 0 }
    options.ready?.(sides)
    held.sides = sides
    yield* Deferred.succeed(ready, sides)
    return sides
  })

/** Passes a request on, and its answer back. */
const pass = (
  request: Message.Request,
  from: Peer.Peer,
  to: Peer.Peer,
  table: Map<Message.Id, number>,
  answered: (settled: Peer.Settled) => void,
  millis?: number
): Effect.Effect<void> =>
  Effect.suspend(() => {
    let isOver = false
    let timer: Fiber.Fiber<void> | undefined
    const id = to.ask(
      (id) => ({ text: withId(request, id), method: request.method, params: request.params }),
      (settled) => {
        isOver = true
        timer?.interruptUnsafe()
        table.delete(request.id)
        answered(settled)
        from.tell({ text: answerText(request.id, settled), about: request.id })
      }
    )
    if (!isOver) table.set(request.id, id)
    if (millis === undefined) return to.room
    const late = new McpError({
      reason: "no_answer",
      message: `The server did not answer ${request.method} within ${millis / 1000} seconds.`
    })
    const refuse = Effect.sync(() => {
      if (!to.giveUp(id)) return
      table.delete(request.id)
      from.tell({ text: faultText(request.id, late), about: request.id })
    })
    return Effect.map(Effect.forkDetach(Effect.andThen(Effect.sleep(millis), refuse)), (fiber) => {
      if (isOver) fiber.interruptUnsafe()
      else timer = fiber
    })
  })

const withId = ({ text, value }: Message.Request | Message.Response, id: Message.Id): string =>
  Splice.withId(text, id) ?? JSON.stringify({ ...value, id })

const answerText = (id: Message.Id, settled: Peer.Settled): string =>
  Result.isSuccess(settled) ? withId(settled.success, id) : faultText(id, settled.failure)

/** The code of an error of ours: it is free for servers, and the SDKs use it for a closed connection. */
const ourCode = -32_000

/** A fault of the connection, as the answer to a request. */
export const faultText = (id: Message.Id, { code, data, message, place, reason }: McpError): string =>
  reason === "refused" && code !== undefined
    ? Message.refusal(id, code, message, data)
    : Message.refusal(id, ourCode, message, { reason, ...(place === undefined ? {} : { place }) })

/** The token of a progress notification. */
export const progressToken = ({ method, params }: Message.Notification): unknown =>
  method === "notifications/progress" ? params["progressToken"] : undefined

/** The token under which a request wants to hear of progress. */
export const tokenOf = ({ params }: Message.Request): unknown => {
  const meta = params["_meta"]
  return isJsonObject(meta) ? meta["progressToken"] : undefined
}
