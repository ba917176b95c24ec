/** Runs the contracts of the retry quota and the circuits in Redis, with the test clock and with wrong clocks. */
import * as CircuitsRedis from "#layers/CircuitsRedis"
import * as RetryQuotaRedis from "#layers/RetryQuotaRedis"
import { afterAll, describe } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { onTestTime } from "../support/redisTime.ts"
import { clearRedis } from "../support/redisKeys.ts"
import { needs } from "../support/prerequisites.ts"
import { redis } from "../support/servers.ts"
import { onRedis } from "../support/stores.ts"
import { circuitsContract } from "./Circuits.ts"
import { clientClockOfCircuits } from "./ClientClock.ts"
import { retryQuotaContract } from "./RetryQuota.ts"

describe("on a server", needs(redis), () => {
  circuitsContract(
    "Redis",
    onRedis((prefix) => CircuitsRedis.layerWith({ prefix }).pipe(Layer.provide(onTestTime)))
  )
  const prefix = `toolguard-circuit-clock-${process.pid}:`
  afterAll(() => Effect.runPromise(clearRedis(redis.url, prefix)))
  clientClockOfCircuits(
    "Redis",
    onRedis(() => CircuitsRedis.layerWith({ prefix }))
  )
  retryQuotaContract(
    "Redis",
    onRedis((prefix) => RetryQuotaRedis.layerWith({ prefix }).pipe(Layer.provide(onTestTime)))
  )
})
