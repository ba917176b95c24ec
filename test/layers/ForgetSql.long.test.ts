/** Tests that exactly the rows of a tenant, a conversation or a principal are erased from SQLite and from files. */
import * as CallLogFile from "#layers/CallLogFile"
import * as ForgetFile from "#layers/ForgetFile"
import * as ForgetSql from "#layers/ForgetSql"
import * as SqliteNode from "#layers/SqliteNode"
import * as StoresSql from "#layers/StoresSql"
import { CallLog } from "#services/CallLog"
import { Checkpoints } from "#services/Checkpoints"
import { Forget, type ForgetScope, isOf } from "#services/Forget"
import { IdempotencyKeys } from "#services/IdempotencyKeys"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { planted, plantedRun, wordsIn } from "../agent/plantedRun.ts"
import { recordOf } from "../contracts/CallLog.ts"
import { actionOf } from "../contracts/IdempotencyKeys.ts"
import { encrypting } from "../support/atRest.ts"
import { folder } from "../support/sqliteFile.ts"
import { fill, owners, wordOf } from "./forgetWorld.ts"

/** Returns all bytes of the files in a folder. */
const bytesOf = (path: string): string =>
  readdirSync(path)
    .map((name) => readFileSync(join(path, name), "latin1"))
    .join("\n")

const storesIn = (path: string, atRest: Layer.Layer<never> = Layer.empty) =>
  Layer.merge(StoresSql.layer, ForgetSql.layer).pipe(
    Layer.provide(SqliteNode.layer({ filename: join(path, "stores.db") })),
    Layer.provide(atRest)
  )

const scopes: ReadonlyArray<readonly [name: string, scope: ForgetScope]> = [
  ["a tenant", { tenant: "acme" }],
  ["a tenant with wildcard characters", { tenant: `b"%*[x]` }],
  ["a principal", { tenant: "acme", principal: "ann" }],
  ["a conversation", { tenant: "acme", conversation: "c1" }],
  ["a conversation of a principal", { tenant: "acme", conversation: "c1", principal: "bob" }],
  ["an unknown tenant", { tenant: "acm" }]
]

describe("Forget in SQL", () => {
  for (const [name, scope] of scopes) {
    for (const [how, atRest] of [
      ["in plaintext", Layer.empty],
      ["encrypted", encrypting()]
    ] as const) {
      it.effect(`erases the rows of ${name}, and no others (${how})`, () =>
        Effect.gen(function* () {
          const path = yield* folder
          const count = owners.filter((owner) => isOf(scope, owner)).length
          const [dry, report, again] = yield* Effect.gen(function* () {
            yield* fill
            yield* (yield* CallLog).records
            const { forget } = yield* Forget
            return [yield* forget(scope, { dryRun: true }), yield* forget(scope), yield* forget(scope)] as const
          }).pipe(Effect.provide(Layer.fresh(storesIn(path, atRest))))
          for (const one of [dry, report]) {
            assert.deepStrictEqual(Object.fromEntries(one.removed.map((row) => [row.store, row.count])), {
              "idempotency keys": count,
              approvals: count,
              "unknown outcomes": count,
              artifacts: count,
              runs: count,
              "call records": count,
              "durable runs": 0,
              budgets: count
            })
          }
          assert.isTrue(again.removed.every((row) => row.count === 0))
          if (how === "in plaintext") {
            const bytes = bytesOf(path)
            assert.deepStrictEqual(
              owners.filter((owner) => bytes.includes(wordOf(owner))),
              owners.filter((owner) => !isOf(scope, owner))
            )
          }
        })
      )
    }
  }

  it.effect(
    "after the tenants of a completed run are erased, the SQLite file contains no planted text, even in free pages",
    () =>
      Effect.gen(function* () {
        const path = yield* folder
        yield* plantedRun(storesIn(path))
        assert.sameMembers([...wordsIn(bytesOf(path))], Object.values(planted))
        yield* Effect.gen(function* () {
          const { forget } = yield* Forget
          for (const tenant of ["default", "tenant", "t"]) yield* forget({ tenant })
        }).pipe(Effect.provide(Layer.fresh(storesIn(path))))
        assert.deepStrictEqual(wordsIn(bytesOf(path)), [])
      })
  )

  it.effect("actions in flight and runs in use are kept, and named in the report", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* Effect.gen(function* () {
        yield* (yield* IdempotencyKeys).claim(actionOf("acme"))
        yield* (yield* Checkpoints).open(
          { tenant: "acme", run: "r" },
          { mayMake: true, format: 1, lease: Duration.minutes(1), takeOver: false }
        )
        const { left, removed } = yield* (yield* Forget).forget({ tenant: "acme" })
        assert.isTrue(removed.every(({ count }) => count === 0))
        assert.includeMembers(
          left.map(({ reason }) => reason),
          [
            "Actions in flight: 1. Erase again after they have ended.",
            "Runs in use: 1. Erase again after they have ended."
          ]
        )
        assert.isDefined(yield* (yield* IdempotencyKeys).find(actionOf("acme")))
      }).pipe(Effect.provide(Layer.fresh(storesIn(path))))
    })
  )

  it.effect("15.2 call records of other principals are recognised by their column, without decryption", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const removed = yield* Effect.gen(function* () {
        yield* fill
        yield* (yield* CallLog).records
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql`SELECT DISTINCT principal FROM toolguard_calls ORDER BY principal`
        assert.deepStrictEqual(rows, [{ principal: "ann" }, { principal: "bob" }])
        // bob's records can no longer be decrypted, and one of ann's records has no principal in the column, as an old record
        yield* sql`UPDATE toolguard_calls SET trace_id = 'moved' WHERE principal = 'bob'`
        yield* sql`UPDATE toolguard_calls SET principal = NULL
          WHERE principal = 'ann' AND conversation = 'c1' AND tenant = 'acme'`
        const { forget } = yield* Forget
        return (yield* forget({ tenant: "acme", principal: "ann" })).removed
      }).pipe(
        Effect.provide(
          Layer.fresh(
            Layer.merge(StoresSql.layer, ForgetSql.layer).pipe(
              Layer.provideMerge(SqliteNode.layer({ filename: join(path, "stores.db") })),
              Layer.provide(encrypting())
            )
          )
        )
      )
      assert.strictEqual(removed.find(({ store }) => store === "call records")?.count, 2)
    })
  )

  it.effect(
    "without the key, a tenant is erased without decryption, and erasing a principal fails with the name of the variable",
    () =>
      Effect.gen(function* () {
        const path = yield* folder
        yield* Effect.andThen(
          fill,
          Effect.flatMap(CallLog, ({ records }) => records)
        ).pipe(Effect.provide(Layer.fresh(storesIn(path, encrypting()))))
        yield* Effect.gen(function* () {
          const { forget } = yield* Forget
          const error = yield* Effect.flip(forget({ tenant: "acme", principal: "ann" }))
          assert.include(String(error.cause), "TOOLGUARD_AT_REST_KEY")
          const { removed } = yield* forget({ tenant: "acme" })
          assert.deepStrictEqual(
            removed.filter(({ store }) => store !== "budgets").map(({ count }) => count),
            [4, 4, 4, 4, 4, 4, 0]
          )
        }).pipe(Effect.provide(Layer.fresh(storesIn(path))))
      })
  )
})

describe("Forget in a file of call records", () => {
  for (const [how, atRest] of [
    ["in plaintext", Layer.empty],
    ["encrypted", encrypting()]
  ] as const) {
    it.live(`removes the lines of a principal, and keeps lines of others and lines that are not records (${how})`, () =>
      Effect.gen(function* () {
        const file = join(yield* folder, "calls.jsonl")
        writeFileSync(file, "no record\n")
        yield* Effect.scoped(
          Effect.gen(function* () {
            const log = yield* CallLog
            for (const owner of owners) log.append({ ...recordOf(wordOf(owner)), ...owner })
            yield* log.records
            const { forget } = yield* Forget
            const scope = { tenant: "acme", principal: "ann" }
            const dry = yield* forget(scope, { dryRun: true })
            const report = yield* forget(scope)
            assert.deepStrictEqual([dry.removed[0]!.count, report.removed[0]!.count], [2, 2])
            assert.include(report.left[0]!.reason, "Kept lines that are not call records: 1.")
            // a process that has the file open can still append
            log.append({ ...recordOf("later"), tenant: "acme" })
            const all = yield* log.records
            assert.strictEqual(all.length, owners.length - 2 + 1)
            assert.isTrue(all.every(({ principal, tenant }) => tenant !== "acme" || principal !== "ann"))
          }).pipe(
            Effect.provide(
              Layer.fresh(Layer.merge(CallLogFile.layer(file), ForgetFile.layer(file)).pipe(Layer.provide(atRest)))
            )
          )
        )
        assert.isFalse(existsSync(`${file}.forget`))
        assert.isTrue(readFileSync(file, "utf8").startsWith("no record\n"))
      })
    )
  }
})
