/** Runs the contract of IdempotencyKeys on servers, and tests several processes that claim one key. */
import * as IdempotencyKeysRedis from "#layers/IdempotencyKeysRedis"
import * as IdempotencyKeysSql from "#layers/IdempotencyKeysSql"
import * as Postgres from "#layers/Postgres"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { once } from "../support/children.ts"
import { needs } from "../support/prerequisites.ts"
import { race } from "../support/race.ts"
import { onTestTime } from "../support/redisTime.ts"
import { clearRedis } from "../support/redisKeys.ts"
import { postgres, redis, scratchDatabase, scratchUrl } from "../support/servers.ts"
import { onRedis } from "../support/stores.ts"
import { idempotencyKeysContract } from "./IdempotencyKeys.ts"
import { clientClockOfDatabase, clientClockOfKeys } from "./ClientClock.ts"
import { databaseContract } from "./IdempotencyKeysDatabase.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-keys-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("on PostgreSQL", needs(postgres), () => {
  databaseContract("PostgreSQL", scratchDatabase("keys"))
  // the layer of `scratchDatabase` has the time of the test clock
  const database = Postgres.layer({ url: Redacted.make(scratchUrl("keys")) })
  clientClockOfKeys("PostgreSQL", Layer.provide(IdempotencyKeysSql.layer, database))
  clientClockOfDatabase("PostgreSQL", database)
})

describe("on Redis", needs(redis), () => {
  const prefix = `toolguard-keys-${process.pid}:`
  afterAll(() => Effect.runPromise(clearRedis(redis.url, prefix)))
  idempotencyKeysContract(
    "Redis",
    onRedis(() => IdempotencyKeysRedis.layerWith({ prefix }).pipe(Layer.provide(onTestTime))),
    { isShared: true }
  )
  clientClockOfKeys(
    "Redis",
    onRedis(() => IdempotencyKeysRedis.layerWith({ prefix }))
  )
})

describe("a key that several processes claim", () => {
  const prefix = `toolguard-key-race-${process.pid}:`
  afterAll(async () => {
    if (redis.absent === undefined) await Effect.runPromise(clearRedis(redis.url, prefix))
  })
  if (postgres.absent === undefined) scratchDatabase("key_race")
  const raced = once(() => {
    const places = {
      sqlite: join(folder, "raced.db"),
      ...(postgres.absent === undefined ? { postgres: scratchUrl("key_race") } : {}),
      ...(redis.absent === undefined ? { redis: `${redis.url}#${prefix}` } : {})
    }
    return race<Readonly<Record<string, string>>>(
      "test/contracts/keysRacer.ts",
      Array.from({ length: 20 }, () => [JSON.stringify(places)])
    )
  })
  const oneWinner = (name: string) =>
    it("8.2 one of twenty processes claims the key, and the others find it in flight", async () => {
      const tags = (await raced()).map((places) => places[name]).sort()
      assert.deepStrictEqual(tags, ["Claimed", ...Array.from({ length: 19 }, () => "InFlight")])
    })
  describe("a SQLite file", () => oneWinner("sqlite"))
  describe("PostgreSQL", needs(postgres), () => oneWinner("postgres"))
  describe("Redis", needs(redis), () => oneWinner("redis"))
})
