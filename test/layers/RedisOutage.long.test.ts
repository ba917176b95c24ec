/**
 * Tests that budgets, the retry quota and circuits behave as docs/stores.md says while Redis is unavailable, and recover
 * afterwards.
 */
import * as BudgetsRedis from "#layers/BudgetsRedis"
import * as CircuitsRedis from "#layers/CircuitsRedis"
import * as RedisNode from "#layers/RedisNode"
import * as RetryQuotaRedis from "#layers/RetryQuotaRedis"
import { Budgets } from "#services/Budgets"
import { Circuits } from "#services/Circuits"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { RetryQuota } from "#services/RetryQuota"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { Redis } from "effect/persistence"
import { TestClock } from "effect/testing"
import { done, transient, turn } from "../contracts/values.ts"
import { type Proxy, proxyTo } from "../support/proxy.ts"
import { needs } from "../support/prerequisites.ts"
import { redis } from "../support/servers.ts"
import { onRedis } from "../support/stores.ts"
import { recorded } from "../support/logs.ts"

const one = { limit: 1, onlyAfterTransient: false }
const policy = { share: 0.5, window: 20, minimum: 1, openMillis: 30_000, capMillis: 30_000 }

const messageOf = (url: string) =>
  Redis.Redis.pipe(
    Effect.provide(RedisNode.layer({ url: Redacted.make(url) })),
    Effect.flip,
    Effect.map(({ message }) => message)
  )

/** Waits in real time until the client has reconnected and Redis responds. */
const untilBack = Effect.flatMap(Redis.Redis, ({ send }) => {
  const ask: Effect.Effect<void> = Effect.matchEffect(send("PING"), {
    onSuccess: () => Effect.void,
    onFailure: () =>
      Effect.andThen(
        Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20))),
        ask
      )
  })
  return ask
})

/** Runs an effect with the three services, whose connections to Redis go through a proxy. */
const behind = <A, E>(
  run: (proxy: Proxy) => Effect.Effect<A, E, Budgets | Circuits | RetryQuota | Redis.Redis>
): Effect.Effect<A, E | DatabaseUnavailable> =>
  Effect.scoped(
    Effect.flatMap(proxyTo(redis.url), (proxy) => {
      const all = (prefix: string) =>
        Layer.mergeAll(
          BudgetsRedis.layerWith({ prefix }),
          CircuitsRedis.layerWith({ prefix }),
          RetryQuotaRedis.layerWith({ prefix }),
          Layer.effect(Redis.Redis, Redis.Redis)
        )
      return Effect.provide(run(proxy), onRedis(all, proxy.url))
    })
  )

describe("Redis that becomes unavailable", needs(redis), () => {
  it.effect("12.3 a wrong password is reported with the address", () =>
    Effect.gen(function* () {
      const url = new URL(redis.url)
      url.username = "somebody"
      url.password = "hunter22"
      assert.strictEqual(
        yield* messageOf(url.href),
        `Cannot use Redis at ${url.host}. The server rejects the user and password: check the URL, and the server's ACL.`
      )
    })
  )

  it.effect("12.3 budgets fail with the address and the remedy, and continue when Redis is back", () =>
    behind((proxy) =>
      Effect.gen(function* () {
        const { spend } = yield* Budgets
        yield* spend(turn, "a", one, { now: 0 })
        proxy.cut()
        const error = yield* Effect.flip(spend(turn, "a", one, { now: 0 }))
        assert.strictEqual(error._tag, "BudgetsUnavailable")
        assert.strictEqual(
          String((error.cause as Error).message),
          `Cannot use Redis at 127.0.0.1:${proxy.port}. No server answers at this address: check the host and port, and whether the server is running.`
        )
        proxy.restore()
        yield* untilBack
        assert.strictEqual((yield* spend(turn, "a", one, { now: 0 }))._tag, "Exhausted")
      })
    )
  )

  it.effect("12.3 budgets fail after five seconds if the server hangs", () =>
    behind((proxy) =>
      Effect.gen(function* () {
        const { spend } = yield* Budgets
        proxy.hang()
        const spending = yield* Effect.forkChild(Effect.flip(spend(turn, "a", one, { now: 0 })), {
          startImmediately: true
        })
        yield* TestClock.adjust("5 seconds")
        const { cause } = yield* Fiber.join(spending)
        assert.strictEqual(
          String((cause as Error).message),
          `Cannot use Redis at 127.0.0.1:${proxy.port}. The server did not respond in time: check its load and the network.`
        )
      })
    )
  )

  it.effect("12.3 the quota and circuits continue without Redis, with a warning once a minute", () => {
    const { layer, messages } = recorded()
    return behind((proxy) =>
      Effect.gen(function* () {
        const { take } = yield* RetryQuota
        const { execute } = yield* Circuits
        const attempt = (outcome = done(1)) =>
          execute("a", policy, Effect.succeed(outcome), () => transient({ code: "circuit_open" }))
        yield* attempt(transient())
        assert.deepStrictEqual(yield* attempt(), transient({ code: "circuit_open" }))
        for (let i = 0; i < 10; i += 1) assert.isTrue(yield* take("a"))
        assert.isFalse(yield* take("a"))
        proxy.cut()
        assert.isTrue(yield* take("a"))
        assert.deepStrictEqual(yield* attempt(), done(1))
        for (let second = 0; second < 59; second += 1) {
          yield* TestClock.adjust("1 second")
          assert.isTrue(yield* take("a"))
          assert.deepStrictEqual(yield* attempt(), done(1))
        }
        const place = `Warn Cannot use Redis at 127.0.0.1:${proxy.port}. No server answers at this address: check the host and port, and whether the server is running.`
        const warnings = () => [...messages].sort()
        assert.deepStrictEqual(warnings(), [
          `${place} Every attempt runs in the meantime.`,
          `${place} Every retry is granted in the meantime.`
        ])
        yield* TestClock.adjust("5 seconds")
        yield* attempt()
        assert.lengthOf(messages, 3)
        assert.match(
          messages[2] ?? "",
          /Every attempt runs in the meantime\. Similar warnings omitted since the last one: 1\d\.$/u
        )

        proxy.restore()
        yield* untilBack
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual(yield* attempt(), transient({ code: "circuit_open" }))
      })
    ).pipe(Effect.provide(layer))
  })

  it.effect("12.3 the quota waits one second for a hanging server, and then grants retries without contacting it", () =>
    behind((proxy) =>
      Effect.gen(function* () {
        const { take } = yield* RetryQuota
        proxy.hang()
        const taking = yield* Effect.forkChild(take("a"), { startImmediately: true })
        yield* TestClock.adjust("1 second")
        assert.isTrue(yield* Fiber.join(taking))
        assert.isTrue(yield* take("a"))
      })
    )
  )
})
