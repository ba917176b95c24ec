/** Runs the contracts of the retry quota and the circuits in Redis, with the test clock. */
import * as CircuitsRedis from "#layers/CircuitsRedis"
import * as RetryQuotaRedis from "#layers/RetryQuotaRedis"
import { describe } from "@effect/vitest"
import { Layer } from "effect"
import { onTestTime } from "../support/redisTime.ts"
import { needs } from "../support/prerequisites.ts"
import { redis } from "../support/servers.ts"
import { onRedis } from "../support/stores.ts"
import { circuitsContract } from "./Circuits.ts"
import { retryQuotaContract } from "./RetryQuota.ts"

describe("on a server", needs(redis), () => {
  circuitsContract(
    "Redis",
    onRedis((prefix) => CircuitsRedis.layerWith({ prefix }).pipe(Layer.provide(onTestTime)))
  )
  retryQuotaContract(
    "Redis",
    onRedis((prefix) => RetryQuotaRedis.layerWith({ prefix }).pipe(Layer.provide(onTestTime)))
  )
})
