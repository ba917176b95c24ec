/**
 * Relays messages between a client and a server in both directions.
 *
 * **Details**
 *
 * - A notification with the method of a request, such as `tools/call` without an id, is dropped. A request whose method
 *   is another spelling of a known method is refused. Some servers execute both, and the guard would not see the call.
 * - A relayed request gets a new id, so that the ids of the two sides never collide. Its response gets the original id
 *   back. Everything else stays unchanged, even the formatting. Only a message that two parsers could read differently
 *   is serialised again.
 * - A cancelled request is cancelled on the other side too, with the id that it has there.
 * - `answer` receives the client's requests first, and answers the requests that the proxy handles.
 */
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import { broken, McpError } from "effect-toolguard/internal/mcp/wire/McpError"
import * as Message from "effect-toolguard/internal/mcp/wire/Message"
import * as Peer from "effect-toolguard/internal/mcp/wire/Peer"
import * as Spelling from "effect-toolguard/internal/mcp/wire/Spelling"
import * as MessageId from "effect-toolguard/internal/mcp/wire/MessageId"
import type { Transport } from "effect-toolguard/internal/mcp/wire/Transport"
import type { PausableTimeout } from "./PausableTimeout.ts"

/** The two connected peers. */
export interface Sides {
  readonly client: Peer.Peer
  readonly server: Peer.Peer
  /** Returns true if no request of the client is waiting for the server's answer. */
  readonly isIdle: () => boolean
}

/** The proxy's part in the relay. */
interface RelayOptions {
  readonly timeout: PausableTimeout
  /** Returns true if a request of the client with this id is being answered. */
  readonly isAnswering: (id: Message.Id) => boolean
  /** Returns true if the client has declared a capability. */
  readonly hasCapability: (name: string) => boolean
  /** Answers a request of the client. Returns `undefined` if the server must answer the request. */
  readonly answer: (request: Message.Request, sides: Sides) => Effect.Effect<void> | undefined
  /** Cancels a request that the proxy is answering. Returns false for any other request. */
  readonly cancelled: (id: Message.Id) => boolean
  /** Receives a notification of the server before the client does. Returns false to withhold it. */
  readonly notified: (notification: Message.Notification, sides: Sides) => Effect.Effect<boolean>
  /** Receives the answer to a relayed request. */
  readonly answered: (request: Message.Request, settled: Peer.RequestResult) => void
  /** Receives violations of the protocol. */
  readonly broken: (side: "client" | "server", error: McpError) => void
  /** Receives both sides before any message is relayed. */
  readonly ready?: (sides: Sides) => void
  /** The timeout of `initialize`, in milliseconds. Other requests wait as long as the client does. */
  readonly initializeMillis: number
}

const cancelMethod = "notifications/cancelled"

/**
 * The requests of a server that a person may answer slowly, each with the capability that a client needs for it.
 * Timeouts pause only during these requests.
 */
const askUser: ReadonlyMap<string, string> = new Map([
  ["elicitation/create", "elicitation"],
  ["sampling/createMessage", "sampling"]
])

/** Connects the two sides. */
export const make = (client: Transport, server: Transport, options: RelayOptions): Effect.Effect<Sides> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const ready = yield* Deferred.make<Sides>()
    const connected: { sides: Sides | undefined } = { sides: undefined }
    const withSides = (use: (sides: Sides) => Effect.Effect<void>): Effect.Effect<void> =>
      connected.sides === undefined ? Effect.flatMap(Deferred.await(ready), use) : use(connected.sides)
    /**
     * The ids that the client's relayed requests have on the server's side. `ofServer` has the ids that the server's
     * requests have on the client's side.
     */
    const ofClient = new Map<Message.Id, number>()
    const ofServer = new Map<Message.Id, number>()
    /** The requests of the server that the client's user may be reading. Timeouts pause while there are any. */
    const questions = new Set<Message.Id>()
    const pause = ({ id, method }: Message.Request) => {
      const capability = askUser.get(method)
      if (capability === undefined || !options.hasCapability(capability) || questions.has(id)) return Effect.void
      questions.add(id)
      return options.timeout.pause
    }
    const resume = (id: Message.Id) => {
      if (questions.delete(id)) Effect.runForkWith(context)(options.timeout.resume)
    }
    // if the id has another type, the table does not contain it
    const cancel = (to: Peer.Peer, table: Map<Message.Id, number>, message: Message.Notification) => {
      const { requestId } = message.params
      const id = table.get(requestId as Message.Id)
      if (id === undefined || !to.giveUp(id)) return
      table.delete(requestId as Message.Id)
      if (table === ofServer) resume(requestId as Message.Id)
      const params = { ...message.params, requestId: id }
      to.tell({ text: JSON.stringify({ ...message.value, params }), method: cancelMethod, params })
    }

    const serverPeer = yield* Peer.make(server, {
      request: (request) =>
        withSides(({ client, server }) =>
          Effect.andThen(
            pause(request),
            Effect.andThen(
              pass(request, server, client, ofServer, () => resume(request.id)),
              // a server that floods requests is not read until it reads the answers
              server.room
            )
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
      broken: (error) => options.broken("server", error),
      isBounded: true
    })
    /** Reports a message of the client that is not relayed. */
    const refuse = ({ place, text }: Message.Request | Message.Notification, what: string): McpError => {
      const error = broken(what, place, text)
      options.broken("client", error)
      return error
    }
    const clientPeer = yield* Peer.make(client, {
      request: (request) =>
        withSides((both) => {
          const known = Spelling.requestOf(request.method)
          const fault =
            known !== undefined && known !== request.method
              ? `its \`method\` can be mistaken for ${known}`
              : ofClient.has(request.id) || options.isAnswering(request.id)
                ? "a request with its `id` is already in progress"
                : undefined
          if (fault !== undefined) {
            const { message } = refuse(request, fault)
            both.client.tell({ text: Message.refusal(request.id, -32_600, message), about: request.id })
            return both.client.room
          }
          return (
            options.answer(request, both) ??
            pass(
              request,
              both.client,
              both.server,
              ofClient,
              (settled) => options.answered(request, settled),
              request.method === "initialize" ? options.initializeMillis : undefined
            )
          )
        }),
      notification: (notification) =>
        withSides(({ server }) => {
          const known = Spelling.requestOf(notification.method)
          // a server that ignores the missing id would execute the call, past the guard
          if (known !== undefined) {
            refuse(notification, `${known} without an \`id\``)
            return Effect.void
          }
          if (notification.method === cancelMethod) {
            // if the id has another type, it belongs to no request
            if (!options.cancelled(notification.params["requestId"] as Message.Id))
              cancel(server, ofClient, notification)
            return Effect.void
          }
          const { text, value } = notification
          server.tell(MessageId.isAmbiguous(text) ? { ...notification, text: JSON.stringify(value) } : notification)
          return server.room
        }),
      broken: (error) => options.broken("client", error)
    })
    const sides = { client: clientPeer, server: serverPeer, isIdle: () => ofClient.size === 0 }
    options.ready?.(sides)
    connected.sides = sides
    yield* Deferred.succeed(ready, sides)
    return sides
  })

/** Relays a request, and relays its answer back. */
const pass = (
  request: Message.Request,
  from: Peer.Peer,
  to: Peer.Peer,
  table: Map<Message.Id, number>,
  answered: (settled: Peer.RequestResult) => void,
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
  MessageId.withId(text, id) ?? JSON.stringify({ ...value, id })

const answerText = (id: Message.Id, settled: Peer.RequestResult): string =>
  Result.isSuccess(settled) ? withId(settled.success, id) : faultText(id, settled.failure)

/** The code of the proxy's errors. Servers may define it, and the SDKs use it for a closed connection. */
const ownCode = -32_000

/** Formats a connection error as the answer to a request. */
export const faultText = (id: Message.Id, { code, data, message, place, reason }: McpError): string =>
  reason === "refused" && code !== undefined
    ? Message.refusal(id, code, message, data)
    : Message.refusal(id, ownCode, message, { reason, ...(place === undefined ? {} : { place }) })

/** Returns the token of a progress notification. */
export const progressToken = ({ method, params }: Message.Notification): unknown =>
  method === "notifications/progress" ? params["progressToken"] : undefined

/** Returns the token with which a request asks for progress notifications. */
export const tokenOf = ({ params }: Message.Request): unknown => {
  const meta = params["_meta"]
  return isJsonObject(meta) ? meta["progressToken"] : undefined
}
