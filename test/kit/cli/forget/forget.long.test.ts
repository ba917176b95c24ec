/** Runs `toolguard forget` as a process on SQLite, PostgreSQL, Redis and files. */
import * as BudgetsRedis from "#layers/BudgetsRedis"
import * as CallLogFile from "#layers/CallLogFile"
import * as IdempotencyKeysRedis from "#layers/IdempotencyKeysRedis"
import * as SqliteNode from "#layers/SqliteNode"
import * as StoresSql from "#layers/StoresSql"
import { CallLog } from "#services/CallLog"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { recordOf } from "../../../contracts/CallLog.ts"
import { complete, fill, owners, spend, turnKeys, wordOf } from "../../../layers/forgetWorld.ts"
import { needs } from "../../../support/prerequisites.ts"
import { clearRedis, redisAt, redisKeys } from "../../../support/redisKeys.ts"
import { postgres, redis, scratchDatabase, scratchUrl } from "../../../support/servers.ts"
import { toolguard } from "../toolguard.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-forget-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const filled = (stores: Layer.Layer<any, any>) =>
  Effect.runPromise(
    Effect.andThen(
      fill,
      Effect.flatMap(CallLog, ({ records }) => records)
    ).pipe(Effect.provide(Layer.fresh(stores))) as Effect.Effect<unknown>
  )

interface Report {
  readonly removed: ReadonlyArray<{ readonly store: string; readonly count: number }>
  readonly left: ReadonlyArray<{ readonly store: string; readonly reason: string }>
}

const countsOf = (stdout: string): Readonly<Record<string, number>> =>
  Object.fromEntries((JSON.parse(stdout) as Report).removed.map(({ count, store }) => [store, count]))

const inSql = (count: number) => ({
  "idempotency keys": count,
  approvals: count,
  "unknown outcomes": count,
  artifacts: count,
  runs: count,
  "call records": count,
  // test/kit/cli/runs/durable.long.test.ts tests durable runs
  "durable runs": 0,
  budgets: count
})

describe("toolguard forget", () => {
  it("--dry-run removes nothing, and the next run removes the data of the owner from the database and the file", async () => {
    const [file, log] = [join(folder, "stores.db"), join(folder, "calls.jsonl")]
    await filled(StoresSql.layer.pipe(Layer.provide(SqliteNode.layer({ filename: file }))))
    await Effect.runPromise(
      Effect.flatMap(CallLog, ({ append }) =>
        Effect.sync(() => owners.forEach((owner) => append({ ...recordOf(wordOf(owner)), ...owner })))
      ).pipe(Effect.provide(CallLogFile.layer(log)))
    )
    const args = ["forget", "--tenant", "acme", "--principal", "ann", "--database", file, "--log", log]
    const dry = await toolguard([...args, "--dry-run"])
    assert.strictEqual(dry.code, 0, dry.stderr)
    assert.include(dry.stdout, "would remove 2  artifacts")
    assert.include(dry.stdout, "not removed  other files: Backups")
    const real = await toolguard([...args, "--json"])
    assert.deepStrictEqual(countsOf(real.stdout), { [`call records in ${log}`]: 2, ...inSql(2) })
    const again = await toolguard([...args, "--json"])
    assert.isTrue(Object.values(countsOf(again.stdout)).every((count) => count === 0))
    const bytes = readFileSync(file, "latin1") + readFileSync(log, "utf8")
    assert.deepStrictEqual(
      owners.filter((owner) => bytes.includes(wordOf(owner))),
      owners.filter(({ principal, tenant }) => tenant !== "acme" || principal !== "ann")
    )
  })

  it("8.3 removes a turn of a principal from the database and the file, and no other turn", async () => {
    const [file, log] = [join(folder, "turn.db"), join(folder, "turn.jsonl")]
    await filled(StoresSql.layer.pipe(Layer.provide(SqliteNode.layer({ filename: file }))))
    await Effect.runPromise(
      Effect.flatMap(CallLog, ({ append }) =>
        Effect.sync(() => owners.forEach((owner) => append({ ...recordOf(wordOf(owner)), ...owner })))
      ).pipe(Effect.provide(CallLogFile.layer(log)))
    )
    const args = ["forget", "--tenant", "acme", "--conversation", "c1", "--principal", "ann", "--json"]
    const stores = ["--database", file, "--log", log]
    const another = await toolguard([...args, "--turn", "2", ...stores])
    assert.isTrue(
      Object.values(countsOf(another.stdout)).every((count) => count === 0),
      another.stderr
    )
    const real = await toolguard([...args, "--turn", "1", ...stores])
    assert.deepStrictEqual(countsOf(real.stdout), { [`call records in ${log}`]: 1, ...inSql(1) })
    const bytes = readFileSync(file, "latin1") + readFileSync(log, "utf8")
    assert.deepStrictEqual(
      owners.filter((owner) => bytes.includes(wordOf(owner))),
      owners.filter(
        ({ conversation, principal, tenant }) => tenant !== "acme" || principal !== "ann" || conversation !== "c1"
      )
    )
  })

  it("no owner, an empty name, no store or an absent file leads to an error that says so", async () => {
    for (const [args, sentence] of [
      [["forget", "--database", "x.db"], "No tenant, conversation or principal is named."],
      [["forget", "--tenant", "", "--database", "x.db"], "A name is empty."],
      [["forget", "--turn", "1", "--database", "x.db"], "--turn needs --conversation."],
      [["forget", "--tenant", "acme"], "No store is named."]
    ] as const) {
      const { code, stderr } = await toolguard(args, { env: { TOOLGUARD_DATABASE: "" } })
      assert.strictEqual(code, 2)
      assert.include(stderr, sentence)
    }
    const { code, stderr } = await toolguard(["forget", "--tenant", "a", "--log", join(folder, "absent")])
    assert.deepStrictEqual([code, stderr.includes("There is no file")], [1, true])
  })
})

describe("toolguard forget on PostgreSQL", needs(postgres), () => {
  const database = scratchDatabase("forget")
  it("removes the rows of a tenant, and reports what remains on the disk until VACUUM", async () => {
    await filled(StoresSql.layer.pipe(Layer.provide(database)))
    const env = { TOOLGUARD_DATABASE: scratchUrl("forget") }
    const { code, stderr, stdout } = await toolguard(["forget", "--tenant", `b"%*[x]`, "--json"], { env })
    assert.strictEqual(code, 0, stderr)
    assert.deepStrictEqual(countsOf(stdout), inSql(4))
    assert.include(stdout, "until VACUUM")
  })
})

describe("toolguard forget in Redis", needs(redis), () => {
  it("with a conversation and a file of records, removes the keys and budgets of the turns in the file", async () => {
    const prefix = `toolguard-forget[${process.pid}]*:`
    const log = join(folder, "redis.jsonl")
    const stores = Layer.mergeAll(
      IdempotencyKeysRedis.layerWith({ prefix }),
      BudgetsRedis.layerWith({ prefix }),
      CallLogFile.layer(log)
    ).pipe(Layer.provide(redisAt(redis.url)))
    assert.strictEqual(new Set(turnKeys).size, owners.length)
    try {
      await Effect.runPromise(
        Effect.forEach(owners, (owner) =>
          Effect.gen(function* () {
            yield* complete(owner)
            yield* spend(owner)
            ;(yield* CallLog).append({ ...recordOf(wordOf(owner)), ...owner })
          })
        ).pipe(Effect.provide(stores)) as Effect.Effect<unknown>
      )
      const args = [
        "forget",
        "--tenant",
        "acme",
        "--conversation",
        "c1",
        "--log",
        log,
        "--redis-prefix",
        prefix,
        "--json"
      ]
      const { code, stderr, stdout } = await toolguard(args, { env: { TOOLGUARD_REDIS: redis.url } })
      assert.strictEqual(code, 0, stderr)
      assert.deepStrictEqual(countsOf(stdout), {
        [`call records in ${log}`]: 2,
        "idempotency keys in Redis": 2,
        "budgets in Redis": 2
      })
      const names = await Effect.runPromise(
        Effect.orDie(Effect.provide(redisKeys("toolguard-forget"), redisAt(redis.url))) as Effect.Effect<
          ReadonlyArray<string>
        >
      )
      assert.strictEqual(names.filter((name) => name.includes("key:")).length, owners.length - 2)
    } finally {
      await Effect.runPromise(clearRedis(redis.url, "toolguard-forget"))
    }
  })
})
