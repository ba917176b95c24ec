/**
 * Manages the sessions of HTTP clients. Each session has a separate connection to the server. Sessions that got no
 * request for an hour, and have none in progress, end when the next session opens.
 *
 * Clients cannot be distinguished: they have the same address and, if there is a token, the same token. Therefore, when
 * there are too many sessions, a session without a request in progress ends: the oldest session that sent nothing after
 * `initialize`, so that a client that only opens sessions ends its own sessions; otherwise the session with the oldest
 * request.
 *
 * Stateless requests (protocol 2026-07-28) share one session. They get new ids, because different clients use the same
 * ids.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import type { McpError } from "effect-toolguard/internal/mcp/wire/McpError"
import * as Message from "effect-toolguard/internal/mcp/wire/Message"
import * as HttpClientTransport from "./HttpClientTransport.ts"
import * as Relay from "./Relay.ts"

/** A session of one client, or the shared session. */
export interface Session {
  readonly id: string
  readonly client: HttpClientTransport.HttpClientTransport
  /** Ends the session. `error` is what its open streams report. */
  readonly end: (error: McpError) => Effect.Effect<void>
  /** True if the client has sent a message after the message that opened the session. */
  isUsed: boolean
  usedAt: number
}

/** The open sessions. */
export interface Sessions {
  /** Opens a session. Returns `undefined` if there are too many sessions with requests in progress. */
  readonly open: Effect.Effect<Session | undefined>
  readonly find: (id: string) => Effect.Effect<Session | undefined>
  /** Returns the shared session of stateless requests. Opens it if necessary, as `open` does. */
  readonly shared: Effect.Effect<Session | undefined>
  /** Gives a stateless request a new id, which is also its progress token. */
  readonly withNewId: (request: Message.Request) => Message.Request
}

const longestIdleMillis = 3_600_000

/** The options of the sessions, and of the transport of each client. */
interface SessionsOptions extends Omit<Parameters<typeof HttpClientTransport.make>[0], "isShared"> {
  /** The maximum number of sessions. */
  readonly maxSessions: number
}

/** Creates the sessions. `run` runs one session over a client's transport; `fresh` generates an unguessable id. */
export const make = (
  run: (client: HttpClientTransport.HttpClientTransport, id: string) => Effect.Effect<never, McpError, Scope.Scope>,
  fresh: Effect.Effect<string>,
  { maxSessions, ...options }: SessionsOptions
): Effect.Effect<Sessions, never, Scope.Scope> =>
  Effect.gen(function* () {
    const outer = yield* Effect.scope
    /** Ordered by the last request. */
    const sessions = new Map<string, Session>()
    let count = 0
    /** The id of the shared session. It is secret, so that no client can use the session directly. */
    const sharedId = yield* fresh
    const prefix = yield* fresh
    const start = (id: string, conversation: string) =>
      Effect.gen(function* () {
        const client = yield* HttpClientTransport.make({ ...options, isShared: id === sharedId })
        const scope = yield* Scope.fork(outer)
        const end = (error: McpError) =>
          Effect.suspend(() => {
            sessions.delete(id)
            client.end(error)
            return Scope.close(scope, Exit.void)
          })
        const session: Session = { id, client, end, isUsed: false, usedAt: yield* Clock.currentTimeMillis }
        sessions.set(id, session)
        yield* run(client, conversation).pipe(
          Effect.provideService(Scope.Scope, scope),
          Effect.catch((error) => Effect.sync(() => client.end(error))),
          Effect.ensuring(end(HttpClientTransport.ended)),
          Effect.forkIn(outer, { startImmediately: true })
        )
        return session
      })
    /** Makes room for a session. Returns false if every session has a request in progress. */
    const makeRoom = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      for (const session of sessions.values())
        if (now - session.usedAt > longestIdleMillis && !session.client.isBusy())
          yield* session.end(HttpClientTransport.ended)
      if (sessions.size < maxSessions) return true
      const idle = [...sessions.values()].filter(({ client }) => !client.isBusy())
      const displaced = idle.find(({ isUsed }) => !isUsed) ?? idle[0]
      if (displaced === undefined) return false
      yield* displaced.end(HttpClientTransport.displaced)
      return true
    })
    const find = (id: string) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const session = sessions.get(id)
        if (session === undefined) return undefined
        session.usedAt = now
        session.isUsed = true
        sessions.delete(id)
        sessions.set(id, session)
        return session
      })
    const open = (id: string, conversation: string) =>
      Effect.flatMap(makeRoom, (hasRoom) => (hasRoom ? start(id, conversation) : Effect.undefined))
    return {
      open: Effect.flatMap(fresh, (id) => Effect.flatMap(fresh, (conversation) => open(id, conversation))),
      find,
      shared: Effect.flatMap(find(sharedId), (session) =>
        session === undefined
          ? Effect.flatMap(fresh, (conversation) => open(sharedId, conversation))
          : Effect.succeed(session)
      ),
      withNewId: (request) => {
        // the id is unguessable, so that no client can cancel the request of another client
        const id = `${prefix}.${(count += 1)}`
        const { params, value: original } = request
        const token = Relay.tokenOf(request)
        // a `_meta` that is not an object violates the protocol, and needs no special case
        const _meta = { ...(params["_meta"] as JsonObject | undefined), progressToken: id }
        const value = token === undefined ? { ...original, id } : { ...original, id, params: { ...params, _meta } }
        const [read] = Message.read(JSON.stringify(value), request.place)
        // the fallback is the request with its original id
        return read !== undefined && Result.isSuccess(read) && read.success._tag === "Request" ? read.success : request
      }
    }
  })
