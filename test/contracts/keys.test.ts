/** Idempotency keys keep their promises in real databases, and among real processes. */
import * as ApprovalsSql from "#layers/ApprovalsSql"
import * as IdempotencyKeysRedis from "#layers/IdempotencyKeysRedis"
import * as IdempotencyKeysSql from "#layers/IdempotencyKeysSql"
import { owner } from "#layers/internal/stores/owner"
import * as SqliteNode from "#layers/SqliteNode"
import { Approvals } from "#services/Approvals"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { IdempotencyKeys } from "#services/IdempotencyKeys"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer, Random } from "effect"
import type { SqlClient } from "effect/sql"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { race } from "../support/race.ts"
import { describeOn, postgres, redis, scratchDatabase } from "../support/servers.ts"
import { clearRedis, onRedis } from "../support/stores.ts"
import { opening } from "./Approvals.ts"
import { actionOf, idempotencyKeysContract } from "./IdempotencyKeys.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-keys-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const sqlContract = (name: string, database: Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable>): void => {
  idempotencyKeysContract(name, Layer.provide(IdempotencyKeysSql.layer, database), { isShared: true })

  describe(`IdempotencyKeys and Approvals (${name})`, () => {
    const layer = Layer.provide(Layer.merge(IdempotencyKeysSql.layer, ApprovalsSql.layer), database)

    it.effect("10.3 the claim and the use of an approval are one write: both, or neither", () =>
      Effect.gen(function* () {
        const [approvals, keys] = yield* Effect.all([Approvals, IdempotencyKeys])
        const { request } = yield* approvals.open(opening(`${name} one write`))
        yield* approvals.decide(request.id, { verdict: "approve", by: "ana", reason: "" })
        const consume = Effect.orDie(approvals.consume(request.id, request.binding))
        const action = actionOf(`${name} one write`)
        const state = Effect.map(approvals.find(request.id), (found) => found?.state)
        // dies after the approval is used, and before the claim is committed
        const dying = Effect.tap(consume, (isUsed) => (isUsed ? Effect.die(new Error("killed")) : Effect.void))
        yield* Effect.exit(keys.claim(action, dying))
        assert.deepStrictEqual([yield* state, yield* keys.find(action)], ["approved", undefined])
        assert.strictEqual((yield* keys.claim(action, consume))._tag, "Claimed")
        assert.strictEqual(yield* state, "used")
        assert.strictEqual((yield* keys.claim({ ...action, key: "another" }, consume))._tag, "NotApproved")
      }).pipe(Effect.provide(layer))
    )
  })
}

describe("on SQLite", () => sqlContract("SQLite", SqliteNode.layer({ filename: join(folder, "keys.db") })))

describeOn(postgres, "on PostgreSQL", () => sqlContract("PostgreSQL", scratchDatabase("keys")))

describeOn(redis, "on Redis", () => {
  const prefix = `toolguard-keys-${process.pid}:`
  afterAll(() => Effect.runPromise(clearRedis(prefix)))
  idempotencyKeysContract(
    "Redis",
    onRedis(() => IdempotencyKeysRedis.layerWith({ prefix })),
    { isShared: true }
  )
})

describe("the owners of claims", () => {
  it.effect("8.2 no two have one name, also where every process seeds its Random alike", () =>
    Effect.gen(function* () {
      const seeded = Random.withSeed(owner, "seed")
      assert.notStrictEqual(yield* seeded, yield* seeded)
    })
  )
})

describe("raced for", () => {
  const prefix = `toolguard-key-race-${process.pid}:`
  let raced: ReadonlyArray<Readonly<Record<string, string>>> = []
  afterAll(async () => {
    if (redis.isThere) await Effect.runPromise(clearRedis(prefix))
  })
  if (postgres.isThere) scratchDatabase("key_race")
  beforeAll(async () => {
    const places = {
      sqlite: join(folder, "raced.db"),
      ...(postgres.isThere ? { postgres: `postgres://postgres@127.0.0.1:5432/toolguard_key_race_${process.pid}` } : {}),
      ...(redis.isThere ? { redis: `redis://127.0.0.1:6379#${prefix}` } : {})
    }
    raced = await race(
      join(import.meta.dirname, "keysRacer.ts"),
      Array.from({ length: 20 }, () => [JSON.stringify(places)])
    )
  }, 120_000)
  const oneWinner = (name: string) =>
    it("8.2 of twenty processes that claim one key one wins, and the others know that it runs", () => {
      const tags = raced.map((places) => places[name]).sort()
      assert.deepStrictEqual(tags, ["Claimed", ...Array.from({ length: 19 }, () => "InFlight")])
    })
  describe("a SQLite file", () => oneWinner("sqlite"))
  describeOn(postgres, "PostgreSQL", () => oneWinner("postgres"))
  describeOn(redis, "Redis", () => oneWinner("redis"))
})
