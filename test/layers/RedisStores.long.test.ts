/** Checks the content and lifetime of keys in Redis, and that processes share them. */
import * as BudgetsRedis from "#layers/BudgetsRedis"
import * as CircuitsRedis from "#layers/CircuitsRedis"
import * as IdempotencyKeysRedis from "#layers/IdempotencyKeysRedis"
import * as RetryQuotaRedis from "#layers/RetryQuotaRedis"
import type { Outcome } from "#domain/call/Outcome"
import { Budgets } from "#services/Budgets"
import { Circuits } from "#services/Circuits"
import { IdempotencyKeys } from "#services/IdempotencyKeys"
import { RetryQuota } from "#services/RetryQuota"
import { assert, describe, it } from "@effect/vitest"
import { Context, Duration, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { Redis } from "effect/persistence"
import { TestClock } from "effect/testing"
import { actionOf } from "../contracts/IdempotencyKeys.ts"
import { done, transient, turn } from "../contracts/values.ts"
import { proxyTo } from "../support/proxy.ts"
import { redisKeys } from "../support/redisKeys.ts"
import { onTestTime } from "../support/redisTime.ts"
import { needs } from "../support/prerequisites.ts"
import { redis } from "../support/servers.ts"
import { onRedis } from "../support/stores.ts"

const one = { limit: 1, onlyAfterTransient: false }

/** Runs an effect with a connection to Redis and a unique prefix. */
const on = <A, E>(run: (prefix: string) => Effect.Effect<A, E, Redis.Redis | Scope.Scope>) => {
  let own = ""
  const server = onRedis((prefix) => {
    own = prefix
    return Layer.effect(Redis.Redis, Redis.Redis)
  })
  return Effect.provide(
    Effect.suspend(() => Effect.scoped(run(own))),
    server
  )
}

describe("the stores in Redis", needs(redis), () => {
  it.effect("4.7 a turn is stored for its time to live, and no argument appears in a key", () =>
    on((prefix) =>
      Effect.gen(function* () {
        const { send } = yield* Redis.Redis
        const { end, settle, spend } = yield* Budgets
        yield* spend(turn, 'search {"q":"secret"}', one, { now: 0 })
        yield* settle(turn, 'search {"q":"secret"}', { outcome: done({ n: 1 }), digest: "digest", isLast: true })
        const keys = yield* redisKeys(prefix)
        assert.lengthOf(keys, 2)
        for (const key of keys) {
          assert.match(key.slice(prefix.length), /^budget:\{[0-9a-f]{64}\}(:held)?$/u)
          const left = yield* send<number>("PTTL", key)
          assert.isTrue(left > 0 && left <= 60_000, `${left} ms are left`)
        }
        yield* end(turn)
        assert.deepStrictEqual(yield* redisKeys(prefix), [])
      }).pipe(Effect.provide(BudgetsRedis.layerWith({ prefix, timeToLive: "1 minute" })))
    )
  )

  it.effect("8.2 a completed key is stored for its time to live", () =>
    on((prefix) =>
      Effect.gen(function* () {
        const { send } = yield* Redis.Redis
        const { claim, complete } = yield* IdempotencyKeys
        const action = { ...actionOf("tenant"), timeToLive: Duration.minutes(1) }
        const claimed = yield* claim(action)
        if (claimed._tag !== "Claimed") return assert.fail(claimed._tag)
        const [name = ""] = yield* redisKeys(`${prefix}key:`)
        assert.strictEqual(yield* send("PTTL", name), -1, "a claim lapses by its lease, and its key does not expire")
        yield* complete(action, claimed.owner, "{}", true)
        const left = Number(yield* send("PTTL", name))
        assert.isTrue(left > 0 && left <= 60_000, `${left} ms are left`)
      }).pipe(Effect.provide(IdempotencyKeysRedis.layerWith({ prefix })))
    )
  )

  it.effect("4.11 the bucket of a tool is stored for an hour", () =>
    on((prefix) =>
      Effect.gen(function* () {
        const { send } = yield* Redis.Redis
        const quota = yield* RetryQuota
        yield* quota.take("search")
        const left = Number(yield* send("PTTL", `${prefix}quota:search`))
        assert.isTrue(left > 0 && left <= 3_600_000, `${left} ms are left`)
      }).pipe(Effect.provide(RetryQuotaRedis.layerWith({ prefix })))
    )
  )

  it.effect("12.3 a script is sent again if the server no longer has it", () =>
    Effect.gen(function* () {
      const proxy = yield* proxyTo(redis.url)
      yield* Effect.gen(function* () {
        const { spend } = yield* Budgets
        yield* spend(turn, "a", one, { now: 0 })
        proxy.answer("EVALSHA", "-NOSCRIPT No matching script. Please use EVAL.\r\n")
        assert.strictEqual((yield* spend(turn, "b", one, { now: 0 }))._tag, "Spent")
        assert.isTrue(proxy.hasAnswered())
      }).pipe(Effect.provide(onRedis((prefix) => BudgetsRedis.layerWith({ prefix }), proxy.url)))
    })
  )

  it.effect("12.3 a command whose step ends before the command was written is not sent", () =>
    on((prefix) =>
      Effect.gen(function* () {
        const { send } = yield* Redis.Redis
        // the client writes at the end of a turn of the event loop
        const [kept, givenUp] = yield* Effect.forEach(["kept", "given up"], (name) =>
          Effect.forkChild(send("SET", prefix + name, "1"), { startImmediately: true })
        )
        if (givenUp !== undefined) yield* Fiber.interrupt(givenUp)
        if (kept !== undefined) yield* Fiber.join(kept)
        assert.deepStrictEqual(yield* redisKeys(prefix), [`${prefix}kept`])
      })
    )
  )

  it.effect("4.11 counts of calls are sent every second, and when the layer closes", () =>
    on((prefix) =>
      Effect.gen(function* () {
        const scope = yield* Scope.fork(yield* Effect.scope)
        const layer = Layer.provide(RetryQuotaRedis.layerWith({ prefix }), onTestTime)
        const quotaIn = (where: Scope.Scope) =>
          Effect.flatMap(Layer.buildWithScope(Layer.fresh(layer), where), (context) =>
            Effect.provide(RetryQuota, context)
          )
        const ours = yield* quotaIn(yield* Effect.scope)
        const theirs = yield* quotaIn(scope)
        const granted = (amount: number) =>
          Effect.map(
            Effect.forEach(Array.from({ length: amount }), () => ours.take("a")),
            (all) => all.filter((isGranted) => isGranted).length
          )
        assert.strictEqual(yield* granted(20), 10)
        for (let i = 0; i < 20; i += 1) theirs.called("a")
        assert.strictEqual(yield* granted(5), 0)
        yield* TestClock.adjust("1 second")
        yield* untilEarned(prefix, 2)
        assert.strictEqual(yield* granted(5), 2)
        for (let i = 0; i < 30; i += 1) theirs.called("a")
        yield* Scope.close(scope, Exit.void)
        assert.strictEqual(yield* granted(5), 3)
      })
    )
  )

  it.effect("4.11 two processes share the circuit of a tool", () =>
    on((prefix) =>
      Effect.gen(function* () {
        const layer = CircuitsRedis.layerWith({ prefix })
        const circuits = Effect.flatMap(Layer.build(Layer.fresh(layer)), (context) => Effect.provide(Circuits, context))
        const [ours, theirs] = [yield* circuits, yield* circuits]
        const policy = { share: 0.5, window: 20, minimum: 2, openMillis: 3_600_000, capMillis: 3_600_000 }
        const attempt = ({ execute }: Circuits["Service"], outcome = done(1)) =>
          execute("a", policy, Effect.succeed(outcome), () => transient({ code: "circuit_open" }))
        yield* attempt(ours, transient())
        yield* attempt(theirs, transient())
        assert.deepStrictEqual(yield* attempt(ours), transient({ code: "circuit_open" }))
        assert.deepStrictEqual(yield* attempt(theirs), transient({ code: "circuit_open" }))
      })
    )
  )

  it.effect("4.11 attempts that are made at once read and change their circuit together", () =>
    on((prefix) =>
      Effect.gen(function* () {
        let exchanges = 0
        const counted = Layer.effect(
          Redis.Redis,
          Effect.map(Redis.Redis, (client) => ({
            ...client,
            eval: ((script) => {
              const run = client.eval(script)
              return (...params) => Effect.suspend(() => ((exchanges += 1), run(...params)))
            }) satisfies Redis.Redis["Service"]["eval"]
          }))
        )
        const layer = CircuitsRedis.layerWith({ prefix }).pipe(Layer.provide(counted))
        const { execute } = Context.get(yield* Layer.build(layer), Circuits)
        const policy = { share: 0.5, window: 100, minimum: 100, openMillis: 3_600_000, capMillis: 3_600_000 }
        const attempt = (outcome: Outcome) =>
          execute("a", policy, Effect.succeed(outcome), () => transient({ code: "circuit_open" }))
        const failures = Array.from({ length: 100 }, () => attempt(transient()))
        const outcomes = yield* Effect.all(failures, { concurrency: "unbounded" })
        assert.deepStrictEqual(new Set(outcomes.map((outcome) => "failure" in outcome && outcome.failure.code)).size, 1)
        assert.isBelow(exchanges, 20)
        assert.deepStrictEqual(yield* attempt(done(1)), transient({ code: "circuit_open" }))
      })
    )
  )
})

/** Waits until the other process has sent its counts. */
const untilEarned = (prefix: string, amount: number): Effect.Effect<void, Redis.RedisError, Redis.Redis> =>
  Effect.flatMap(Redis.Redis, ({ send }) =>
    Effect.flatMap(send<string | null>("HGET", `${prefix}quota:a`, "earned"), (earned) =>
      Number(earned) >= amount - 1e-9 ? Effect.void : untilEarned(prefix, amount)
    )
  )
