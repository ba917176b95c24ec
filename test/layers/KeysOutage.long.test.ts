/** Checks idempotency keys whose database breaks the connection in the middle of a claim. */
import * as IdempotencyKeysRedis from "#layers/IdempotencyKeysRedis"
import * as IdempotencyKeysSql from "#layers/IdempotencyKeysSql"
import * as Postgres from "#layers/Postgres"
import { type Claim, IdempotencyKeys, type KeyClaim } from "#services/IdempotencyKeys"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { actionOf } from "../contracts/IdempotencyKeys.ts"
import { type Proxy, proxyTo } from "../support/proxy.ts"
import { needs } from "../support/prerequisites.ts"
import { freshDatabase, postgres, redis } from "../support/servers.ts"
import { onTestTime as redisOnTestTime } from "../support/redisTime.ts"
import { onTestTime } from "../support/storeTime.ts"
import { onRedis } from "../support/stores.ts"

type Use<A, E> = (keys: IdempotencyKeys["Service"], proxy: Proxy) => Effect.Effect<A, E>

const onPostgres = <A, E>(use: Use<A, E>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const proxy = yield* proxyTo(yield* freshDatabase("keys_away"))
      const url = Redacted.make(proxy.url)
      return yield* Effect.flatMap(IdempotencyKeys, (keys) => use(keys, proxy)).pipe(
        Effect.provide(Layer.provide(IdempotencyKeysSql.layer, onTestTime(Postgres.layer({ url, maxConnections: 1 }))))
      )
    })
  )

const behindRedis = <A, E>(use: Use<A, E>) =>
  Effect.scoped(
    Effect.flatMap(proxyTo(redis.url), (proxy) =>
      Effect.flatMap(IdempotencyKeys, (keys) => use(keys, proxy)).pipe(
        Effect.provide(
          onRedis(
            (prefix) => IdempotencyKeysRedis.layerWith({ prefix }).pipe(Layer.provide(redisOnTestTime)),
            proxy.url
          )
        )
      )
    )
  )

/** Claims a key, leaves it as a crashed process does, and waits until the claim lapses. */
const leaveUnfinished = (keys: IdempotencyKeys["Service"], action: KeyClaim) =>
  Effect.gen(function* () {
    yield* keys.claim(action)
    yield* keys.leave(action, "unfinished")
    yield* TestClock.adjust(action.lease)
  })

const ended = (keys: IdempotencyKeys["Service"], action: KeyClaim, claim: Claim) =>
  claim._tag === "Claimed" ? keys.complete(action, claim.owner, "done", true) : Effect.succeed(claim._tag)

describe("keys in a PostgreSQL that breaks the connection", needs(postgres), () => {
  for (const [what, consumes, answer] of [
    ["a claim", false, "INSERT 0 1"],
    ["a claim with its approval", true, "COMMIT"]
  ] as const) {
    it.effect(`8.2 ${what} that was committed before its answer was lost belongs to its caller`, () =>
      onPostgres((keys, proxy) =>
        Effect.gen(function* () {
          let uses = 0
          const consume = consumes ? Effect.sync(() => (uses += 1) === 1) : undefined
          proxy.lose(answer)
          const claim = yield* keys.claim(actionOf("away"), consume)
          assert.deepInclude(claim, { _tag: "Claimed", lapsed: undefined })
          assert.isTrue(yield* ended(keys, actionOf("away"), claim))
        })
      )
    )
  }

  it.effect("8.3 a repeated claim still reports that it took over a lapsed claim", () =>
    onPostgres((keys, proxy) =>
      Effect.gen(function* () {
        const action = actionOf("away")
        yield* leaveUnfinished(keys, action)
        proxy.lose("INSERT 0 1")
        assert.deepInclude(yield* keys.claim(action), { _tag: "Claimed", lapsed: { remainingMillis: 0 } })
      })
    )
  )
})

describe("keys in a Redis that breaks the connection", needs(redis), () => {
  it.effect("8.3 a claim whose answer was lost belongs to its caller", () =>
    behindRedis((keys, proxy) =>
      Effect.gen(function* () {
        const action = actionOf("away")
        yield* leaveUnfinished(keys, action)
        proxy.lose("TakenOver")
        const claiming = yield* Effect.forkChild(keys.claim(action), { startImmediately: true })
        while (claiming.pollUnsafe() === undefined) {
          yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 50))) // the Redis client reconnects
          yield* TestClock.adjust("50 millis")
        }
        const claim = yield* Fiber.join(claiming)
        assert.deepInclude(claim, { _tag: "Claimed", lapsed: { remainingMillis: 0 } })
        assert.isTrue(yield* ended(keys, action, claim))
      })
    )
  )
})
