/** Tests that an erasure keeps runs and actions that are in use, by the clock of the store and at the time of removal. */
import * as ForgetSql from "#layers/ForgetSql"
import * as StoresSql from "#layers/StoresSql"
import * as SqliteNode from "#layers/SqliteNode"
import { AtRest, type AtRestCipher, clear } from "#services/AtRest"
import { CallLog } from "#services/CallLog"
import { Checkpoints } from "#services/Checkpoints"
import { Forget, type ForgetReport } from "#services/Forget"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { DatabaseSync } from "node:sqlite"
import { join } from "node:path"
import { encrypting } from "../support/atRest.ts"
import { folder } from "../support/sqliteFile.ts"
import { fill, owners } from "./forgetWorld.ts"

const stores = (file: string, atRest: Layer.Layer<never> = Layer.empty) =>
  Layer.fresh(
    Layer.merge(StoresSql.layer, ForgetSql.layer).pipe(
      Layer.provideMerge(SqliteNode.layer({ filename: file })),
      Layer.provide(atRest)
    )
  )

const run = { tenant: "acme", run: "r" }
const opened = { mayMake: true, format: 1, lease: Duration.minutes(1), takeOver: false }
const countIn = ({ removed }: ForgetReport, store: string) => removed.find((row) => row.store === store)?.count
const reasonIn = ({ left }: ForgetReport, store: string) => left.find((row) => row.store === store)?.reason

/** Runs an action when the erasure reads the call records, after it has found runs and keys. */
const whenSearched = (action: () => void): Layer.Layer<never> =>
  Layer.succeed(AtRest, {
    ...clear,
    open: (text, place) => {
      if (place[0] === "calls") action()
      return clear.open(text, place)
    }
  } satisfies AtRestCipher)

describe("Forget and use", () => {
  it.effect("12.2 a fast clock of the process does not erase a run in use", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "stores.db")
      yield* Effect.gen(function* () {
        yield* (yield* Checkpoints).open(run, opened)
        const clock = yield* Clock.Clock
        const fast = { ...clock, currentTimeMillis: Effect.succeed(Number.MAX_SAFE_INTEGER) }
        const { forget } = yield* Forget
        const report = yield* Effect.provideService(forget({ tenant: "acme" }), Clock.Clock, fast)
        assert.strictEqual(countIn(report, "runs"), 0)
        assert.strictEqual(reasonIn(report, "runs"), "Runs in use: 1. Erase again after they have ended.")
      }).pipe(Effect.provide(stores(file)))
    })
  )

  it.effect("8.2, 12.2 a run and an action that come into use after they were found are kept and reported", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "stores.db")
      const owner = owners[0]!
      yield* Effect.gen(function* () {
        yield* fill
        yield* (yield* CallLog).records
      }).pipe(Effect.provide(stores(file)))
      let calls = 0
      const resumed = whenSearched(() => {
        if (calls++ > 0) return
        const database = new DatabaseSync(file)
        database.exec(`UPDATE toolguard_runs SET lease_until = ${Number.MAX_SAFE_INTEGER} WHERE run = 'run ann c1'`)
        database.exec("UPDATE toolguard_keys SET outcome = NULL WHERE idempotency_key = 'key of c1'")
        database.close()
      })
      yield* Effect.gen(function* () {
        const report = yield* (yield* Forget).forget({ ...owner, turn: undefined })
        assert.strictEqual(countIn(report, "runs"), 0)
        assert.strictEqual(reasonIn(report, "runs"), "Runs in use: 1. Erase again after they have ended.")
        assert.strictEqual(countIn(report, "idempotency keys"), 0)
        assert.strictEqual(
          reasonIn(report, "idempotency keys"),
          "Actions in flight: 1. Erase again after they have ended."
        )
        const found = yield* (yield* Checkpoints).find({ tenant: owner.tenant, run: "run ann c1" })
        assert.lengthOf(found?.rows ?? [], 1)
      }).pipe(Effect.provide(stores(file, resumed)))
    })
  )
})

/** Returns the fingerprint of the key of the stored requests, or an empty text if they are in plaintext. */
const fingerprint = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly request: string }>`SELECT request FROM toolguard_approvals LIMIT 1`
  return row?.request.split(":")[2] ?? ""
})

describe("Forget and damaged rows", () => {
  for (const [how, atRest, damage] of [
    ["encrypted", encrypting(), "'toolguard-aes1:first:FINGERPRINT:AAAA'"],
    ["in plaintext", Layer.empty, "'{'"],
    ["bytes", Layer.empty, "x'7b'"]
  ] as const) {
    it.effect(`8.3 damaged rows of bob (${how}) are reported, and do not prevent the erasure of ann`, () =>
      Effect.gen(function* () {
        const file = join(yield* folder, "stores.db")
        yield* Effect.gen(function* () {
          yield* fill
          yield* (yield* CallLog).records
          const sql = yield* SqlClient.SqlClient
          const text = damage.replace("FINGERPRINT", yield* fingerprint)
          for (const [table, column] of [
            ["toolguard_approvals", "request"],
            ["toolguard_outcomes", "outcome"],
            ["toolguard_journal", "body"],
            ["toolguard_calls", "record"]
          ] as const) {
            // the last row of this tenant is bob's
            yield* sql.unsafe(`UPDATE ${table} SET ${column} = ${text} WHERE rowid = (SELECT MAX(rowid) FROM ${table}
              WHERE tenant IN ('acme', '"acme"'))`)
          }
          const { forget } = yield* Forget
          const report = yield* forget({ tenant: "acme", principal: "ann" })
          for (const store of ["approvals", "unknown outcomes", "runs", "call records", "budgets"]) {
            assert.strictEqual(countIn(report, store), 2, store)
          }
          const conversation = yield* forget({ tenant: "acme", conversation: "c2" })
          for (const store of ["approvals", "unknown outcomes", "call records"]) {
            assert.include(reasonIn(conversation, store) ?? "", "Damaged rows of the tenant", store)
          }
          const rest = yield* forget({ tenant: "acme" })
          for (const store of ["approvals", "unknown outcomes", "runs", "call records"]) {
            assert.isAbove(countIn(rest, store) ?? 0, 0, store)
          }
        }).pipe(Effect.provide(stores(file, atRest)))
      })
    )
  }
})
