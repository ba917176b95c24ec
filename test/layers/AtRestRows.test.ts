/** Tests rows of stores that encrypt: moved rows, plaintext rows, rows of an earlier version, and a lost key. */
import * as ArtifactsSql from "#layers/ArtifactsSql"
import * as CallLogFile from "#layers/CallLogFile"
import * as CallLogSql from "#layers/CallLogSql"
import * as CheckpointsSql from "#layers/CheckpointsSql"
import * as IdempotencyKeysSql from "#layers/IdempotencyKeysSql"
import { Artifacts } from "#services/Artifacts"
import { CallLog } from "#services/CallLog"
import { Checkpoints } from "#services/Checkpoints"
import { IdempotencyKeys } from "#services/IdempotencyKeys"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { join } from "node:path"
import { recordOf } from "../contracts/CallLog.ts"
import { actionOf } from "../contracts/IdempotencyKeys.ts"
import { encrypting, keyOf } from "../support/atRest.ts"
import { folder, sqliteFile } from "../support/sqliteFile.ts"

const turnOf = (tenant: string) => ({ tenant, conversation: "c", turn: "1" })
const timeToLive = Duration.hours(1)
const stores = Layer.mergeAll(ArtifactsSql.layer, CheckpointsSql.layer, IdempotencyKeysSql.layer, CallLogSql.layer)

/** Runs an effect with the stores of one database under one configuration of keys. */
const under = <A, E>(atRest: Layer.Layer<never>, use: Effect.Effect<A, E, any>) =>
  Effect.scoped(use).pipe(Effect.provide(Layer.fresh(stores.pipe(Layer.provide(atRest))))) as Effect.Effect<
    A,
    E,
    SqlClient.SqlClient
  >
const clear = Layer.empty
const messageOf = (error: unknown): string => String((error as { readonly cause?: unknown }).cause)

describe("rows at rest", () => {
  it.effect("a row that was moved to another tenant leads to an error instead of its text", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const error = yield* under(
        encrypting(),
        Effect.gen(function* () {
          const { put, read } = yield* Artifacts
          const [mine, theirs] = [
            yield* put({ turn: turnOf("a"), text: "mine", timeToLive }),
            yield* put({ turn: turnOf("b"), text: "theirs", timeToLive })
          ]
          yield* sql`UPDATE toolguard_artifacts SET body = (SELECT body FROM toolguard_artifacts WHERE id = ${theirs})
            WHERE id = ${mine}`
          return yield* Effect.flip(read(turnOf("a"), mine))
        })
      )
      assert.include(messageOf(error), "moved to another row")
    }).pipe(Effect.provide(sqliteFile))
  )

  it.effect("8.2 no column of an idempotency key contains the arguments of its call", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* under(
        clear,
        Effect.gen(function* () {
          const keys = yield* IdempotencyKeys
          const action = { ...actionOf("a"), binding: 'reset_it {"password":"planted-9921"}' }
          const claimed = yield* keys.claim(action)
          yield* keys.complete(action, (claimed as { owner: string }).owner, '{"n":1}', true)
          assert.strictEqual((yield* keys.claim(action))._tag, "Done")
          const other = { ...action, binding: 'reset_it {"password":"other"}' }
          assert.strictEqual((yield* keys.claim(other))._tag, "Conflict")
        })
      )
      const rows = JSON.stringify(yield* sql`SELECT * FROM toolguard_keys`)
      assert.include(rows, "idem_1")
      assert.notInclude(rows, "planted-9921")
      assert.notInclude(rows, "reset_it")
    }).pipe(Effect.provide(sqliteFile))
  )

  it.effect("an outcome that was moved to another key leads to an error instead of the outcome", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const error = yield* under(
        encrypting(),
        Effect.gen(function* () {
          const keys = yield* IdempotencyKeys
          for (const tenant of ["a", "b"]) {
            const claimed = yield* keys.claim(actionOf(tenant))
            yield* keys.complete(actionOf(tenant), (claimed as { owner: string }).owner, `of ${tenant}`, true)
          }
          yield* sql`UPDATE toolguard_keys SET outcome = (SELECT outcome FROM toolguard_keys WHERE tenant = 'b')
            WHERE tenant = 'a'`
          assert.deepInclude(yield* keys.find(actionOf("b")), { outcome: "of b" })
          return yield* Effect.flip(keys.find(actionOf("a")))
        })
      )
      assert.include(messageOf(error), "moved to another row")
    }).pipe(Effect.provide(sqliteFile))
  )

  it.effect(
    "plaintext rows are still read after encryption is switched on, and encrypted rows fail after the key is removed",
    () =>
      Effect.gen(function* () {
        const run = { tenant: "t", run: "r" }
        const lease = Duration.seconds(1)
        const id = yield* under(
          clear,
          Effect.gen(function* () {
            const checkpoints = yield* Checkpoints
            const { owner } = yield* checkpoints.open(run, { mayMake: true, format: 1, lease, takeOver: false })
            yield* checkpoints.append(run, owner, { seq: 1, body: "first", sum: "1" })
            yield* checkpoints.close(run, owner, undefined)
            return yield* (yield* Artifacts).put({ turn: turnOf("a"), text: "{}", timeToLive })
          })
        )
        yield* under(
          encrypting(),
          Effect.gen(function* () {
            const checkpoints = yield* Checkpoints
            assert.strictEqual(yield* (yield* Artifacts).read(turnOf("a"), id), "{}")
            const { owner } = yield* checkpoints.open(run, { mayMake: false, format: 1, lease, takeOver: false })
            yield* checkpoints.append(run, owner, { seq: 2, body: "second", sum: "2" })
            const found = yield* checkpoints.find(run)
            assert.deepStrictEqual(
              found?.rows.map(({ body }) => body),
              ["first", "second"]
            )
            ;(yield* CallLog).append(recordOf("1"))
          })
        )
        for (const atRest of [clear, encrypting(`second:${keyOf(2)}`)]) {
          yield* under(
            atRest,
            Effect.gen(function* () {
              const error = yield* Effect.flip((yield* Checkpoints).find(run))
              assert.include(messageOf(error), "TOOLGUARD_AT_REST_KEY")
              assert.include(messageOf(yield* Effect.flip((yield* CallLog).records)), "TOOLGUARD_AT_REST_KEY")
            })
          )
        }
      }).pipe(Effect.provide(sqliteFile))
  )

  it.effect(
    "a key's row has a digest of the arguments, and a row of an earlier version with its arguments still answers",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const action = { ...actionOf("t"), binding: 'pay {"iban":"DE89"}' }
        yield* under(
          clear,
          Effect.gen(function* () {
            const keys = yield* IdempotencyKeys
            const claimed = yield* keys.claim(action)
            yield* keys.complete(action, (claimed as { owner: string }).owner, "paid", true)
            const [row] = yield* sql<{ readonly binding: string }>`SELECT binding FROM toolguard_keys`
            assert.match(row!.binding, /^[0-9a-f]{64}$/)
            yield* sql`UPDATE toolguard_keys SET binding = ${action.binding}`
            assert.deepInclude(yield* keys.find(action), { _tag: "Done", outcome: "paid" })
            assert.deepInclude(yield* keys.find({ ...action, binding: "pay {}" }), { _tag: "Conflict" })
          })
        )
      }).pipe(Effect.provide(sqliteFile))
  )

  it.live("reading a file of call records without the key fails, instead of finding no records", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "calls.jsonl")
      const using = <A, E>(atRest: Layer.Layer<never>, use: (log: CallLog["Service"]) => Effect.Effect<A, E>) =>
        Effect.provide(Effect.flatMap(CallLog, use), Layer.fresh(CallLogFile.layer(file).pipe(Layer.provide(atRest))))
      yield* using(encrypting(), ({ append, records }) =>
        Effect.andThen(
          Effect.sync(() => append(recordOf("1"))),
          Effect.map(records, (all) => assert.strictEqual(all.length, 1))
        )
      )
      const error = yield* using(clear, ({ records }) => Effect.flip(records))
      assert.include(messageOf(error), "TOOLGUARD_AT_REST_KEY")
    })
  )
})
