/** Tests of Approvals that are stored in a database. */
import * as ApprovalsSql from "#layers/ApprovalsSql"
import { Approvals } from "#services/Approvals"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { onTestTime } from "../support/storeTime.ts"
import { opening } from "./Approvals.ts"

/** Defines the tests that apply only to databases. */
export const databaseContract = (name: string, onOwnTime: Layer.Layer<SqlClient.SqlClient>): void => {
  const database = onTestTime(onOwnTime)
  const layer = Layer.provideMerge(Layer.orDie(ApprovalsSql.layer), database)

  describe(`Approvals (${name}), as a database`, () => {
    it.effect("10.4 an approval is consumed in the caller's transaction", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const approvals = yield* Approvals
        const { request } = yield* approvals.open(opening("in a transaction"))
        yield* approvals.decide(request.id, { verdict: "approve", by: "ana", reason: "" })
        const consume = approvals.consume(request.id, request.binding)
        const rolledBack = yield* Effect.flip(
          sql.withTransaction(Effect.flatMap(consume, (isTaken) => Effect.fail({ isTaken } as const)))
        )
        assert.deepStrictEqual(rolledBack, { isTaken: true })
        assert.strictEqual((yield* approvals.find(request.id))?.state, "approved")
        assert.isTrue(yield* sql.withTransaction(consume))
        assert.isFalse(yield* sql.withTransaction(consume))
      }).pipe(Effect.provide(layer))
    )

    it.effect("10.3 an expired request is deleted after its time to live, and a pending request stays", () =>
      Effect.gen(function* () {
        const approvals = yield* Approvals
        const short = (yield* approvals.open(opening("short", { lifetime: Duration.minutes(1) }))).request
        const later = (yield* approvals.open(opening("later", { lifetime: Duration.days(200) }))).request
        const states = Effect.forEach([short, later], ({ id }) =>
          Effect.map(approvals.find(id), (found) => found?.state)
        )
        yield* TestClock.adjust("59 minutes")
        assert.deepStrictEqual(yield* states, ["expired", "pending"])
        yield* TestClock.adjust("2 minutes")
        // the database responds in real time, and the sweep runs every ten minutes of the test clock
        while ((yield* approvals.find(short.id)) !== undefined) {
          yield* TestClock.adjust("10 minutes")
          yield* TestClock.withLive(Effect.sleep("5 millis"))
        }
        assert.deepStrictEqual(yield* states, [undefined, "pending"])
      }).pipe(Effect.provide(Layer.provide(Layer.orDie(ApprovalsSql.layerWith({ timeToLive: "1 hour" })), database)))
    )
  })
}
