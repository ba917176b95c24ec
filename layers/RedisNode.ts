/**
 * Redis over node-redis, with errors that name the address and a remedy.
 *
 * **When to use**
 *
 * Use it in a backend without a `Redis` service. The stores accept any other `Redis` service too; a step then waits for
 * at most 5 seconds.
 *
 * **Details**
 *
 * - A server on another machine is reached with TLS (`rediss://`). An address without TLS (`redis://`) is refused before
 *   anything is sent, because the network could read the password and every result, unless the options or the address
 *   say otherwise.
 * - While the connection is lost, a command fails immediately instead of waiting. The client reconnects automatically.
 */
import { DatabasePlace, databaseUnavailable, type DatabaseUnavailable } from "#services/DatabaseUnavailable"
import type * as NodeRedis from "@effect/platform-node/NodeRedis"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redis from "effect/persistence/Redis"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Secret from "#domain/text/Secret"
import { hash } from "node:crypto"
import { isThisMachine } from "#layers/internal/peer/ThisMachine"
import * as OptionalPeer from "#layers/internal/peer/OptionalPeer"
import { remedyOf } from "#layers/internal/redis/Remedy"

/** How to reach Redis. */
export interface RedisOptions {
  /**
   * `rediss://user:password@host:port/number`, with TLS. `redis://` is without TLS, and reaches another machine only with
   * `?sslmode=disable` or `ssl: false`.
   */
  readonly url: Redacted.Redacted
  /**
   * False allows an address without TLS for another machine. Default: such an address is refused, except for `localhost`,
   * `127.0.0.0/8` and `::1`.
   */
  readonly ssl?: false
}

/** Connects to Redis. Fails if it cannot be reached or refuses the user. */
export const layer = ({ ssl, url }: RedisOptions): Layer.Layer<Redis.Redis, DatabaseUnavailable> =>
  Layer.suspend(() => {
    const fault = Secret.fault("url", url)
    if (fault !== undefined) return failed("Redis", fault, undefined)
    const text = Redacted.value(url)
    if (!/^rediss?:\/\//u.test(text) || !URL.canParse(text)) {
      return failed("Redis", "Its address is not a URL like redis://user:password@host:6379/0.", undefined)
    }
    const address = new URL(text)
    const place = `Redis at ${address.host}`
    if (ssl !== false && isReadable(address)) return failed(place, plaintextRemedy, undefined)
    return OptionalPeer.load("layers/RedisNode", () => import("@effect/platform-node/NodeRedis")).pipe(
      Effect.mapError((missing) => databaseUnavailable(place, missing.message, missing.cause)),
      Effect.map((peer) => connected(peer, text)),
      Layer.unwrap,
      Layer.catchTag("RedisError", (error) => failed(place, remedyOf(error), error)),
      Layer.merge(Layer.succeed(DatabasePlace, place))
    )
  })

/** True if the network can read the connection, and the address does not allow that. */
const isReadable = ({ hostname, protocol, searchParams }: URL): boolean =>
  protocol !== "rediss:" && !isThisMachine(hostname) && searchParams.get("sslmode") !== "disable"

const plaintextRemedy =
  "The address has no TLS: use rediss://, or add ?sslmode=disable to the address if no one else can read the network."

const connected = (peer: typeof NodeRedis, url: string) =>
  Layer.merge(connectionTest, closeAtOnce(peer)).pipe(
    Layer.provideMerge(Layer.provideMerge(direct(peer), peer.layer({ url, disableOfflineQueue: true }))),
    // the stores warn once a minute; the client would warn at every attempt to connect
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "Error"))
  )

/**
 * Sends commands and scripts with fewer steps than the peer. A command is given up when its step is interrupted, and is
 * then not sent if it still waits for the socket; the client would start a timer for each command instead. Scripts are
 * sent by their digest without being loaded first: a server that does not know one gets its text once.
 */
const direct = (peer: typeof NodeRedis) =>
  Layer.effect(
    Redis.Redis,
    Effect.gen(function* () {
      const { client } = yield* peer.NodeRedis
      const send = <A>(...command: ReadonlyArray<string>) =>
        Effect.tryPromise({
          // the caller declares the type of the reply, which no client can check
          try: (abortSignal) => client.sendCommand(command, { abortSignal, timeout: 0 }) as Promise<A>,
          catch: (cause) => new Redis.RedisError({ cause })
        })
      return {
        ...(yield* Redis.Redis),
        send,
        eval: (script) => {
          const sha = hash("sha1", script.lua, "hex")
          return (...params) => {
            const args = [`${script.numberOfKeys(...params)}`, ...script.params(...params).map(String)]
            return Effect.catchIf(send("EVALSHA", sha, ...args), isUnknownScript, () =>
              send("EVAL", script.lua, ...args)
            )
          }
        }
      }
    })
  )

const isUnknownScript = ({ cause }: Redis.RedisError): boolean =>
  cause instanceof Error && cause.message.startsWith("NOSCRIPT")

/** Sends a command when the layer is built, because a server may accept the connection but refuse every command. */
const connectionTest = Layer.effectDiscard(Effect.flatMap(Redis.Redis, (redis) => redis.send("PING")))

/** Closes the client without waiting for replies: node-redis would wait forever for a server that hangs. */
const closeAtOnce = (peer: typeof NodeRedis) =>
  Layer.effectDiscard(
    Effect.flatMap(peer.NodeRedis, ({ client }) =>
      Effect.addFinalizer(() =>
        Effect.sync(() => {
          if (client.isOpen) client.destroy()
        })
      )
    )
  )

const failed = (place: string, remedy: string, cause: unknown) =>
  Layer.effect(Redis.Redis, Effect.fail(databaseUnavailable(place, remedy, cause)))
