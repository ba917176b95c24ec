/**
 * Opens a session with a server by negotiating the protocol version.
 *
 * `initialize` offers the newest version with sessions, and the server may answer with an older version. A server that
 * does not support `initialize` gets stateless requests, each with its own metadata (2026-07-28).
 */
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { broken, McpError } from "#src/mcp/wire/McpError"
import * as Message from "#src/mcp/wire/Message"
import * as Peer from "#src/mcp/wire/Peer"
import type { Transport } from "#src/mcp/wire/Transport"
import * as Version from "#src/mcp/wire/Version"

export interface Session {
  /** The protocol version. */
  readonly version: string
  readonly server: JsonObject
  readonly capabilities: JsonObject
  /** Sends a request. `millis` is its timeout; without `options`, the timeout of the session applies. */
  readonly request: (
    method: string,
    params: JsonObject,
    options?: { readonly millis?: number; readonly schema?: unknown }
  ) => Effect.Effect<JsonObject, McpError>
  /** Fails when the connection ends. */
  readonly ended: Effect.Effect<never, McpError>
}

interface SessionOptions {
  /** The name and the version of the client. */
  readonly client: Version.Program
  /** The timeout of requests other than tool calls, in milliseconds. */
  readonly millis: number
  /** Receives the server's notifications. */
  readonly onNotification?: (method: string, params: JsonObject) => Effect.Effect<void>
  /** Receives broken messages. */
  readonly onBroken?: (error: McpError) => void
}

/** Negotiates the version with a server. */
export const open = (
  transport: Transport,
  { client, millis, onBroken, onNotification }: SessionOptions
): Effect.Effect<Session, McpError, Scope.Scope> =>
  Effect.gen(function* () {
    const peer: Peer.Peer = yield* Peer.make(transport, {
      // the client answers only pings
      request: ({ id, method }) =>
        Effect.andThen(
          Effect.sync(() =>
            peer.tell({
              text:
                method === "ping"
                  ? Message.answer(id, {})
                  : Message.refusal(id, -32601, `This client does not offer ${method}.`),
              about: id
            })
          ),
          // a server that floods requests is not read until it reads the answers
          Effect.suspend(() => peer.room)
        ),
      notification: ({ method, params }) => onNotification?.(method, params) ?? Effect.void,
      broken: onBroken ?? (() => {}),
      isBounded: true
    })
    const initialized = yield* peer
      .request(
        "initialize",
        { protocolVersion: Version.withSession[0], capabilities: {}, clientInfo: client },
        { millis, signal: false }
      )
      .pipe(Effect.catchIf(lacksInitialize, () => Effect.undefined))
    const ask = (meta: JsonObject): Session["request"] =>
      function (method, params, options = { millis }) {
        const ownMeta = isJsonObject(params["_meta"]) ? params["_meta"] : {}
        const _meta = { ...ownMeta, ...meta }
        const sent = Object.keys(_meta).length === 0 ? params : { ...params, _meta }
        return Effect.flatMap(peer.request(method, sent, options), fieldsIn)
      }
    if (initialized === undefined) {
      const request = ask(Version.meta(client))
      const found = yield* request("server/discover", {})
      const versions = found["supportedVersions"]
      if (Array.isArray(versions) && !versions.includes(Version.stateless))
        return yield* noCommonVersion(versions.join(", "))
      return {
        version: Version.stateless,
        server: yield* objectIn(found, "serverInfo", discovered, {}),
        capabilities: yield* objectIn(found, "capabilities", discovered),
        request,
        ended: peer.ended
      }
    }
    const negotiated = yield* fieldsIn(initialized)
    const version = negotiated["protocolVersion"]
    if (typeof version !== "string" || !Version.withSession.some((each) => each === version))
      return yield* noCommonVersion(typeof version === "string" ? version : "none")
    peer.tell({ text: Message.notification("notifications/initialized"), method: "notifications/initialized" })
    return {
      version,
      server: yield* objectIn(negotiated, "serverInfo", initialised, {}),
      capabilities: yield* objectIn(negotiated, "capabilities", initialised),
      request: ask({}),
      ended: peer.ended
    }
  })

/** True if an error has a code of servers without `initialize` or without a common version. */
const lacksInitialize = ({ code, reason }: McpError): boolean =>
  reason === "refused" && code !== undefined && [-32601, -32600, -32602, -32022, -32004, -32020].includes(code)

const noCommonVersion = (versions: string) =>
  new McpError({
    reason: "version",
    message: `The server supports protocol version ${versions}; this client supports ${Version.all.join(", ")}.`
  })

const initialised = "answer to initialize"
const discovered = "answer to server/discover"

/** Returns the result of a response. Fails if the result is not an object. */
const fieldsIn = ({ place, result, text }: Message.Response): Effect.Effect<JsonObject, McpError> =>
  isJsonObject(result) ? Effect.succeed(result) : Effect.fail(broken("its `result` is not an object", place, text))

/** Returns a field of an answer. Fails if it is not an object; `place` names the answer. */
const objectIn = (
  result: JsonObject,
  name: string,
  place: string,
  missing?: JsonObject
): Effect.Effect<JsonObject, McpError> => {
  const value = result[name] ?? missing
  return isJsonObject(value)
    ? Effect.succeed(value)
    : Effect.fail(broken(`the answer has no \`${name}\``, place, JSON.stringify(result)))
}
