/**
 * Redis over node-redis, with an error that names the place and the remedy.
 *
 * **Details**
 *
 * While the connection is lost a command fails at once instead of waiting for it; the client connects again by itself.
 *
 * **When to use**
 *
 * Where a backend has no `Redis` service yet. One that has uses its own; the stores then wait at most 5 seconds a step.
 */
import { DatabasePlace, databaseUnavailable, type DatabaseUnavailable } from "#services/DatabaseUnavailable"
import type * as NodeRedis from "@effect/platform-node/NodeRedis"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redis from "effect/persistence/Redis"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as OptionalPeer from "#layers/internal/peer/OptionalPeer"
import { remedyOf } from "#layers/internal/redis/remedy"

export interface RedisOptions {
  /** `redis://user:password@host:port/number`, or `rediss://` with TLS. */
  readonly url: Redacted.Redacted
}

/** Redis as a layer; fails where it cannot be reached or does not let us in. */
export const layer = ({ url }: RedisOptions): Layer.Layer<Redis.Redis, DatabaseUnavailable> =>
  Layer.suspend(() => {
    const text = Redacted.value(url)
    if (!/^rediss?:\/\//u.test(text) || !URL.canParse(text)) {
      return failed("Redis", "Its address is no URL like redis://user:password@host:6379/0.", undefined)
    }
    const place = `Redis at ${new URL(text).host}`
    return OptionalPeer.load("layers/RedisNode", () => import("@effect/platform-node/NodeRedis")).pipe(
      Effect.mapError((missing) => databaseUnavailable(place, missing.message, missing.cause)),
      Effect.map((peer) => connected(peer, text)),
      Layer.unwrap,
      Layer.catchTag("RedisError", (error) => failed(place, remedyOf(error), error)),
      Layer.merge(Layer.succeed(DatabasePlace, place))
    )
  })

const connected = (peer: typeof NodeRedis, url: string) =>
  Layer.merge(answering, leaving(peer)).pipe(
    Layer.provideMerge(peer.layer({ url, disableOfflineQueue: true })),
    // the stores say, once a minute, that it is away; the client would at each attempt to connect
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "Error"))
  )

/** A server may take the connection and refuse every command: asked here, so that it is known at once. */
const answering = Layer.effectDiscard(Effect.flatMap(Redis.Redis, (redis) => redis.send("PING")))

/** node-redis waits at its end for every reply, and of a server that hangs none comes: whoever wants one has waited. */
const leaving = (peer: typeof NodeRedis) =>
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
